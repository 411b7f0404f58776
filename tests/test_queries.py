"""The worked questions of `warehouse/queries`: each runs, answers, and names the tables it reads in full."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger, PageMaker

from pipelines.build.warehouse import query_published
from pipelines.read.files import open_file
from pipelines.settings import PROJECT

QUERIES = sorted((PROJECT / "warehouse" / "queries").glob("*.sql"))

# How DuckDB's own parser names a table that a query reads, and the names a `with` gives.
_PARSE = "select json_serialize_sql(?::varchar) as tree"


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from nodes(value)


def bare_tables(tree: Any) -> set[str]:
    """Names without a schema that no `with` of the query defines."""
    tables = {
        node["table_name"] for node in nodes(tree) if node.get("type") == "BASE_TABLE" and not node["schema_name"]
    }
    ladder = {entry["key"] for node in nodes(tree) for entry in node.get("cte_map", {}).get("map", [])}
    return tables - ladder


def parse(ledger: Ledger, query: str) -> Any:
    [row] = query_published(ledger.warehouse, _PARSE, [query]).to_pylist()
    tree = json.loads(row["tree"])
    assert not tree["error"], tree
    return tree


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_it_says_its_question_answers_it_and_names_tables_in_full(path: Path, shipped: Ledger) -> None:
    text = path.read_text("utf-8")
    question, advice, *_ = text.splitlines()
    assert re.fullmatch(r"-- [A-Z].*\?", question), question
    assert re.fullmatch(r"-- Look at .*\.", advice), advice
    assert re.search(r"^order by\b", text, re.MULTILINE), "the last step has no `order by`"
    assert bare_tables(parse(shipped, text)) == set()
    rows = shipped.sql(text)
    assert rows, "no rows"
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in rows[0]), [*rows[0]]


# One vendor with one page each prints no second release, so a query may have no answer there.
@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_it_runs_on_the_originals(path: Path, from_originals: Ledger) -> None:
    from_originals.sql(path.read_text("utf-8"))


def test_a_bare_table_would_be_seen(shipped: Ledger) -> None:
    tree = parse(shipped, "with steps as (select * from current_results) select * from steps, main.result_history")
    assert bare_tables(tree) == {"current_results"}


# What the questions must not get wrong; the numbers stand in the shipped documents.


def answer(ledger: Ledger, name: str) -> list[dict[str, Any]]:
    return ledger.sql((PROJECT / "warehouse" / "queries" / f"{name}.sql").read_text("utf-8"))


def test_scaling_starts_at_one_and_falls(both: Ledger) -> None:
    classic = [
        (row["accelerator_count"], row["throughput_items_per_second"], row["efficiency"])
        for row in answer(both, "scaling_of_resnet50_training")
        if row["generation"] == "IPU-POD"
    ]
    assert classic == [(16, 30690, 1.0), (64, 108566, 0.884), (128, 205006, 0.835), (256, 365040, 0.743)]


def test_batches_in_flight_are_throughput_times_latency(both: Ledger) -> None:
    rows = answer(both, "batch_curve_of_efficientnet_inference")
    [row] = [row for row in rows if row["throughput_items_per_second"] == 86986]
    assert (row["batch_size"], row["latency_ms"], row["batches_in_flight"]) == (128, 6.77, 4.6)


def test_generations_are_compared_at_one_image_size(both: Ledger) -> None:
    rows = [row for row in answer(both, "gain_of_bow_over_classic") if row["model"] == "YOLOv4"]
    assert len({(row["image_size"], row["configuration"]) for row in rows}) == len(rows)


def test_the_first_epoch_of_an_ipu_is_nearly_all_of_its_run(both: Ledger) -> None:
    rows = answer(both, "first_epoch_of_training_runs")
    [row] = [row for row in rows if (row["accelerator"], row["accelerator_count"]) == ("IPU", 16)]
    assert (row["first_epoch_time_s"], row["settled_epoch_time_s"], row["first_epoch_share"]) == (504, 5, 0.973)


def test_what_was_refused_is_counted_by_document(ledger: Ledger, page: PageMaker) -> None:
    rows = [{"Throughput (items/sec)": value} for value in ("38,036", "4 (see note)")]
    ledger.add(page(rows), "acme/results", "2023-01-01")
    ledger.add("Nothing of any kind.\n", "acme/note", "2023-01-01", name="note.txt")
    assert ledger.build().success
    assert [tuple(row.values()) for row in answer(ledger, "how_much_was_read")] == [
        ("acme/note/2023-01-01/note.txt", None, "detect", 0, 0, 1),
        ("acme/results/2023-01-01/page.txt", None, "results_page", 10, 10, 1),
    ]


def test_evidence_is_what_the_document_prints(shipped: Ledger) -> None:
    for row in answer(shipped, "where_a_number_comes_from"):
        line = open_file(PROJECT / "raw" / row["path"], "0" * 64).line(row["line"]).text
        assert line[row["char_start"] : row["char_end"]] == row["text_printed"]
