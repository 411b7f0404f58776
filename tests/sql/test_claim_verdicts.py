"""Claims held against the numbers: the verdicts of the shipped documents, and what other documents
must lead to.
"""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import BuildOnce, Ledger, Rows
from typer.testing import CliRunner

from pipelines.cli.main import app

# A verdict changes with the data or with the method. When this file changes without the data, raise
# `method_version`.
GOLDEN = Path(__file__).parents[1] / "fixtures" / "claim_verdicts.csv"

VERDICTS = """
select source, metric, model, subject_platform, baseline_platform, factor, verdict,
    round(recomputed_low, 4) as recomputed_low, round(recomputed_high, 4) as recomputed_high,
    len(inputs) as inputs, method_version, reason
from main.claims
order by source, line, factor, metric, model
"""
WITHOUT_LABELS = "; the bars have no labels, so the worst bar is used as the baseline"


def as_csv(rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def test_the_verdicts_are_the_golden_ones(both: Ledger) -> None:
    # The deck as text has no labels below its bars; the drawn one has, and gives the same verdicts.
    text = as_csv(both.sql(VERDICTS)).replace(WITHOUT_LABELS, "")
    # Only the shipped ledger holds the other vendors whose numbers are the nearest.
    is_shipped = bool(both.sql("select source from raw.documents where source like 'nvidia/%'"))
    if is_shipped and os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    found, wanted = (list(csv.DictReader(io.StringIO(each))) for each in (text, GOLDEN.read_text()))
    for row in () if is_shipped else (*found, *wanted):
        del row["reason"], row["inputs"]
    assert found == wanted


def test_both_sides_of_every_claim_on_a_slide_have_their_conditions(both: Ledger) -> None:
    sides = both.sql(
        """
        select c.model, c.task, c.subject_precision, c.subject_sdk_version, c.subject_batch_sizes_printed,
            c.subject_accelerator_count, c.baseline_precision, c.baseline_batch_sizes_printed,
            c.baseline_accelerator_count, c.baseline_measured_by
        from resolved.claims as c
        inner join raw.documents as d on c.document_id = d.document_id
        where d.source = 'graphcore/mk2-benchmark-charts'
        """
    )
    assert len(sides) == 15
    assert all(row["subject_sdk_version"] == "1.4.0" and row["subject_precision"] for row in sides)
    [bert] = [row for row in sides if (row["model"], row["task"]) == ("BERT-Large", "training")]
    assert (bert["subject_accelerator_count"], bert["baseline_accelerator_count"]) == (64, 8)
    [resnet] = [
        row for row in sides if (row["model"], row["task"]) == ("ResNet-50 v1.5", "inference")
    ]
    assert (resnet["baseline_precision"], resnet["baseline_batch_sizes_printed"]) == (
        "INT8",
        "1 through 206",
    )
    assert resnet["baseline_measured_by"] == "NVIDIA"


def test_a_bar_has_the_conditions_that_the_notes_state_of_its_system(shipped: Ledger) -> None:
    bars = shipped.sql(
        """
        select value, platform, accelerator_count, sdk_version, precision, framework
        from resolved.results
        where extractor = 'slides'
        order by value
        """
    )
    # The notes of the IPU-M2000 name two frameworks, and its bars do not say of which each is.
    assert [tuple(bar.values()) for bar in bars] == [
        (58, "Latest GPU", 1, None, "FP32", "TensorFlow"),
        (581, "IPU-M2000", 4, "1.4.0", "16.32", None),
        (595, "IPU-M2000", 4, "1.4.0", "16.32", None),
    ]


# What a vendor prints on one page: a table, and sentences about it.
TABLE = """Acme results

Pod systems - {task}

| Model | Platform | Framework | Dataset | Batch Size | Precision | Throughput (items/sec) |
{rows}
"""


def table(*rows: str, task: str = "Training") -> str:
    return TABLE.format(task=task, rows="\n".join(f"| {row} |" for row in rows))


def verdicts(ledger: Ledger) -> Rows:
    return ledger.sql("select * from main.claims order by line, factor")


NUMBERS = table(
    "ResNet-50 v1.5 | IPU-POD16 | PyTorch | ImageNet2012 | 1,024 | 16.16 | 30,690",
    "ResNet-50 v1.5 | DGX A100 | PyTorch | ImageNet2012 | 1,024 | 16.16 | 15,345",
)


CLAIM = "The IPU-POD16 delivers {} higher throughput than the DGX A100 for ResNet-50 v1.5 training."
SENTENCES = [
    (CLAIM.format("2.0x"), "confirmed"),
    (CLAIM.format("2.6x"), "contradicted"),
    (CLAIM.format("over 3x"), "contradicted"),
    (CLAIM.format("2.0x").replace("DGX A100", "A100"), "not_checkable"),
    (CLAIM.format("2.6x").replace("training", "inference"), "not_checkable"),
    # What a claim states of both sides holds for every number.
    (CLAIM.format("2.0x").replace("The", "With a batch size of 1,024, the", 1), "confirmed"),
    (CLAIM.format("2.6x").replace("The", "With BF16, the", 1), "not_checkable"),
    (CLAIM.format("2.6x").replace("The", "With TensorRT-LLM, the", 1), "not_checkable"),
    (CLAIM.format("2.6x").replace("The", "At concurrency 64, the", 1), "not_checkable"),
    (CLAIM.format("2.6x").replace("The", "In the Offline scenario, the", 1), "not_checkable"),
    (CLAIM.format("2.6x").replace("The", "With an input length of 2,048, the", 1), "not_checkable"),
    (CLAIM.format("2.6x").replace("The", "With 256 chips, the", 1), "not_checkable"),
    (CLAIM.format("2.6x").replace("The", "With speculative decoding, the", 1), "not_checkable"),
]


@pytest.fixture(scope="module")
def posts(once: BuildOnce) -> Ledger:
    """The numbers, and each sentence in a post of its own; no test changes it."""

    def build(ledger: Ledger) -> Any:
        ledger.add(NUMBERS, "acme/results", "2024-01-01", name="numbers.txt")
        ledger.map("acme/results")
        for number, (sentence, _) in enumerate(SENTENCES):
            ledger.add(
                f"Our results\n\n{sentence}\n",
                f"acme/post{number}",
                "2024-02-01",
                name=f"{number}.txt",
            )
        return ledger.build()

    return once("posts", build)


@pytest.mark.parametrize(("sentence", "verdict"), SENTENCES)
def test_a_claim_is_held_against_the_numbers_of_the_same_model_task_and_metric(
    posts: Ledger, sentence: str, verdict: str
) -> None:
    source = f"acme/post{SENTENCES.index((sentence, verdict))}"
    [claim] = [claim for claim in verdicts(posts) if claim["source"] == source]
    assert claim["verdict"] == verdict, claim["reason"]
    if verdict != "not_checkable":
        assert (round(claim["recomputed_low"], 3), round(claim["recomputed_high"], 3)) == (2.0, 2.0)
        assert len(claim["inputs"]) == 2


def test_a_contradicted_claim_stands_first(posts: Ledger) -> None:
    shown = CliRunner().invoke(app, ["audit", "--warehouse", str(posts.warehouse)]).stdout
    assert (
        shown.splitlines()[0] == "Claims and verdicts: 2 confirmed, 2 contradicted, 9 not checkable"
    )
    assert shown.index("contradicted   ResNet-50") < shown.index("confirmed      ResNet-50")
