"""The worked questions of `warehouse/queries`: each runs, answers, and names the tables it reads in
full.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from conftest import Ledger, PageMaker
from sqlglot import exp

from pipelines.read.files import open_file
from pipelines.settings import PROJECT
from pipelines.warehouse.reader import query_published

QUERIES = sorted((PROJECT / "warehouse" / "queries").glob("*.sql"))


def bare_tables(query: str) -> set[str]:
    """Names without a schema that no `with` of the query defines."""
    parsed = sqlglot.parse_one(query, read="duckdb")
    tables = {table.name for table in parsed.find_all(exp.Table) if table.name and not table.db}
    return tables - {step.alias for step in parsed.find_all(exp.CTE)}


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_it_says_its_question_answers_it_and_names_tables_in_full(
    path: Path, shipped: Ledger
) -> None:
    text = path.read_text("utf-8")
    question, advice, *_ = text.splitlines()
    assert re.fullmatch(r"-- [A-Z].*\?", question), question
    assert re.fullmatch(r"-- Check .*\.", advice), advice
    assert re.search(r"^order by\b", text, re.MULTILINE), "the last step has no `order by`"
    assert bare_tables(text) == set()
    columns = query_published(shipped.warehouse, text).column_names
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in columns), columns


@pytest.mark.whole
@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_the_ledger_answers_it(path: Path, whole: Ledger) -> None:
    assert whole.sql(path.read_text("utf-8"))


# One vendor with one page each prints no second release, so a query may have no answer there.
def test_they_run_on_the_originals(from_originals: Ledger) -> None:
    for path in QUERIES:
        from_originals.sql(path.read_text("utf-8"))


def test_a_bare_table_would_be_seen() -> None:
    query = "with steps as (select * from current_results) select * from steps, main.result_history, unnest([1])"
    assert bare_tables(query) == {"current_results"}


# What the questions must not get wrong; the numbers stand in the shipped documents.


def answer(ledger: Ledger, name: str) -> list[dict[str, Any]]:
    return ledger.sql((PROJECT / "warehouse" / "queries" / f"{name}.sql").read_text("utf-8"))


@pytest.mark.parametrize(
    ("query", "where", "columns", "expected"),
    [
        (
            "scaling_of_resnet50_training", {"generation": "IPU-POD"},
            ("accelerator_count", "throughput_items_per_second", "efficiency"),
            [(16, 30690, 1.0), (64, 108566, 0.884), (128, 205006, 0.835), (256, 365040, 0.743)],
        ),
        (
            "batch_curve_of_efficientnet_inference", {"throughput_items_per_second": 86986},
            ("batch_size", "latency_ms", "batches_in_flight"), [(128, 6.77, 4.6)],
        ),
        # The first epoch of an IPU is nearly all of its run.
        (
            "first_epoch_of_training_runs", {"accelerator": "IPU", "accelerator_count": 16},
            ("first_epoch_time_s", "settled_epoch_time_s", "first_epoch_share"), [(504, 5, 0.973)],
        ),
    ],
)  # fmt: skip
def test_the_answer_is_the_printed_one(
    query: str,
    where: dict[str, Any],
    columns: tuple[str, ...],
    expected: list[tuple[Any, ...]],
    both: Ledger,
) -> None:
    rows = [row for row in answer(both, query) if where.items() <= row.items()]
    assert [tuple(row[name] for name in columns) for row in rows] == expected


def test_generations_are_compared_at_one_image_size(both: Ledger) -> None:
    rows = [row for row in answer(both, "gain_of_bow_over_classic") if row["model"] == "YOLOv4"]
    assert len({(row["image_size"], row["configuration"]) for row in rows}) == len(rows)


def test_what_was_refused_is_counted_by_document(ledger: Ledger, page: PageMaker) -> None:
    rows = [{"Throughput (items/sec)": value} for value in ("38,036", "4 (see note)")]
    ledger.add(page(rows), "acme/results", "2023-01-01")
    ledger.add("Nothing of any kind.\n", "acme/note", "2023-01-01", name="note.txt")
    assert ledger.resolve("audit.coverage").success
    assert [tuple(row.values()) for row in answer(ledger, "how_much_was_read")] == [
        ("acme/note/2023-01-01/note.txt", None, "detect", 0, 0, 1),
        ("acme/results/2023-01-01/page.txt", None, "results_page", 10, 10, 1),
    ]


def test_evidence_is_what_the_document_prints(shipped: Ledger) -> None:
    for row in answer(shipped, "where_a_number_comes_from"):
        line = open_file(PROJECT / "raw" / row["path"], "0" * 64).line(row["line"]).text
        assert line[row["char_start"] : row["char_end"]] == row["text_printed"]
