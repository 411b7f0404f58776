"""The daemon's own ticks, for real: a page changes, the schedule fires, runs start, the new row is in DuckDB."""

from __future__ import annotations

import logging
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from conftest import Ledger, PageMaker
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.test_utils import create_test_daemon_workspace_context, freeze_time
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.run_coordinator import QueuedRunCoordinatorDaemon
from dagster._daemon.sensor import execute_sensor_iteration
from dagster._scheduler.scheduler import launch_scheduled_runs
from filelock import FileLock
from loopback import serve, text

from pipelines.assets.folders import LOCK_FILE
from pipelines.assets.schedule import build_sensor
from pipelines.ingest.fetch_log import FETCH_LOG, append_attempt, read_attempts
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import Limits
from pipelines.ingest.registry import read_source
from pipelines.settings import PROJECT

LOG = logging.getLogger("ticks")
_PATIENCE_S = 120


@pytest.fixture
def environment(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """What the code location and its runs see: this store, this warehouse, an instance of their own."""
    state = tmp_path / "state"
    state.mkdir()
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    monkeypatch.setenv("BENCHLEDGER_STATE", str(state))
    return ledger


def launch_queued(workspace: WorkspaceProcessContext) -> None:
    for _ in QueuedRunCoordinatorDaemon(interval_seconds=1).run_iteration(workspace):
        pass


def finish_runs(workspace: WorkspaceProcessContext, job: str, count: int) -> list[dg.DagsterRun]:
    """Let queued runs start and wait until so many runs of a job have ended."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        launch_queued(workspace)
        runs = list(workspace.instance.get_runs(dg.RunsFilter(job_name=job)))
        if len(runs) == count and all(run.status in FINISHED_STATUSES for run in runs):
            return runs
        time.sleep(0.3)
    raise AssertionError(f"{job}: {[(run.status, run.tags) for run in runs]}")


def tick_schedules(workspace: WorkspaceProcessContext, at: datetime, seen: dict[str, object]) -> None:
    for _ in launch_scheduled_runs(workspace, LOG, at, seen):  # type: ignore[arg-type]
        pass


def tick_sensors(workspace: WorkspaceProcessContext, at: datetime) -> None:
    with freeze_time(at):
        for _ in execute_sensor_iteration(workspace, LOG, None, None):
            pass


def settle(raw: Path, hours: float = 0) -> None:
    """Let so much time pass for the store: files were written earlier, attempts made earlier."""
    for log in raw.glob(f"*/*/{FETCH_LOG}"):
        attempts = list(read_attempts(log.parent))
        log.unlink()
        for attempt in attempts:
            earlier = attempt.attempted_at - timedelta(hours=hours)
            append_attempt(log.parent, attempt.model_copy(update={"attempted_at": earlier}))
    for path in raw.rglob("*"):
        # Once: another time of a file is a change.
        if path.is_file() and path.stat().st_mtime > time.time() - 60:
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 60))


def register(raw: Path, name: str, url: str) -> None:
    (raw / name).mkdir(parents=True)
    fields = {"publisher": "Acme", "url": url, "cadence": "hourly", "allow_hosts": ["127.0.0.1"]}
    (raw / name / "source.yml").write_text(yaml.safe_dump(fields))


# Dagster warns about its own parts here; what this project does is checked by the outcome.
@pytest.mark.filterwarnings("ignore")
def test_a_changed_page_reaches_the_warehouse_without_anybody_doing_anything(
    environment: Ledger, page: PageMaker
) -> None:
    ledger, now = environment, datetime.now(UTC)
    target = ModuleTarget("pipelines.definitions", None, str(PROJECT), None)
    with serve() as server, dg.DagsterInstance.get() as instance:
        register(ledger.raw, "acme/results", server.url + "/results")
        register(ledger.raw, "acme/broken", server.url + "/nothing")
        server.replies["/results"] = text(page([{"SDK Version": "SDK 3.1", "Throughput (items/sec)": "38,036"}]))
        seen: dict[str, object] = {}
        with create_test_daemon_workspace_context(target, instance) as workspace:
            tick_schedules(workspace, now, seen)
            tick_schedules(workspace, now + timedelta(minutes=10), seen)
            [fetched] = finish_runs(workspace, "fetch", 1)
            assert fetched.is_success, "one source that fails does not fail the round"
            settle(ledger.raw)
            tick_sensors(workspace, now + timedelta(minutes=11))
            [built] = finish_runs(workspace, "build", 1)
            assert built.is_success
            assert [row["value"] for row in ledger.sql("select value from main.current_results")] == [38036]
            assert ledger.sql("select source, outcome from raw.fetches order by source") == [
                {"source": "acme/broken", "outcome": "gone"},
                {"source": "acme/results", "outcome": "changed"},
            ]

            server.replies["/results"] = text(page([{"SDK Version": "SDK 3.2", "Throughput (items/sec)": "40,112"}]))
            settle(ledger.raw, hours=2)
            tick_schedules(workspace, now + timedelta(minutes=20), seen)
            finish_runs(workspace, "fetch", 2)
            settle(ledger.raw)
            tick_sensors(workspace, now + timedelta(minutes=21))
            assert all(run.is_success for run in finish_runs(workspace, "build", 2))
            [row] = ledger.sql("select value, sdk_version from main.current_results")
            assert (row["value"], row["sdk_version"]) == (40112, "3.2")
            assert len(ledger.sql("select outcome from raw.fetches where source = 'acme/results'")) == 2
            seen_event = instance.get_latest_materialization_event(dg.AssetKey(["sources", "acme", "results"]))
            assert seen_event is not None

            # A look that finds the page as it was builds nothing, and is in the ledger with the next build.
            fetch_sources([read_source(ledger.raw, "acme/results")], ledger.raw, Limits(pause_s=0))
            settle(ledger.raw)
            tick_sensors(workspace, now + timedelta(minutes=31))
            assert len(instance.get_runs(dg.RunsFilter(job_name="build"))) == 2

            # A file dropped in by hand is as good as a fetched one.
            folder = ledger.raw / "acme" / "by-hand" / "2026-01-31"
            folder.mkdir(parents=True)
            (folder / "page.txt").write_text(page([{"Model": "ViT", "Throughput (items/sec)": "7,608"}]))
            settle(ledger.raw)
            tick_sensors(workspace, now + timedelta(minutes=41))
            assert len(instance.get_runs(dg.RunsFilter(job_name="build"))) == 3
            # Two builds were run by the daemon; what the third one gives does not depend on who runs it.
            assert ledger.build().success
            assert len(ledger.sql("select value from main.current_results")) == 2
            outcomes = ledger.sql("select outcome from raw.fetches where source = 'acme/results' order by attempted_at")
            assert [row["outcome"] for row in outcomes] == ["changed", "changed", "unchanged"]
            tick_sensors(workspace, now + timedelta(minutes=51))
            assert len(instance.get_runs(dg.RunsFilter(job_name="build"))) == 3, "nothing changed, nothing built"


@pytest.mark.parametrize(("written_s_ago", "runs"), [(60, 1), (1, 0), (-10 * 365 * 24 * 3600, 1)])
def test_a_build_waits_for_what_is_being_written_and_for_no_wrong_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written_s_ago: float, runs: int
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(tmp_path))
    file = tmp_path / "page.txt"
    file.write_text("page")
    os.utime(file, (0, time.time() - written_s_ago))
    context = dg.build_sensor_context()
    ticks = list(build_sensor("build")(context))  # type: ignore[call-overload]
    assert [type(tick) for tick in ticks].count(dg.RunRequest) == runs
    again = list(build_sensor("build")(dg.build_sensor_context(cursor=context.cursor)))  # type: ignore[call-overload]
    assert not any(isinstance(tick, dg.RunRequest) for tick in again)


def test_what_changes_during_a_build_is_built_when_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(tmp_path / "raw"))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(tmp_path / "warehouse"))
    (tmp_path / "raw").mkdir()
    (tmp_path / "warehouse").mkdir()
    context = dg.build_sensor_context(cursor="before")
    with FileLock(tmp_path / "warehouse" / LOCK_FILE):
        [tick] = build_sensor("build")(context)  # type: ignore[call-overload]
    assert (type(tick), context.cursor) == (dg.SkipReason, "before")
    [tick] = build_sensor("build")(context)  # type: ignore[call-overload]
    assert isinstance(tick, dg.RunRequest)
