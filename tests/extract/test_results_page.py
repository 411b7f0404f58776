"""Result pages: golden fixtures, the shipped page and the original."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from pipelines.extract import results_page
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import KIND_OF, Condition, Measurement, Reject, Row
from pipelines.extract.tables.entries import load_entries
from pipelines.read.document import Document
from pipelines.read.files import open_file
from pipelines.read.text import read_text
from pipelines.settings import PROJECT

_FOLDER = Path(__file__).parents[1] / "fixtures" / "results_page"
FIXTURES = sorted(
    path for path in _FOLDER.iterdir() if not path.name.endswith((".expected.csv", ".yml"))
)
SOURCE = PROJECT / "raw/graphcore/performance-results"
SHIPPED = SOURCE / "2023-07-04/performance_results.txt"
ORIGINALS = Path(os.environ.get("BENCHLEDGER_ORIGINALS", "."))
needs_originals = pytest.mark.skipif(
    "BENCHLEDGER_ORIGINALS" not in os.environ, reason="no original documents"
)
PAGES = [
    pytest.param(SHIPPED, id="shipped"),
    pytest.param(ORIGINALS / "performance_results.txt", id="original", marks=needs_originals),
]

# Fields that say where a row stands, not what it says.
PLACES = frozenset({"cell", "headings_printed", "row_line", "section_line", "conditions"})
FIRST_COLUMNS = [
    *("kind", "line", "text", "section", "metric", "value", "bound"),
    *("unit", "unit_printed", "item", "row_line"),
]
LAST_COLUMNS = ["price_usd", "rule", "scope", "reason"]
OTHER_COLUMNS = [
    field.name
    for field in fields(Measurement)
    if field.name not in {*PLACES, "value_low", "value_high"}
]
GOLDEN_COLUMNS = [*dict.fromkeys([*FIRST_COLUMNS, "row_line", *OTHER_COLUMNS, *LAST_COLUMNS])]


def in_order(extraction: Extraction) -> list[Row]:
    """The rows of a page from top to bottom."""
    return sorted(extraction.rows, key=lambda row: (row.cell.line, row.cell.start))


def check_places(document: Document, rows: list[Row]) -> None:
    """Every row points at its characters."""
    for row in rows:
        assert document.line(row.cell.line).text[row.cell.start : row.cell.end] == row.cell.text
        assert row.cell.text.strip() or isinstance(row, Reject | Condition)


# Golden fixtures


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_golden(path: Path) -> None:
    expected = path.with_name(f"{path.stem}.expected.csv")
    document = open_file(path, "0" * 64)
    mapping = load_entries(path.with_name(f"{path.stem}.mapping.yml"))
    rows = [
        row
        for row in in_order(results_page.extract(document, (), mapping))
        if not isinstance(row, Condition)
    ]
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        expected.write_text(as_csv(rows), "utf-8")
    assert as_csv(rows) == expected.read_text("utf-8")
    # Rows of running text are no table before a mapping says so.
    assert results_page.recognise(document) == (
        0.0 if any(rules.rows for rules in mapping) else 0.9
    )
    check_places(document, rows)


def as_csv(rows: list[Row]) -> str:
    """The rows with every column that one of them fills, so that nothing filled goes unseen."""
    shown = [
        {name: text for name in GOLDEN_COLUMNS if (text := printed(row, name))} for row in rows
    ]
    filled = [name for name in GOLDEN_COLUMNS if any(name in row for row in shown)]
    file = io.StringIO()
    writer = csv.DictWriter(file, filled, lineterminator="\n")
    writer.writeheader()
    writer.writerows(shown)
    return file.getvalue()


def printed(row: Row, column: str) -> str:
    places = {"kind": KIND_OF[type(row)], "line": row.cell.line, "text": row.cell.text}
    value = places[column] if column in places else getattr(row, column, None)
    return "" if value is None else str(value)


# The page the project was made for


@pytest.mark.parametrize("path", PAGES)
def test_counts_of_the_page(path: Path) -> None:
    document = read_text(path.read_bytes(), "0" * 64)
    found = in_order(
        results_page.extract(document, frozenset(), load_entries(SOURCE / "mapping.yml"))
    )
    check_places(document, found)
    assert not any(isinstance(row, Reject) for row in found)
    rows = [row for row in found if isinstance(row, Measurement)]
    assert (len(rows), len({row.row_line for row in rows})) == (356, 248)
    metrics = {
        "throughput": 236,
        "latency": 104,
        "time_to_train": 13,
        "mae": 1,
        "mrr": 1,
        "time_to_result": 1,
    }
    assert Counter(row.metric for row in rows) == metrics
    assert len({row.section_line for row in rows if row.section_line}) == 6
    assert Counter((row.section, row.task, row.suite) for row in rows) == {
        (None, "training", "OGB-LSC 2022"): 6,
        ("Bow Platform - Training", "training", None): 64,
        ("Bow Platform - Inference", "inference", None): 72,
        ("MLPerf v2.0 Training Performance", "training", "MLPerf Training v2.0"): 11,
        ("IPU-POD Classic - Training", "training", None): 62,
        ("IPU-POD Classic - Time to Result", None, None): 1,
        ("IPU-POD Classic - Inference", "inference", None): 140,
    }
    submitted = [row for row in rows if row.submission_id]
    assert Counter(row.division for row in submitted) == {"Closed": 10, "Open": 1}
    targets = {"75.90% classification": 4, "0.72 Mask-LM accuracy": 6, None: 1}
    assert Counter(row.quality_target for row in submitted) == targets
    # Cells of the challenge hold a rate, a time and a score.
    ranked = [row for row in rows if row.ranking == "First"]
    assert [
        (r.dataset_printed, r.metric, r.value, r.unit, r.unit_printed, r.item) for r in ranked
    ] == [
        ("PCQM4Mv2", "throughput", 17800, "items/s", "graphs/s", "graphs"),
        ("PCQM4Mv2", "time_to_train", 85380, "s", None, None),
        ("PCQM4Mv2", "mae", 0.0719, "MAE", None, None),
        ("WikiKG90Mv2", "throughput", 1260000, "items/s", "triples/s", "triples"),
        ("WikiKG90Mv2", "time_to_train", 42600, "s", None, None),
        ("WikiKG90Mv2", "mrr", 0.2562, "MRR", None, None),
    ]
    assert (ranked[1].value_low, ranked[1].value_high) == (85350, 85410)
