"""Dagster's record of runs: two first starts at once, a broken record, runs that were abandoned,
old runs.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from conftest import Ledger
from sqlalchemy.exc import OperationalError

from benchledger.job import run_build
from pipelines.assets import instance as record
from pipelines.assets.instance import InstanceError, forget_old_runs, open_instance

_PROCESSES = 4
_PATIENCE_S = 60


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record that nothing was written to yet."""
    folder = tmp_path / "state"
    monkeypatch.setenv("BENCHLEDGER_STATE", str(folder))
    return folder


def _open_at_once(
    start: multiprocessing.synchronize.Barrier, said: multiprocessing.Queue[str]
) -> None:
    start.wait()
    try:
        with open_instance() as instance:
            instance.get_run_records()
            said.put("")
    except Exception as error:
        said.put(repr(error))


# Forked, as loading Dagster in each process would spread the starts over seconds.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_first_starts_at_once_break_nothing(state: Path) -> None:
    context = multiprocessing.get_context("fork")
    start, said = context.Barrier(_PROCESSES), context.Queue()
    processes = [
        context.Process(target=_open_at_once, args=(start, said)) for _ in range(_PROCESSES)
    ]
    for process in processes:
        process.start()
    assert [said.get(timeout=_PATIENCE_S) for _ in processes] == [""] * _PROCESSES
    for process in processes:
        process.join()
    with open_instance() as instance:
        assert instance.get_run_records() == []


def test_a_file_of_events_has_one_engine(state: Path) -> None:
    with open_instance() as instance:
        storage: Any = instance.event_log_storage
        for connect in (storage.index_connection, lambda: storage.run_connection("a run")):
            with connect() as first:
                engine = first.engine
            with connect() as second:
                assert second.engine is engine
        assert instance.get_asset_keys() == []


@pytest.mark.parametrize(
    "file", ["history/runs.db", "history/runs/index.db", "schedules/schedules.db"]
)
def test_a_broken_record_is_named_with_what_to_do(state: Path, ledger: Ledger, file: str) -> None:
    with open_instance():
        pass
    with sqlite3.connect(state / file) as connection:
        connection.execute("insert into alembic_version values ('567bc23fd1ac')")
    connection.close()
    with pytest.raises(InstanceError) as caught:
        open_instance()
    assert f"`mv {state} {state}.broken`" in str(caught.value)
    # What the message says helps.
    state.rename(f"{state}.broken")
    with open_instance():
        pass


def test_a_record_with_damaged_characters_is_named_too(state: Path) -> None:
    with open_instance():
        pass
    path = state / "history" / "runs.db"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE runs", b"CREATE T\xffBLE runs"))
    with pytest.raises(InstanceError, match=f"`mv {state} {state}.broken`"):
        open_instance()


def test_a_record_that_is_kept_elsewhere_is_its_owners(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> dg.DagsterInstance:
        raise OperationalError("select 1", {}, Exception("connection refused"))

    monkeypatch.setattr(dg.DagsterInstance, "get", refused)
    with pytest.raises(
        InstanceError, match=r"dagster\.yaml names is broken .*connection refused.*mend it"
    ) as caught:
        open_instance()
    assert "mv " not in str(caught.value)


def test_the_next_build_ends_what_was_abandoned_and_leaves_what_has_ended(
    state: Path, ledger: Ledger
) -> None:
    @dg.job(executor_def=dg.in_process_executor)
    def job() -> None: ...

    with open_instance() as instance:
        done = job.execute_in_process(instance=instance).run_id
        left = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED).run_id
        # What a process leaves that was killed: a lock that nobody holds.
        (state / "running").mkdir()
        for name in (done, left, "of-no-run"):
            (state / "running" / f"{name}.lock").touch()
        # There is no document: the build fails, and has looked all the same.
        run_build(ledger.raw, ledger.warehouse)
        statuses = [run and run.status.value for run in map(instance.get_run_by_id, (done, left))]
        assert statuses == ["SUCCESS", "FAILURE"]
    assert not list((state / "running").iterdir())


def test_the_record_stays_of_one_size(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "RUNS_KEPT", 2)

    @dg.asset
    def made() -> dg.MaterializeResult:  # type: ignore[type-arg]
        return dg.MaterializeResult(metadata={"words": "many " * 2000})

    definitions = dg.Definitions(
        assets=[made], jobs=[dg.define_asset_job("build")], executor=dg.in_process_executor
    )
    sizes = []
    for _ in range(8):
        # As each build does; whoever closes a file last tidies it.
        with open_instance() as instance:
            last = definitions.resolve_job_def("build").execute_in_process(instance=instance)
            forget_old_runs(instance)
        sizes.append(sum(path.stat().st_size for path in state.rglob("*") if path.is_file()))
    assert not [*state.rglob("*.db-wal")]
    with open_instance() as instance:
        kept = [run.dagster_run.run_id for run in instance.get_run_records()]
        assert (len(kept), kept[0]) == (2, last.run_id)
        assert {path.stem for path in (state / "history" / "runs").glob("*.db")} == {"index", *kept}
        latest = instance.get_latest_materialization_event(dg.AssetKey("made"))
        assert latest is not None
        assert latest.run_id == last.run_id
    assert max(sizes[-2:]) <= 1.1 * max(sizes[3:6])
