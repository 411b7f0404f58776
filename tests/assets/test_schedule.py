"""What Dagster does by itself, tick by tick: a page changes, the schedule fetches, the sensor
builds, the row is there.

That the daemon itself does it is tested with the UI.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from conftest import Ledger, PageMaker
from filelock import FileLock
from loopback import serve, text

from pipelines.assets.instance import open_instance
from pipelines.assets.schedule import (
    QUIET,
    DocumentFolder,
    build_when_raw_changes,
    fetch_job,
    fetch_what_is_due,
    terminal_logger,
)
from pipelines.assets.sources import source_key
from pipelines.ingest.fetch_log import FETCH_LOG, append_attempt, read_attempts
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.registry import read_source
from pipelines.run.locked_folders import LOCK_FILE

Tick = dg.RunRequest | dg.SkipReason


@pytest.fixture
def recorded() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as recorded:
        yield recorded


def tick_schedule(at: datetime) -> Tick:
    with (
        dg.DagsterInstance.get() as instance,
        dg.build_schedule_context(instance, scheduled_execution_time=at) as context,
    ):
        ticked = fetch_what_is_due(context)
    assert isinstance(ticked, Tick)
    return ticked


def fetch(raw: Path, recorded: dg.DagsterInstance) -> None:
    store = DocumentFolder(raw=str(raw), pause_s=0)
    fetch_job.execute_in_process(
        instance=recorded, resources={"store": store}, raise_on_error=False
    )


def tick_sensor(recorded: dg.DagsterInstance, cursor: str | None = None) -> tuple[Tick, str | None]:
    """What the sensor asks for, and its cursor after that."""
    context = dg.build_sensor_context(instance=recorded, cursor=cursor)
    ticked = build_when_raw_changes(context)
    assert isinstance(ticked, Tick)
    return ticked, context.cursor


def settle(raw: Path, hours: float = 0) -> None:
    """Let so much time pass for the store: files were written earlier, attempts made earlier."""
    for log in raw.glob(f"*/*/{FETCH_LOG}"):
        attempts = read_attempts(log.parent)
        log.unlink()
        for attempt in attempts:
            earlier = {"attempted_at": attempt.attempted_at - timedelta(hours=hours)}
            append_attempt(log.parent, attempt.model_copy(update=earlier))
    for path in raw.rglob("*"):
        # Once: another time of a file is a change.
        if path.is_file() and path.stat().st_mtime > time.time() - 60:
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 60))


def register(raw: Path, name: str, url: str) -> None:
    (raw / name).mkdir(parents=True)
    fields = {"publisher": "Acme", "url": url, "cadence": "hourly", "allow_hosts": ["127.0.0.1"]}
    (raw / name / "source.yml").write_text(yaml.safe_dump(fields))


def test_a_changed_page_reaches_the_warehouse_without_anybody_doing_anything(
    environment: Ledger, page: PageMaker, recorded: dg.DagsterInstance
) -> None:
    ledger, now = environment, datetime.now(UTC)
    with serve() as server:
        register(ledger.raw, "acme/results", server.url + "/results")
        ledger.map("acme/results")
        register(ledger.raw, "acme/broken", server.url + "/nothing")
        server.replies["/results"] = text(
            page([{"SDK Version": "SDK 3.1", "Throughput (items/sec)": "38,036"}])
        )
        ticked = tick_schedule(now)
        assert isinstance(ticked, dg.RunRequest)
        assert ticked.tags["benchledger/due"] == "acme/broken, acme/results"
        fetch(ledger.raw, recorded)
        settle(ledger.raw)
        ticked, cursor = tick_sensor(recorded)
        assert isinstance(ticked, dg.RunRequest)
        assert ledger.resolve().success
        assert [row["value"] for row in ledger.sql("select value from main.current_results")] == [
            38036
        ]
        assert ledger.sql("select source, outcome from raw.fetches order by source") == [
            {"source": "acme/broken", "outcome": "gone"},
            {"source": "acme/results", "outcome": "changed"},
        ]
        assert isinstance(tick_schedule(datetime.now(UTC)), dg.SkipReason), "nothing is due so soon"

        server.replies["/results"] = text(
            page([{"SDK Version": "SDK 3.2", "Throughput (items/sec)": "40,112"}])
        )
        settle(ledger.raw, hours=2)
        assert isinstance(tick_schedule(datetime.now(UTC)), dg.RunRequest)
        fetch(ledger.raw, recorded)
        settle(ledger.raw)
        ticked, cursor = tick_sensor(recorded, cursor)
        assert isinstance(ticked, dg.RunRequest)
        assert ledger.build().success
        [row] = ledger.sql("select value, sdk_version from main.current_results")
        assert (row["value"], row["sdk_version"]) == (40112, "3.2")
        assert len(ledger.sql("select outcome from raw.fetches where source = 'acme/results'")) == 2
        assert recorded.get_latest_materialization_event(source_key("acme/results")) is not None

        # A look that finds the page as it was builds nothing, and is in the ledger with the next
        # build.
        fetch_sources(
            [read_source(ledger.raw, "acme/results")], ledger.raw, RequestLimits(pause_s=0)
        )
        settle(ledger.raw)
        ticked, cursor = tick_sensor(recorded, cursor)
        assert isinstance(ticked, dg.SkipReason)

        # A file dropped in by hand is as good as a fetched one.
        folder = ledger.raw / "acme" / "by-hand" / "2026-01-31"
        folder.mkdir(parents=True)
        ledger.map("acme/by-hand")
        (folder / "page.txt").write_text(
            page([{"Model": "ViT", "Throughput (items/sec)": "7,608"}])
        )
        settle(ledger.raw)
        ticked, cursor = tick_sensor(recorded, cursor)
        assert isinstance(ticked, dg.RunRequest)
        ticked, cursor = tick_sensor(recorded, cursor)
        assert isinstance(ticked, dg.SkipReason), "nothing changed, nothing built"


@pytest.mark.parametrize(
    ("written_s_ago", "asked"), [(60, True), (1, False), (-10 * 365 * 24 * 3600, True)]
)
def test_a_build_waits_for_what_is_being_written_and_for_no_wrong_time(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    recorded: dg.DagsterInstance,
    written_s_ago: float,
    asked: bool,
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(tmp_path))
    file = tmp_path / "page.txt"
    file.write_text("page")
    os.utime(file, (0, time.time() - written_s_ago))
    ticked, cursor = tick_sensor(recorded)
    assert isinstance(ticked, dg.RunRequest) is asked
    again, _ = tick_sensor(recorded, cursor)
    assert isinstance(again, dg.SkipReason)


def test_what_changes_during_a_build_is_built_when_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: dg.DagsterInstance
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(tmp_path / "raw"))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(tmp_path / "warehouse"))
    (tmp_path / "raw").mkdir()
    (tmp_path / "warehouse").mkdir()
    with FileLock(tmp_path / "warehouse" / LOCK_FILE):
        ticked, cursor = tick_sensor(recorded, "before")
    assert (type(ticked), cursor) == (dg.SkipReason, "before")
    ticked, _ = tick_sensor(recorded, "before")
    assert isinstance(ticked, dg.RunRequest)


def test_what_a_command_has_built_is_not_built_again(
    with_a_page: Ledger, recorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(with_a_page.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(with_a_page.warehouse))
    settle(with_a_page.raw)
    with_a_page.build()
    ticked, cursor = tick_sensor(recorded)
    assert isinstance(ticked, dg.SkipReason)
    assert ticked.skip_message == "the warehouse has all that is under raw/"
    monkeypatch.setenv("BENCHLEDGER_DOCUMENT_SECONDS", "59")
    assert isinstance(tick_sensor(recorded)[0], dg.RunRequest)
    assert tick_sensor(recorded, cursor)[0].skip_message == "no changes under raw/"  # type: ignore[union-attr]


def test_a_fetch_that_waits_or_runs_is_not_asked_for_again(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    register(ledger.raw, "acme/results", "https://acme.example/")
    now = datetime.now(UTC)
    with open_instance() as instance:
        assert isinstance(tick_schedule(now), dg.RunRequest)
        instance.create_run_for_job(fetch_job, status=dg.DagsterRunStatus.STARTED)
        ticked = tick_schedule(now)
    assert isinstance(ticked, dg.SkipReason)
    assert ticked.skip_message == "a fetch is waiting or running"


@pytest.mark.parametrize(
    ("error", "lines"),
    [(dg.Failure("the disk is full"), 2), (dg.DagsterExecutionInterruptedError(), 0)],
)
def test_an_error_of_a_run_is_one_line_on_the_terminal(
    capsys: pytest.CaptureFixture[str], error: BaseException, lines: int
) -> None:
    @dg.op
    def failing() -> None:
        raise error

    @dg.job(logger_defs={"console": terminal_logger}, executor_def=dg.in_process_executor)
    def build() -> None:
        failing()

    with suppress(dg.DagsterExecutionInterruptedError):
        build.execute_in_process(QUIET, raise_on_error=False)
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == lines, printed
    if printed:
        assert "STEP_FAILURE" in printed[0]
        assert "the disk is full" in printed[0]


def test_nothing_runs_by_itself_until_somebody_has_switched_it_on() -> None:
    assert fetch_what_is_due.default_status is dg.DefaultScheduleStatus.STOPPED
    assert build_when_raw_changes.default_status is dg.DefaultSensorStatus.STOPPED


def test_sources_that_fail_for_one_reason_are_one_line(
    environment: Ledger, recorded: dg.DagsterInstance, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("acme/five", "acme/four", "acme/one", "acme/three", "acme/two"):
        register(environment.raw, name, "http://127.0.0.1:9/nothing")
    fetch(environment.raw, recorded)
    assert capfd.readouterr().err.startswith("acme/five, acme/four, acme/one and 2 more: ")
