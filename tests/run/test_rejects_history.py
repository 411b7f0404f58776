"""Rejects over several builds: since when they are open, when and why they closed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import OF_PAGES, Ledger, PageMaker, forget_vocabularies
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.run import steps
from pipelines.run.rejects import (
    CLOSED_REJECTS,
    FORMER_REJECTS,
    OPEN_REJECTS,
    REFUSED_NOW,
    record_rejects,
)
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.warehouse.database import Tables

GOOD = {"Throughput (items/sec)": "38,036"}
# A unit that no vocabulary knows: the row is refused until one does.
UNKNOWN = GOOD | {"Model": "ViT", "Throughput (items/sec)": "4,711 zorps/sec"}
FIRST, SECOND, THIRD = (datetime(2026, 1, day) for day in (1, 2, 3))
OPEN = "select reject_id, path, first_seen from audit.rejects order by path"
CLOSED = "select reject_id, path, first_seen, closed_at, closed_because from audit.closed_rejects order by path"


def refused(**more: Any) -> dict[str, Any]:
    row = {
        "document_id": "d1", "path": "a/b/page.txt", "line": 7, "char_start": 0, "char_end": 4,
        "extractor": "results_page", "rule": "row_does_not_fit", "reason": "it does not fit", "scope": "row",
        "row_json": '["ViT", "see note"]',
    }  # fmt: skip
    return row | more


def compared(
    rows: list[dict[str, Any]],
    now: datetime = FIRST,
    before: Sequence[dict[str, Any]] = (),
    documents: str = "d1",
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rejects of a build, those that are open and those that have closed."""
    tables = Tables()
    for name, given in (
        ("raw.documents", [{"document_id": documents}]),
        (FORMER_REJECTS, before),
        (REFUSED_NOW, rows),
    ):
        tables.write(name, pa.Table.from_pylist(given, schema=arrow_schema(TABLES[name])))
    record_rejects(tables, tables.read(REFUSED_NOW), now, by_readers=False)
    found = []
    for name, query in (("audit.rejects", OPEN_REJECTS), ("audit.closed_rejects", CLOSED_REJECTS)):
        tables.make(name, query)
        found.append(tables.read(name).to_pylist())
    tables.close()
    return found[0], found[1]


def test_the_same_reject_has_one_id_in_every_build() -> None:
    [[row], _] = compared([refused()])
    # Saved ids must not change.
    text = '["d1", 7, 0, "results_page", "row_does_not_fit", ["ViT", "see note"]] 1'
    assert row == refused(
        reject_id=hashlib.sha256(text.encode()).hexdigest()[:16], first_seen=FIRST
    )
    [[again], _] = compared([refused(reason="said in other words", path="moved/page.txt")])
    assert again["reject_id"] == row["reject_id"]
    others = [
        refused(**{name: value})
        for name, value in (
            ("line", 8),
            ("rule", "other"),
            ("document_id", "d2"),
            ("row_json", '["ViT"]'),
        )
    ]
    ids = {other["reject_id"] for other in compared([refused(), *others, refused()])[0]}
    assert len(ids) == len(others) + 2
    assert row["reject_id"] in ids


def test_a_new_empty_column_does_not_make_it_another_reject() -> None:
    [[row], _] = compared([refused(row_json='{"value": 1, "bound": null}')])
    [[again], _] = compared([refused(row_json='{"attribute": null, "value": 1}')])
    assert again["reject_id"] == row["reject_id"]


def test_a_reject_is_open_since_it_was_first_seen_also_when_it_comes_back() -> None:
    first, _ = compared([refused()])
    again, closed = compared([refused()], SECOND, first)
    assert ([row["first_seen"] for row in again], closed) == ([FIRST], [])
    _, closed = compared([], SECOND, first)
    assert [(row["first_seen"], row["closed_at"], row["closed_because"]) for row in closed] == [
        (FIRST, SECOND, "no_longer_refused")
    ]
    assert compared([], THIRD, closed, "d2") == ([], closed)
    back, closed = compared([refused()], THIRD, closed)
    assert ([row["first_seen"] for row in back], closed) == ([FIRST], [])
    assert [row["closed_because"] for row in compared([], SECOND, first, "d2")[1]] == [
        "document_removed"
    ]


def test_rejects_close_and_come_back_with_the_vocabulary(
    ledger: Ledger, page: PageMaker, vocabulary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(moment: datetime, step: Callable[[], Any] = ledger.resolve) -> Any:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(moment.replace(tzinfo=UTC).timestamp())))
        outcome = step()
        assert outcome.success, outcome.faults
        return outcome

    headings = ("Model", "Platform", "SDK Version", "Throughput")
    rows = [GOOD | {"Throughput": "38,036 items/sec"}, UNKNOWN | {"Throughput": "4,711 zorps/sec"}]
    ledger.map("acme/results", OF_PAGES.replace("Throughput (items/sec)", "Throughput"))
    ledger.add(page(rows, headings=headings), "acme/results", "2023-01-01", name="a.txt")
    gone = ledger.add(
        "Nothing of interest.\n", "acme/other", "2023-01-01", name="b.txt", format="training_log"
    )
    build(FIRST)
    opened = ledger.sql(OPEN)
    assert [(row["path"][-5:], row["first_seen"]) for row in opened] == [
        ("b.txt", FIRST),
        ("a.txt", FIRST),
    ]

    # The second document leaves the store, and all that is kept between builds is thrown away but
    # the published file.
    shutil.rmtree(gone.parent)
    shutil.rmtree(ledger.warehouse / "cache")
    build(SECOND)
    assert ledger.sql(OPEN) == opened[1:]
    [closed] = ledger.sql(CLOSED)
    assert closed == opened[0] | {"closed_at": SECOND, "closed_because": "document_removed"}

    units = vocabulary / "units.yml"
    with units.open("a", encoding="utf-8") as file:
        file.write("- {name: zorps/s, unit: items/s, scale: 1, printed: [zorps/sec]}\n")
    forget_vocabularies()
    assert build(THIRD, ledger.build).documents_read == 1
    assert ledger.sql(OPEN) == []
    mended = opened[1] | {"closed_at": THIRD, "closed_because": "no_longer_refused"}
    assert ledger.sql(CLOSED) == [closed, mended]
    assert [
        row["value"] for row in ledger.sql("select value from main.current_results order by 1")
    ] == [4711, 38036]

    command = ["rejects", "--closed", "--format", "json", "--warehouse", str(ledger.warehouse)]
    listed = json.loads(CliRunner().invoke(app, command).stdout)
    assert {row["closed_because"] for row in listed} == {"document_removed", "no_longer_refused"}


def test_a_row_that_a_table_across_documents_refuses_stays_open(
    ledger: Ledger, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, queries = "main.current_results", steps.table_queries()
    wrong = "case when model = 'ViT' then -1.0::double end as value_per_accelerator"
    query = f"select * replace ({wrong}) from ({queries[name]})"
    monkeypatch.setattr(steps, "table_queries", lambda: queries | {name: query})
    # Another source gives the second build something new to read.
    for source, model in (("results", "ViT"), ("other", "BERT")):
        ledger.add(page([GOOD, GOOD | {"Model": model}]), f"acme/{source}", "2023-01-01")
        assert ledger.build().success
        assert [row["path"] for row in ledger.sql(OPEN)] == ["acme/results/2023-01-01/page.txt"]
        assert ledger.sql(CLOSED) == []


def test_a_warehouse_of_an_older_version_has_no_history(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(
        page([GOOD, GOOD | {"Throughput (items/sec)": "4 (see note)"}]),
        "acme/results",
        "2023-01-01",
    )
    ledger.warehouse.mkdir()
    ledger.change("create schema audit; create table audit.rejects as select 'd1' as document_id")
    ledger.change(
        "create schema raw; create table raw.documents (path text); create table current_results (value real)"
    )
    assert ledger.resolve().success
    assert [row["reject_id"] is not None for row in ledger.sql(OPEN)] == [True]
    assert ledger.sql(CLOSED) == []
