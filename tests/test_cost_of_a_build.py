"""What a build leaves alone: events go through one connection, and nothing is made or opened again without a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from conftest import Ledger, PageMaker
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from typer.testing import CliRunner

from pipelines import run_history
from pipelines.assets import sql
from pipelines.build import run_build
from pipelines.cli import app
from pipelines.extract.reading import StoredDocument
from pipelines.run_history import OpenEventLog
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


def test_the_events_of_a_build_go_through_one_connection(
    tmp_path: Path, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    files: list[str] = []

    def open_file(log: OpenEventLog, shard: str, real: Any = OpenEventLog._open) -> Any:
        files.append(shard)
        return real(log, shard)

    monkeypatch.setattr(OpenEventLog, "_open", open_file)
    ledger = Ledger(tmp_path)
    ledger.add(page([ROW]), "acme/results", "2023-01-01")
    outcome = run_build(ledger.raw, ledger.warehouse)
    assert outcome.success
    assert sorted(files) == sorted(["index", outcome.run_id])
    # Dagster's own storage reads what was written, in the same folder.
    plain = DagsterSqliteStorage(str(tmp_path / "state"))
    with dg.DagsterInstance.get() as instance:
        plain.register_instance(instance)
        events = plain.event_log_storage.get_logs_for_run(outcome.run_id)
        assert events[-1].dagster_event_type == dg.DagsterEventType.RUN_SUCCESS
        assert instance.get_asset_keys()


def test_runs_can_be_wiped_and_recorded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(run_history, "_FILES_OPEN", 2)

    @dg.op
    def nothing() -> None: ...

    @dg.job(executor_def=dg.in_process_executor)
    def job() -> None:
        nothing()

    with dg.DagsterInstance.get() as instance:
        runs = [job.execute_in_process(instance=instance).run_id for _ in range(3)]
        # More runs than files that are held open.
        assert all(instance.all_logs(run) for run in runs)
        instance.wipe()
        assert not instance.get_runs()
        again = job.execute_in_process(instance=instance)
        assert instance.all_logs(again.run_id)
