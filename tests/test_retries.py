"""Which runs are started again by themselves, those that the machine or a lock broke off; and which are refused."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from conftest import Ledger
from filelock import FileLock

from pipelines.assets.folders import LOCK_FILE
from pipelines.assets.instance import BUILD, open_instance
from pipelines.cli.build import run_build
from pipelines.definitions import benchledger


@pytest.fixture
def configured(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    return ledger


def failure_of(job: str, **resources: dict[str, str]) -> str:
    """Why a run with these resources fails."""
    configuration = {"resources": {name: {"config": named} for name, named in resources.items()}}
    with open_instance() as instance:
        result = benchledger().resolve_job_def(job).execute_in_process(configuration, instance, raise_on_error=False)
    assert not result.success
    return " ".join(str(event.event_specific_data) for event in result.all_events if event.is_failure)


@pytest.mark.parametrize(("is_locked", "is_retried"), [(False, "false"), (True, "true")])
def test_a_build_that_was_refused_is_not_started_again(
    ledger: Ledger,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_locked: bool,
    is_retried: str,
) -> None:
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    ledger.warehouse.mkdir()
    lock = FileLock(ledger.warehouse / LOCK_FILE)
    if is_locked:
        lock.acquire()
    # There is no document: the first step says so, and would say so again.
    outcome = run_build(ledger.raw, ledger.warehouse)
    lock.release()
    assert not outcome.success
    assert ("another build" in outcome.faults[0]) is is_locked, outcome.faults
    with dg.DagsterInstance.get() as instance:
        run = instance.get_run_by_id(outcome.run_id)
        assert run is not None
        assert run.tags["dagster/will_retry"] == is_retried


@pytest.mark.parametrize(("job", "resource"), [(BUILD, "folders"), ("fetch", "store")])
def test_a_run_that_is_launched_in_the_ui_cannot_name_folders(
    configured: Ledger, tmp_path: Path, job: str, resource: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    named = {"raw": str(configured.raw), "warehouse": str(elsewhere)} if job == BUILD else {"raw": str(elsewhere)}
    assert "may not name another place" in failure_of(job, **{resource: named})
    assert not elsewhere.exists()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (
            "tcp://elsewhere:8786",
            "may not name another place: tcp://elsewhere:8786 is not tcp://configured",
        ),
        ("local", "there is no document to read"),
        ("tcp://configured:8786", "there is no document to read"),
    ],
)
def test_a_run_that_is_launched_in_the_ui_names_the_configured_cluster_or_none(
    configured: Ledger, monkeypatch: pytest.MonkeyPatch, address: str, expected: str
) -> None:
    monkeypatch.setenv("BENCHLEDGER_CLUSTER", "tcp://configured:8786")
    folders = {"raw": str(configured.raw), "warehouse": str(configured.warehouse)}
    assert expected in failure_of(BUILD, folders=folders | {"cluster": address})
