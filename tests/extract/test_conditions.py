"""Conditions of results from the reader to the warehouse: levels, places, what the evidence check
and `trace` say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import pytest
from conftest import BuildOnce, Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.extract import results_page
from pipelines.extract.contract import Extraction, Mapping, formats
from pipelines.extract.rows import Condition, Level, Measurement
from pipelines.read.document import Cell, Document

ROW = {"Throughput (items/sec)": "38,036"}
# Cells of a row of the page in their order: dimension and value of those that state one.
CELLS = {
    0: ("model", "ResNet-50 v1.5"),
    2: ("platform", "Bow Pod16"),
    3: ("sdk_version", "3.1"),
    4: ("framework", "PyTorch"),
    5: ("dataset", "ImageNet2012"),
    6: ("batch_size", "16384"),
    7: ("precision", "16.16"),
}
# Beyond the cells of the row: dimension, value, level, line, printed characters.
AROUND: tuple[tuple[str, str, Level, int, str], ...] = (
    ("task", "training", "heading", 3, "Training"),
    ("metric", "throughput", "column_heading", 13, "Throughput"),
    ("unit", "items/sec", "column_heading", 13, "items/sec"),
)

Change = Callable[[Condition], Condition | None]
Stating = Callable[[Change], None]
real_extract = results_page.extract


def stated_in(document: Document, row_line: int) -> Iterator[Condition]:
    """The conditions of the row of the page that begins in a line."""
    for place, (dimension, value) in CELLS.items():
        cell = document.line(row_line + place).cell
        yield Condition(cell=cell, number=0, dimension=dimension, value=value, level="row")
    for dimension, value, level, line, text in AROUND:
        start = document.line(line).text.index(text)
        cell = Cell(text, line, start, start + len(text))
        yield Condition(cell=cell, number=0, dimension=dimension, value=value, level=level)


@pytest.fixture
def stating(monkeypatch: pytest.MonkeyPatch) -> Stating:
    """Has the tables of a page give the conditions of its rows, each changed or left out as a
    function says.
    """

    def use(change: Change) -> None:
        def extract(
            document: Document, taken: Collection[int], mapping: Mapping | None = None
        ) -> Extraction:
            extraction = real_extract(document, taken, mapping)
            measured = [row for row in extraction.rows if isinstance(row, Measurement)]
            extraction.rows = [
                row for row in extraction.rows if not isinstance(row, Measurement | Condition)
            ]
            for row in measured:
                changed = [
                    change(condition) for condition in stated_in(document, row.row_line or 0)
                ]
                first = sum(isinstance(other, Condition) for other in extraction.rows)
                stated = [condition for condition in changed if condition]
                extraction.rows += [
                    replace(condition, number=number)
                    for number, condition in enumerate(stated, start=first)
                ]
                extraction.rows.append(
                    replace(row, conditions=tuple(range(first, first + len(stated))))
                )
            return extraction

        monkeypatch.setattr(formats()["results_page"], "extract", extract)

    return use


def added(ledger: Ledger, page: PageMaker) -> Ledger:
    ledger.add(page([ROW]), "acme/results", "2023-01-01")
    return ledger


@pytest.fixture
def stated(once: BuildOnce, page: PageMaker, stating: Stating) -> Ledger:
    """A ledger in which one page was built with all conditions of its one row; no test changes it."""
    stating(lambda condition: condition)

    def build(ledger: Ledger) -> object:
        ledger.add(page([ROW]), "acme/results", "2023-01-01")
        return ledger.build()

    return once("a_page_with_conditions", build)


def trace(ledger: Ledger, *arguments: str) -> str:
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    result = CliRunner().invoke(app, ["trace", *arguments, *folders])
    assert result.exit_code == 0, result.stderr
    return result.stdout


# In the warehouse


def test_a_result_has_its_conditions_with_level_and_place(stated: Ledger) -> None:
    rows = stated.sql(
        "select c.text_printed, e.text_printed as at "
        "from resolved.result_conditions as c inner join resolved.evidence as e using (evidence_id)"
    )
    assert len(rows) == len(CELLS) + len(AROUND)
    assert all(row["at"] == row["text_printed"] for row in rows)
    [chips] = stated.sql("select * from resolved.result_conditions where evidence_id is null")
    assert (chips["dimension"], chips["value"], chips["level"]) == (
        "accelerator_count",
        "16",
        "vocabulary",
    )


# What is not published


def refusal(ledger: Ledger) -> str:
    assert ledger.sql("select * from resolved.result_conditions") == []
    [reject] = ledger.sql("select rule, reason from audit.rejects")
    assert reject["rule"] == "evidence_does_not_hold"
    return str(reject["reason"])


def shifted(condition: Condition) -> Condition:
    cell = condition.cell
    return replace(condition, cell=Cell(cell.text, cell.line, cell.start + 1, cell.end + 1))


@pytest.mark.parametrize(
    ("dimension", "value", "said"),
    [
        ("unit", None, "is stored for"),
        (
            "platform",
            "H100",
            "'Bow Pod16' in resolved.result_conditions: it gives no platform 'H100'",
        ),
    ],
)
def test_a_document_whose_places_or_values_are_wrong_is_refused(
    ledger: Ledger, page: PageMaker, stating: Stating, dimension: str, value: str | None, said: str
) -> None:
    def changed(condition: Condition) -> Condition:
        return replace(condition, value=value) if value else shifted(condition)

    stating(lambda condition: changed(condition) if condition.dimension == dimension else condition)
    assert added(ledger, page).resolve().success
    assert said in refusal(ledger)


def test_a_column_that_says_something_else_fails_the_build(
    ledger: Ledger, page: PageMaker, stating: Stating
) -> None:
    def moved(condition: Condition) -> Condition:
        # A number of the row, but not its batch size.
        year = Cell("2012", 19, 8, 12)
        return (
            replace(condition, cell=year, value="2012")
            if condition.dimension == "batch_size"
            else condition
        )

    stating(moved)
    [fault] = added(ledger, page).build().faults
    assert "check results_agree_with_their_conditions found" in fault
    assert "'batch_size', '16384', ['2012']" in fault


def test_a_condition_of_no_level_is_set_aside(
    ledger: Ledger, page: PageMaker, stating: Stating
) -> None:
    def somewhere(condition: Condition) -> Condition:
        level: Level = "somewhere"  # type: ignore[assignment]
        return replace(condition, level=level) if condition.dimension == "unit" else condition

    stating(somewhere)
    assert added(ledger, page).resolve().success
    [reject] = ledger.sql("select rule, line, reason from audit.rejects")
    assert (reject["rule"], reject["line"]) == ("contract:extracted.conditions", 13)
    assert "level: 'somewhere' is not one of cell, row, column_heading" in reject["reason"]
    assert ledger.sql("select * from resolved.result_conditions where dimension = 'unit'") == []


def test_what_a_mapping_says_needs_no_place(
    ledger: Ledger, page: PageMaker, stating: Stating
) -> None:
    nowhere = Cell("", 1, 0, 0)
    stating(
        lambda condition: (
            replace(condition, cell=nowhere, level="mapping")
            if condition.dimension == "platform"
            else condition
        )
    )
    assert added(ledger, page).resolve("main.result_history").success
    [row] = ledger.sql("select * from resolved.result_conditions where level = 'mapping'")
    assert (row["dimension"], row["value"], row["text_printed"], row["evidence_id"]) == (
        "platform", "Bow Pod16", None, None,
    )  # fmt: skip
    lines = trace(ledger, "--query", "select result_id from resolved.results").splitlines()
    assert [line.split(maxsplit=3)[3] for line in lines if line.startswith("platform ")][1:] == [
        "from the mapping"
    ]


# In a trace


def test_a_trace_shows_the_conditions_in_reading_order(stated: Ledger) -> None:
    lines = trace(stated, "--query", "select result_id from resolved.results").splitlines()
    first = lines.index("conditions    11, in reading order")
    assert lines[first + 1 : first + 12] == [
        'task               training        from the heading, line 3, characters 14 to 22: "Training"',
        'metric             throughput      from the column heading, line 13, characters 0 to 10: "Throughput"',
        'unit               items/sec       from the column heading, line 13, characters 12 to 21: "items/sec"',
        'model              ResNet-50 v1.5  from the row, line 14, characters 0 to 14: "ResNet-50 v1.5"',
        'platform           Bow Pod16       from the row, line 16, characters 0 to 9: "Bow Pod16"',
        'sdk version        3.1             from the row, line 17, characters 0 to 7: "SDK 3.1"',
        'framework          PyTorch         from the row, line 18, characters 0 to 7: "PyTorch"',
        'dataset            ImageNet2012    from the row, line 19, characters 0 to 12: "ImageNet2012"',
        'batch size         16384           from the row, line 20, characters 0 to 6: "16,384"',
        'precision          16.16           from the row, line 21, characters 0 to 5: "16.16"',
        "accelerator count  16              from the vocabulary",
    ]
    assert lines[first + 12].startswith("benchmark ")


def test_a_trace_as_json_has_them_too(stated: Ledger) -> None:
    [found] = json.loads(
        trace(stated, "--query", "select result_id from resolved.results", "--format", "json")
    )
    assert [row["dimension"] for row in found["conditions"]][:2] == ["task", "metric"]
    batch_size = next(row for row in found["conditions"] if row["dimension"] == "batch_size")
    place = {
        "level": "row",
        "text_printed": "16,384",
        "line": 20,
        "char_start": 0,
        "char_end": 6,
        "page": None,
    }
    assert batch_size.items() >= ({"value": "16384"} | place).items()


def test_the_trace_of_a_place_names_what_it_states(stated: Ledger) -> None:
    shown = trace(
        stated, "--query", "select evidence_id from resolved.evidence where text_printed = '16,384'"
    )
    assert "condition     batch size 16384 of 1 result\n" in shown
