"""The whole pipeline, from stored documents to the published file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
from conftest import BuildOnce, Ledger, PageMaker

from benchledger.job import run_build
from pipelines.assets.folders import Folders
from pipelines.assets.instance import REPOSITORY
from pipelines.assets.sources import source_key
from pipelines.assets.steps import evidence_holds, step_assets
from pipelines.own_files import work_folder
from pipelines.run import steps
from pipelines.run.locked_folders import LockedFolders
from pipelines.run.working_copy import begin, publish
from pipelines.schemas.tables import PUBLISHED
from pipelines.settings import PROJECT
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import table_queries
from pipelines.warehouse.reader import FILE_NAME, query_published

ROW = {"Throughput (items/sec)": "38,036"}
REFUSED = {"Throughput (items/sec)": "12 or 13"}


OF_PAGE = """(
    select r.*, d.format as format_of_document, d.source from resolved.results as r
    inner join raw.documents as d using (document_id)
    where r.extractor = 'results_page'
)"""
# Rows of the five documents; of some there are more in the other documents that the repository
# ships.
ROW_COUNTS = {
    "raw.documents where split_part(source, '/', 1) in ('graphcore', 'unknown')": 5,
    f"(select distinct row_line from {OF_PAGE} where source = 'graphcore/performance-results')": 248,
    f"{OF_PAGE} where source = 'graphcore/performance-results'": 356,
    f"(select distinct row_line from {OF_PAGE} where format_of_document = 'training_log')": 13,
    f"{OF_PAGE} where format_of_document = 'training_log'": 26,
    "resolved.training_runs where status is null": 13,
    "resolved.training_epochs": 39,
    "resolved.claims where extractor = 'slides'": 15,
    "resolved.claims where extractor = 'claim_prose'": 19,
    "resolved.results where extractor = 'slides'": 3,
    "resolved.results where extractor = 'claim_prose'": 5,
    "resolved.prices as p semi join raw.documents as d on p.document_id = d.document_id and d.publisher <> 'AWS'": 2,
    "resolved.submissions where submission_id like '1.0-%'": 6,
    "audit.rejects": 0,
    "audit.unresolved_names": 0,
}


def test_row_counts_are_those_of_the_five_documents(both: Ledger) -> None:
    counts = [both.sql(f"select count(*) as n from {rows}")[0]["n"] for rows in ROW_COUNTS]
    assert dict(zip(ROW_COUNTS, counts, strict=True)) == ROW_COUNTS


# Few documents in several rounds and in processes of their own, as many documents are.
_BUILT_ELSEWHERE = """
import sys; from pathlib import Path; from pipelines.run import document_tables
sys.path.append("tests"); from makers.plain_build import plain_build
document_tables._PRINTED_ROWS_AT_ONCE = 15_000
document_tables._PARALLEL_FROM, document_tables._BATCH_MIB = 1, int(sys.argv.pop())
print(plain_build(*map(Path, sys.argv[1:])).faults)
"""


# With one MiB each of these processes ends, whatever it is given.
@pytest.mark.parametrize(("built", "workers", "mib"), [("part", "2", 8_192), ("refusing", "1", 1)])
def test_neither_workers_nor_hash_seed_nor_time_zone_nor_times_of_files_matter(
    request: pytest.FixtureRequest, tmp_path: Path, built: str, workers: str, mib: int
) -> None:
    this: Ledger = request.getfixturevalue(built)
    other = Ledger(tmp_path / "other")
    # Written the other way round: the folders of no file system list them in the order of their
    # names.
    for path in sorted(this.raw.rglob("*"), reverse=True):
        if path.is_file():
            copy = other.raw / path.relative_to(this.raw)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    changed = {
        "BENCHLEDGER_WORKERS": workers,
        "PYTHONHASHSEED": "4711",
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
    }
    command = [sys.executable, "-c", _BUILT_ELSEWHERE, str(other.raw), str(other.warehouse)]
    command.append(str(mib))
    done = subprocess.run(
        command, cwd=PROJECT, env=os.environ | changed, capture_output=True, text=True
    )
    assert done.stdout == "[]\n", done.stderr
    assert other.digests() == this.digests()
    # Rows of documents are written in rounds, and each round in the order of its query.
    for table in (table for table in PUBLISHED if table.full_name != "resolved.result_conditions"):
        query = f"from {table.full_name}"
        assert query_published(other.warehouse, query).equals(
            query_published(this.warehouse, query)
        ), table.full_name


@pytest.fixture
def refusing(once: BuildOnce, page: PageMaker, tmp_path: Path) -> Ledger:
    """A ledger of two releases, of which one has a row that is refused."""

    def build(ledger: Ledger) -> Any:
        ledger.add(page([ROW, ROW | REFUSED]), "acme/results", "2023-01-01")
        ledger.add(page([ROW | {"SDK Version": "SDK 3.3"}]), "acme/results", "2023-02-01")
        return ledger.build()

    return once("refusing", build).copy_to(tmp_path / "refusing")


def test_a_build_broken_off_at_any_table_is_made_good(
    refusing: Ledger, with_a_page: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, expected = with_a_page, refusing.digests()
    older = ledger.digests()
    shutil.rmtree(ledger.raw)
    shutil.copytree(refusing.raw, ledger.raw)
    real = {
        name: getattr(Tables, name)
        for name in ("write", "make", "add", "remove_documents", "close")
    }
    number = count()
    last = 0

    def breaks(name: str) -> Any:
        def call(tables: Tables, *given: Any, **more: Any) -> Any:
            if tables.path and next(number) == last:
                raise RuntimeError("broken off")
            return real[name](tables, *given, **more)

        return call

    # Each build breaks off at a later moment than the one before, until one comes to its end.
    while True:
        with monkeypatch.context() as patched:
            for name in real:
                patched.setattr(Tables, name, breaks(name))
            number = count()
            if ledger.build().success:
                break
        assert not list(ledger.warehouse.rglob("*.partial*"))
        assert ledger.digests() == older
        last += 29
    assert last > 50
    assert ledger.digests() == expected


def materialize(ledger: Ledger, *names: str) -> dg.ExecuteInProcessResult:
    """What the Dagster UI does when somebody chooses tables alone."""
    selection = dg.AssetSelection.assets(*(dg.AssetKey(name.split(".")) for name in names))
    definitions = dg.Definitions(
        assets=step_assets(),
        asset_checks=[evidence_holds],
        jobs=[dg.define_asset_job("alone", selection=selection)],
        resources={"folders": Folders(raw=str(ledger.raw), warehouse=str(ledger.warehouse))},
        executor=dg.in_process_executor,
    )
    return definitions.resolve_job_def("alone").execute_in_process(raise_on_error=False)


def test_a_check_after_the_last_step_reads_the_published_file(with_a_page: Ledger) -> None:
    @dg.asset_check(asset=dg.AssetKey("warehouse"))
    def is_there(folders: Folders) -> dg.AssetCheckResult:
        rows = folders.tables.row_count("main.current_results")
        return dg.AssetCheckResult(passed=folders.working is None and rows == 1)

    folders = Folders(raw=str(with_a_page.raw), warehouse=str(with_a_page.warehouse))
    definitions = dg.Definitions(
        assets=step_assets(),
        asset_checks=[is_there],
        jobs=[dg.define_asset_job("all")],
        resources={"folders": folders},
        executor=dg.in_process_executor,
    )
    result = definitions.resolve_job_def("all").execute_in_process(raise_on_error=False)
    assert result.success
    [check] = [one for one in result.get_asset_check_evaluations() if one.check_name == "is_there"]
    assert check.passed


@pytest.mark.parametrize(
    "names",
    [
        ("main.sdk_progress", "audit.rejects", "audit.closed_rejects"),
        ("resolved.results", "main.current_results"),
    ],
)
def test_tables_made_alone_are_published_and_say_the_same(
    refusing: Ledger, names: tuple[str, ...]
) -> None:
    ledger = refusing
    expected = ledger.digests()
    note = ledger.warehouse / "cache" / "published.json"
    known = json.loads(note.read_text())
    # What somebody has broken by hand is mended by making it again: a run makes all that is new,
    # whichever tables were chosen.
    for name in names:
        ledger.change(f"delete from {name}")
    result = materialize(ledger, *names)
    assert result.success
    assert ledger.digests() == expected
    assert json.loads(note.read_text())["digest"] == known["digest"]
    assert not list(ledger.warehouse.rglob("*.partial*"))
    assert ledger.build().success
    assert (ledger.digests(), json.loads(note.read_text())["digest"]) == (expected, known["digest"])
    if not names[0].startswith("resolved"):
        before = (ledger.warehouse / FILE_NAME).stat()
        assert materialize(ledger, *names).success
        after = (ledger.warehouse / FILE_NAME).stat()
        # It says the same: nothing is put in its place.
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert json.loads(note.read_text())["digest"] == known["digest"]


def test_a_table_alone_that_contradicts_the_others_is_not_published(
    with_a_page: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (with_a_page.warehouse / FILE_NAME).read_bytes()
    without_rows = {
        name: f"select * from ({query}) limit 0" for name, query in table_queries().items()
    }
    monkeypatch.setattr(steps, "table_queries", lambda: without_rows)
    result = materialize(with_a_page, "main.result_history")
    assert not result.success
    assert (with_a_page.warehouse / FILE_NAME).read_bytes() == before


def test_documents_taken_up_alone_are_read_by_the_next_build(
    with_a_page: Ledger, page: PageMaker
) -> None:
    ledger = with_a_page
    ledger.add(page([ROW | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    materialize(ledger, "raw.documents")
    assert ledger.build().success
    assert len(ledger.sql("from main.current_results")) == 2


def test_a_reader_never_waits_and_never_sees_a_mixture(
    with_a_page: Ledger, page: PageMaker
) -> None:
    ledger = with_a_page
    reader = duckdb.connect(str(ledger.warehouse / FILE_NAME), read_only=True)
    ledger.add(page([ROW | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    assert ledger.build().success
    assert reader.sql("select count(*) from main.current_results").fetchall() == [(1,)]
    reader.close()
    assert ledger.sql("select count(*) as n from main.current_results") == [{"n": 2}]


def test_a_failed_check_keeps_the_last_good_file(with_a_page: Ledger, tmp_path: Path) -> None:
    ledger = with_a_page
    before = (ledger.warehouse / FILE_NAME).read_bytes()
    (tmp_path / "never.sql").write_text("-- Always finds something.\nselect 1 as found")
    from pipelines.warehouse.reader import WarehouseError

    with work_folder(ledger.warehouse / FILE_NAME) as work:
        working = begin(LockedFolders(ledger.raw, ledger.warehouse, work))
        working.write("audit.conflicts", working.tables.read("audit.conflicts"))
        with pytest.raises(WarehouseError, match="check never found"):
            publish(working, checks=tmp_path)
        working.tables.discard()
    assert (ledger.warehouse / FILE_NAME).read_bytes() == before
    assert not list(ledger.warehouse.glob(".*partial*"))


def test_builds_are_recorded_where_the_ui_looks(ledger: Ledger, page: PageMaker) -> None:
    # The record is that of all tests: a source that no other one has.
    ledger.add(page([ROW]), "acme/recorded", "2023-01-01")
    with dg.DagsterInstance.get() as instance:
        outcome = run_build(ledger.raw, ledger.warehouse)
        run = instance.get_run_by_id(outcome.run_id)
        assert run is not None
        assert run.job_name == "build"
        # With it the UI shows the run with its job.
        assert run.tags[".dagster/repository"] == REPOSITORY
        assert run.is_success
        event = instance.get_latest_materialization_event(dg.AssetKey(["main", "current_results"]))
        assert event is not None
        assert event.run_id == outcome.run_id
        assert event.asset_materialization is not None
        metadata = event.asset_materialization.metadata
        assert metadata["dagster/row_count"].value == 1
        assert isinstance(metadata["seconds"].value, float)
        # What was fetched before, or came with the ledger, is never "never materialized".
        source = instance.get_latest_materialization_event(source_key("acme/recorded"))
        assert source is not None
        assert source.run_id == outcome.run_id
