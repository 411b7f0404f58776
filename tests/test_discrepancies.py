"""What the relations between printed numbers give on whole documents: all findings, and what holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from conftest import BuildOnce, Ledger

from pipelines.settings import PROJECT

FINDINGS = Path(__file__).parent / "fixtures" / "discrepancies"


@pytest.mark.parametrize("name", ["shipped", "from_originals"])
def test_golden(name: str, request: pytest.FixtureRequest) -> None:
    ledger: Ledger = request.getfixturevalue(name)
    rows = ledger.sql(
        """
        select documents.source, d.line, d.check_name, evidence.text_printed, d.reason
        from audit.discrepancies as d
        inner join raw.documents as documents on d.document_id = documents.document_id
        inner join resolved.evidence as evidence on d.evidence_id = evidence.evidence_id
        order by documents.source, d.line, d.check_name
        """
    )
    found = "".join("{source} line {line}, {text_printed}\n  {check_name}: {reason}\n".format(**row) for row in rows)
    golden = FINDINGS / f"{name}.txt"
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        golden.write_text(found, "utf-8")
    assert found == golden.read_text("utf-8")


def test_what_holds_is_counted_beside_what_does_not(both: Ledger) -> None:
    rows = both.sql(
        """
        select r.check_name, count(*) filter (where r.holds) as held, count(*) filter (where not r.holds) as failed
        from audit.relations as r
        inner join raw.documents as d on r.document_id = d.document_id
        where d.source like 'graphcore/%' or d.source like 'unknown/%'
        group by r.check_name
        """
    )
    # What drawn charts say of themselves is another matter: only one of the two editions is drawn.
    printed = [row for row in rows if "_against_bar" not in row["check_name"]]
    assert {row["check_name"]: (row["held"], row["failed"]) for row in printed} == {
        "claims_of_one_place": (0, 1),
        "claims_of_two_documents": (9, 0),
        "epoch_time_in_log": (11, 2),
        "latency_of_batch": (61, 2),
        "latency_of_table": (104, 0),
        "listed_submissions": (0, 1),
        "samples_in_log": (12, 1),
        "samples_per_epoch": (27, 0),
        "scaling_efficiency": (35, 0),
        "score_of_the_logs": (10, 2),
        "throughput_times_time": (12, 1),
        "training_time_of_epochs": (10, 3),
    }


def test_a_known_error_is_a_discrepancy_still(both: Ledger) -> None:
    rows = both.sql("select check_name, printed, known_error from audit.discrepancies where known_error is not null")
    assert {(row["check_name"], row["printed"], row["known_error"]) for row in rows} == {
        ("samples_in_log", 21547, "throughput_of_16_mk2_ipus"),
        ("throughput_times_time", 21547, "throughput_of_16_mk2_ipus"),
    }


def test_each_finding_is_one_sentence_with_the_numbers_in_it(both: Ledger) -> None:
    for row in both.sql("select reason from audit.discrepancies"):
        assert "\n" not in row["reason"]
        assert ". " not in row["reason"]
        assert any(character.isdigit() for character in row["reason"])


# A number of a healthy row is broken in the text itself, and the finding stands in its line.
BROKEN = [
    pytest.param("2,954", "29,540", {("throughput_times_time", 227), ("samples_in_log", 227)}, id="rate in the table"),
    pytest.param(
        "training time: 815.4172495089006", "training time: 615.4172495089006",
        {("training_time_of_epochs", 104)}, id="training time in the log",
    ),
    pytest.param(
        "546/546", "5460/5460",
        {("samples_per_epoch", line) for line in (112, 115, 118)} | {("samples_in_log", 221)}, id="steps in the log",
    ),
    pytest.param(
        "259.0", "287.0",
        {(check, 222) for check in ("epoch_time_in_log", "throughput_times_time", "samples_in_log")},
        id="the time of another epoch",
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def broken_logs(once: BuildOnce) -> Ledger:
    """A copy of the log for each broken number; no test changes it."""

    def build(ledger: Ledger) -> Any:
        [stored] = (PROJECT / "raw" / "unknown").rglob("training_log.txt")
        text, mapping = (path.read_text("utf-8") for path in (stored, stored.parents[1] / "mapping.yml"))
        for number, (printed, broken, _) in enumerate(case.values for case in BROKEN):
            assert printed in text
            ledger.map(f"acme/log{number}", mapping)
            ledger.add(text.replace(printed, broken), f"acme/log{number}", name="training_log.txt")
        return ledger.build()

    return once("broken_logs", build)


@pytest.mark.parametrize("number", range(len(BROKEN)), ids=[str(case.id) for case in BROKEN])
def test_a_broken_number_is_found_where_it_stands(number: int, broken_logs: Ledger, shipped: Ledger) -> None:
    healthy = {
        (row["check_name"], row["line"])
        for row in shipped.sql("select d.check_name, d.line from audit.discrepancies as d")
    }
    found = {
        (row["check_name"], row["line"])
        for row in broken_logs.sql(
            "select d.check_name, d.line from audit.discrepancies as d "
            f"inner join raw.documents using (document_id) where source = 'acme/log{number}'"
        )
    }
    assert found - healthy == BROKEN[number].values[2]
