"""What the preview of a mapping asks about values, and what it shows of the refusals of a build."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Ledger
from typer.testing import CliRunner

from benchledger.source_preview import SourcePreview, preview_source
from pipelines.cli.main import app
from pipelines.validate.evidence import check

HEAD = "| Model | Chip | A | B | C |\n|---|---|---|---|---|\n"
LAYOUT = "columns: {{Model: model, Chip: platform, A: {}, B: {}, C: {}}}"
LATENCY, RATE = "{metric: latency, unit: ms%s}", "{metric: throughput, unit: images/s%s}"
ACCURACY = "{metric: accuracy, unit: '%', from_entry: [platform]}"


def mapping_of(*columns: str, more: str = "") -> str:
    return f"{more}constants: {{task: inference}}\ntables:\n- {LAYOUT.format(*columns)}\n"


def shown(
    ledger: Ledger, rows: list[str], mapping: str, source: str = "acme/results"
) -> SourcePreview:
    path = ledger.map(source, mapping)
    page = HEAD + "\n".join(f"| {row} |" for row in rows) + f"\n\nOf {source}.\n"
    ledger.add(
        page, source, "2026-01-01", name=f"{source.partition('/')[2]}.md", format="results_page"
    )
    return preview_source(ledger.raw, source, path, ledger.warehouse)


ROWS = [
    "ResNet-50 | A100 | 5 | 9 | 180",
    "BERT-Large | A100 | 7 | 11 | 140",
    "VGG-16 | A100 | 2 | 4 | 450",
]
# The columns as they are, and as a slip gives them: what is asked.
SLIPS = {
    "right": (LATENCY % ", statistic: p50", LATENCY % ", statistic: p99", RATE % "", []),
    "p99 for p50": (
        LATENCY % ", statistic: p99",
        LATENCY % ", statistic: p50",
        RATE % "",
        ["order latency"],
    ),
    "maximum for minimum": (
        LATENCY % ", statistic: max",
        LATENCY % ", statistic: min",
        RATE % "",
        ["order latency"],
    ),
    "mean above maximum": (
        LATENCY % ", statistic: max",
        LATENCY % ", statistic: mean",
        RATE % "",
        ["order latency"],
    ),
    "us for ms": ("{metric: latency, unit: us}", "ignore", RATE % "", ["little latency"]),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_numbers_of_a_row_are_compared_with_each_other(ledger: Ledger, slip: str) -> None:
    *columns, asked = SLIPS[slip]
    found = shown(ledger, ROWS, mapping_of(*columns))
    assert [key for _, _, key, *_ in found.questions] == asked
    assert found.open_questions() == asked
    assert found.refusals() == []


@pytest.mark.parametrize(
    ("cells", "asked"),
    [
        (["0.76", "0.8", "0.7"], ["share accuracy"]),
        (["76", "0.8", "70"], ["share accuracy"]),
        (["76", "80", "1"], []),
    ],
)
def test_shares_of_one_beside_percentages_are_asked_about(
    ledger: Ledger, cells: list[str], asked: list[str]
) -> None:
    rows = [f"Net {number} | A100 | 1 | 1 | {cell}" for number, cell in enumerate(cells)]
    found = shown(ledger, rows, mapping_of("ignore", "ignore", ACCURACY))
    assert [key for _, _, key, *_ in found.questions] == asked


def test_orders_of_magnitude_and_what_the_ledger_has_are_asked_about(ledger: Ledger) -> None:
    for source, rate in (("acme/one", RATE % ""), ("acme/two", RATE % "")):
        shown(ledger, ROWS, mapping_of("ignore", "ignore", rate), source)
    assert ledger.resolve().success
    far = [row.replace("180", "1801") for row in ROWS]
    found = shown(ledger, far, mapping_of("ignore", "ignore", RATE % ""), "other/results")
    [(path, line, key, places, words, answer)] = found.questions
    assert (path.split("/")[0], line, key, places, answer) == (
        "other",
        3,
        "ledger throughput",
        1,
        "",
    )
    assert (
        words == "1801 (1801 images/s) of ResNet-50 is far from the published 180 to 180 per chip"
    )
    near = [row.replace("180", "1799") for row in ROWS]
    assert (
        shown(ledger, near, mapping_of("ignore", "ignore", RATE % ""), "near/results").questions
        == []
    )
    wide = [*ROWS[1:], "Net 1 | T4 | 1 | 1 | 0.02"]
    found = shown(ledger, wide, mapping_of("ignore", "ignore", RATE % ""), "wide/results")
    assert {key for _, _, key, *_ in found.questions} == {
        "magnitude throughput",
        "ledger throughput",
    }


def test_a_column_of_the_snapshot_before_under_another_metric_is_asked_about(
    ledger: Ledger,
) -> None:
    shown(ledger, ROWS, mapping_of(LATENCY % ", statistic: p50", "ignore", "ignore"))
    assert ledger.resolve().success
    path = ledger.map("acme/results", mapping_of("{metric: ttft, unit: ms}", "ignore", "ignore"))
    page = HEAD + "\n".join(f"| {row} |" for row in ROWS) + "\n\nOf February.\n"
    ledger.add(page, "acme/results", "2026-02-01", name="results.md", format="results_page")
    found = preview_source(ledger.raw, "acme/results", path, ledger.warehouse)
    assert [key for _, _, key, *_ in found.questions] == ["previous ttft"]


# Of Hailo's model zoo: the page of 2024-09-30 prints losses below `Quantized`, that of 2025-09-02
# the accuracies of the hardware below `float mAP`.
ZOO = {
    "cas_vit_m": "81.2",
    "cas_vit_s": "79.93",
    "cas_vit_t": "81.9",
    "deit_base": "80.93",
    "deit_tiny": "69.07",
}
HARDWARE, TWICE = (
    ["81.01", "79.65", "81.52", "79.9", "68.57"],
    ["80.81", "79.37", "81.14", "78.86", "68.07"],
)
LOSSES = ["0.19", "0.25", "0.29", "0.58", "0.62"]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([*ZOO.values()], HARDWARE, None),
        (
            [*ZOO.values()],
            LOSSES,
            "5 of 5 numbers of the column are less than half of the accuracy beside them",
        ),
        (
            HARDWARE,
            TWICE,
            "5 of 5 numbers of the column are those of another column of the snapshot before",
        ),
    ],
)
def test_a_column_that_holds_something_else_is_asked_about(
    ledger: Ledger, first: list[str], second: list[str], words: str | None
) -> None:
    kinds = [ACCURACY.replace("}", f", arithmetic: {kind}}}") for kind in ("float", "hardware")]
    path = ledger.map("hailo/zoo", mapping_of("ignore", *kinds))
    for day, columns in (
        ("2025-04-04", ([*ZOO.values()], HARDWARE)),
        ("2025-09-02", (first, second)),
    ):
        rows = [
            " | ".join((model, "Hailo-8", "1", *cells))
            for model, *cells in zip(ZOO, *columns, strict=True)
        ]
        page = HEAD + "\n".join(f"| {row} |" for row in rows) + f"\n\nOf {day}.\n"
        ledger.add(page, "hailo/zoo", day, name="zoo.md", format="results_page")
    found = preview_source(ledger.raw, "hailo/zoo", path, ledger.warehouse)
    asked = [question.question for question in found.questions if question.key == "column accuracy"]
    assert [question.partition(", such as")[0] for question in asked] == [words] * (
        words is not None
    )
    assert [document.path for document in found.documents] == ["hailo/zoo/2025-09-02/zoo.md"]


def test_a_mapping_answers_a_question_under_expected(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    *columns, _ = SLIPS["p99 for p50"]
    shown(ledger, ROWS, mapping_of(*columns))
    mapping = ledger.raw / "acme/results/mapping.yml"
    draft = mapping.rename(mapping.with_name("mapping.draft.yml"))
    place = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    monkeypatch.setenv("COLUMNS", "200")
    asked = CliRunner().invoke(app, ["map", "acme/results", *place])
    assert asked.exit_code == 3
    assert "p50 9 is greater than p99 5 of the same latency" in asked.stdout
    refused = CliRunner().invoke(app, ["map", "acme/results", "--accept", *place])
    assert refused.exit_code == 3
    assert "answer under `expected`: order latency" in refused.stderr
    draft.write_text(
        "expected: {order latency: the page prints it}\n" + draft.read_text("utf-8"), "utf-8"
    )
    accepted = CliRunner().invoke(app, ["map", "acme/results", "--accept", *place])
    assert (accepted.exit_code, mapping.is_file()) == (0, True)


def test_what_the_evidence_check_refuses_is_in_the_preview(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kind = check.KINDS["resolved.results"]
    monkeypatch.setitem(
        check.KINDS,
        "resolved.results",
        kind._replace(
            read=lambda place, row: "fails" if place.text == "140" else kind.read(place, row)
        ),
    )
    *columns, _ = SLIPS["right"]
    found = shown(ledger, ROWS, mapping_of(*columns))
    [refusal] = found.refusals()
    assert (refusal.rule, refusal.cell.line, refusal.scope) == ("evidence_does_not_hold", 4, "row")
    page = tmp_path / "next.md"
    page.write_text(HEAD + "\n".join(f"| {row} |" for row in ROWS) + "\n\nMore.\n", "utf-8")
    added = CliRunner().invoke(
        app, ["add", str(page), "--source", "acme/results", "--raw", str(ledger.raw)]
    )
    assert added.exit_code == 3
    assert "1 row refused" in added.stdout


SERVED = """vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size {parts}

============ Serving Benchmark Result ============
Successful requests:                     100
Output token throughput (tok/s):         {rate}
==================================================
"""


def test_the_preview_has_the_refused_output_of_programs(ledger: Ledger, tmp_path: Path) -> None:
    page = tmp_path / "log.txt"
    page.write_text(SERVED.format(parts=8, rate="2500.00"), "utf-8")
    added = CliRunner().invoke(
        app, ["add", str(page), "--source", "acme/log", "--raw", str(ledger.raw)]
    )
    assert added.exit_code == 3
    assert "1 row refused: no platform is stated for it" in added.stdout
    found = preview_source(
        ledger.raw,
        "acme/log",
        ledger.map("acme/log", "constants: {platform: H100}"),
        ledger.warehouse,
    )
    assert [one.rule for one in found.refusals()] == ["not_printed"]
    found = preview_source(
        ledger.raw,
        "acme/log",
        ledger.map("acme/log", "constants: {platform: '!H100'}"),
        ledger.warehouse,
    )
    assert found.refusals() == []


def test_a_model_in_more_parts_than_chips_leaves_their_count_open(ledger: Ledger) -> None:
    for parts, platform in ((8, "H100"), (1, "L4"), (8, "8x A100")):
        source = f"acme/log{len(platform)}"
        ledger.map(source, f"constants: {{platform: '!{platform}'}}")
        text = SERVED.format(parts=parts, rate=f"{len(platform)}00.5")
        ledger.add(text, source, "2026-01-01", name="log.txt")
    assert ledger.resolve().success
    rows = ledger.sql("select platform, accelerator_count from resolved.results order by platform")
    assert [tuple(row.values()) for row in rows] == [("A100", 8), ("H100", None), ("L4", 1)]
