"""Which runs are started again by themselves, those that the machine or a lock broke off; and which
are refused.
"""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from conftest import Ledger
from filelock import FileLock

from benchledger.job import run_build
from pipelines.assets.instance import BUILD, open_instance
from pipelines.definitions import benchledger
from pipelines.run.locked_folders import LOCK_FILE


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


@pytest.mark.parametrize(
    ("job", "resource", "given", "expected"),
    [
        (BUILD, "folders", {"raw": "elsewhere"}, "must not change folders"),
        ("fetch", "store", {"raw": "elsewhere"}, "must not change folders"),
        (
            BUILD,
            "folders",
            {"cluster": "tcp://elsewhere:8786"},
            "tcp://elsewhere:8786 is not tcp://configured",
        ),
        (BUILD, "folders", {"cluster": "tcp://configured:8786"}, "no readable document in"),
    ],
)
def test_a_run_that_is_launched_in_the_ui_names_the_configured_places_or_none(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: str, resource: str, given: dict[str, str],
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    monkeypatch.setenv("BENCHLEDGER_CLUSTER", "tcp://configured:8786")
    monkeypatch.chdir(tmp_path)
    own = {"raw": str(ledger.raw)} | ({"warehouse": str(ledger.warehouse)} if job == BUILD else {})
    configuration = {"resources": {resource: {"config": own | given}}}
    with open_instance() as instance:
        result = (
            benchledger()
            .resolve_job_def(job)
            .execute_in_process(configuration, instance, raise_on_error=False)
        )
    assert not result.success
    assert expected in " ".join(
        str(event.event_specific_data) for event in result.all_events if event.is_failure
    )
    assert not (tmp_path / "elsewhere").exists()
