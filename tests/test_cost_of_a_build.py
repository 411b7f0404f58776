"""What a build leaves alone: nothing is made or opened again without a reason."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.assets import sql
from pipelines.cli import app
from pipelines.extract.reading import StoredDocument
from pipelines.schemas.tables import Table
from pipelines.validate.evidence import check
from pipelines.warehouse import Tables

ROW = {"Throughput (items/sec)": "38,036"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that SQL makes, in their order."""
    names: list[str] = []

    def run(query: str, table: Table, tables: Tables, real: Any = sql.run_table_sql) -> Any:
        names.append(table.full_name)
        return real(query, table, tables)

    monkeypatch.setattr(sql, "run_table_sql", run)
    return names


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents that the check of the evidence opens."""
    paths: list[str] = []

    def open_document(stored: StoredDocument, real: Any = check.open_document) -> Any:
        paths.append(stored.path.name)
        return real(stored)

    monkeypatch.setattr(check, "open_document", open_document)
    return paths


def test_nothing_is_made_or_opened_twice(ledger: Ledger, page: PageMaker, made: list[str], opened: list[str]) -> None:
    ledger.add(page([ROW]), "acme/results", "2023-01-01", name="a.txt")
    assert ledger.build().success
    assert "resolved.results" in made
    assert opened == ["a.txt"]
    made.clear()
    assert ledger.build().success
    assert (made, opened) == ([], ["a.txt"])
    ledger.add(page([ROW | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    assert ledger.build().success
    assert {"resolved.results", "main.current_results"} <= {*made}
    # The new page is no log: what is made of logs alone stands.
    assert "resolved.training_epochs" not in made
    assert opened == ["a.txt", "b.txt"]
    assert len(ledger.sql("select * from main.current_results")) == 2
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    assert CliRunner().invoke(app, ["build", "--again", *folders]).exit_code == 0
    assert sorted(opened) == ["a.txt", "a.txt", "b.txt", "b.txt"]


def test_a_table_that_somebody_changed_is_made_again(with_a_page: Ledger, made: list[str]) -> None:
    tables = Tables(with_a_page.warehouse)
    path = tables.path("main.sdk_progress")
    path.write_bytes(tables.path("main.current_results").read_bytes())
    assert with_a_page.build().success
    assert made == ["main.sdk_progress"]
    path.unlink()
    assert with_a_page.build().success
    assert made == ["main.sdk_progress"] * 2


def test_a_document_is_opened_again_when_what_is_said_of_it_changes(
    with_a_page: Ledger, page: PageMaker, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = with_a_page
    ledger.add(page([ROW | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    assert ledger.build().success
    opened.clear()

    def run(query: str, table: Table, tables: Tables, real: Any = sql.run_table_sql) -> Any:
        rows = real(query, table, tables)
        if table.full_name != "resolved.results":
            return rows
        names = ("value", "value_low", "value_high")
        more = [{name: row[name] + (row["model"] == "ViT") for name in names} for row in rows.to_pylist()]
        changed = [row | values for row, values in zip(rows.to_pylist(), more, strict=True)]
        return type(rows).from_pylist(changed, schema=rows.schema)

    monkeypatch.setattr(sql, "run_table_sql", run)
    Tables(ledger.warehouse).path("resolved.results").unlink()
    assert not ledger.build().success
    assert opened == ["b.txt"]
    monkeypatch.undo()
    # What the check has found wrong is made again, though its inputs are what they were.
    assert ledger.build().success
