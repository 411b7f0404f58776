"""Which runs are started again by themselves: those that the machine or a lock broke off, not those refused."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from conftest import Ledger
from filelock import FileLock

from pipelines.assets.folders import LOCK_FILE
from pipelines.build import run_build


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
