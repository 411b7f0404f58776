"""Dagster's record of runs: opened by one process at a time, rid of runs whose process is gone, and
of old ones.

A run holds a lock of its own for as long as its process lives, whatever ends it. So another process
can tell a run that is going on from one that was killed, on any system, after a restart of the
machine too. What a run does does not belong here.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
from alembic.util import CommandError
from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from pipelines.exceptions import BenchledgerError
from pipelines.settings import prepare_instance, state_folder

_OPENING = "opening.lock"
# Laying out an empty record takes a second or two.
_OPENING_PATIENCE_S = 60
# For what another process writes, as Dagster's own connections have it.
_PATIENCE_S = 30
_RUNNING = "running"
# Where SQLite's files are, as Dagster documents it.
_RUNS = Path("history") / "runs"
# The file of the events of all runs, as the storage calls it.
_INDEX = "index"
BUILD, FETCH = "build", "fetch"
# What Dagster calls the definitions that `benchledger ui` serves.
REPOSITORY = "__repository__@benchledger"
# The last is what the UI materialises by selection.
_JOBS = (BUILD, FETCH, "__ASSET_JOB")
# Of each job. A build is some 2 MB of events.
RUNS_KEPT = 30
# So that a long record is shortened over several builds, not by one that takes minutes.
_FORGOTTEN_AT_ONCE = 20
_GONE = "the process of this run is gone: it was killed, or the machine went down"
_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]

# Locks of the runs of this process.
_held: dict[str, FileLock] = {}


class InstanceError(BenchledgerError):
    """Dagster's record of runs cannot be opened; the message says what to do."""


def open_instance() -> dg.DagsterInstance:
    """The project's instance, with its record of runs, events and schedules laid out.

    Two processes that lay out an empty record at once would break it for good.

    Raises:
        InstanceError: The record is broken, or another process does not finish laying it out.
    """
    prepare_instance()
    # It reports an interrupt that meets a connection as it closes, with a traceback, and passes it on.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    state = state_folder()
    try:
        with FileLock(state / _OPENING, timeout=_OPENING_PATIENCE_S):
            instance = dg.DagsterInstance.get()
            # The events are laid out, and looked at, by the first question only.
            instance.get_asset_keys(limit=1)
            _keep_connections(instance)
            return instance
    except Timeout as error:
        raise InstanceError(
            f"another process keeps {state / _OPENING}; end it, and try again"
        ) from error
    # SQLite's own message may hold the damaged text, which then cannot be decoded.
    except (CommandError, SQLAlchemyError, UnicodeDecodeError) as error:
        place, advice = f"that {os.environ['DAGSTER_HOME']}/dagster.yaml names", "mend it"
        if (state / _RUNS).exists():
            place, advice = f"in {state}", f"move it out of the way (`mv {state} {state}.broken`)"
        raise InstanceError(
            f"Dagster's record of runs {place} is broken ({str(error).splitlines()[0]}); no benchmark is stored there: "
            f"end what uses it, {advice}, and try again"
        ) from error


def _keep_connections(instance: dg.DagsterInstance) -> None:
    """Have the events of a SQLite file be written over connections that stay open: Dagster opens
    one for each of some 2,000 statements of a build, and whoever closes a file last tidies it.
    """
    storage: Any = instance.event_log_storage
    if not storage.is_run_sharded:
        return
    opened, dispose, engines = storage.run_connection, storage.dispose, dict[str, Engine]()

    def connection(run_id: str) -> AbstractContextManager[Connection]:
        if run_id not in engines:
            # The first connection lays the file out.
            with opened(run_id) as first:
                engines[run_id] = _pool(first.engine.url)
        return engines[run_id].begin()

    def let_go() -> None:
        for engine in engines.values():
            engine.dispose()
        dispose()

    storage.run_connection, storage.dispose = connection, let_go
    storage.index_connection = partial(connection, _INDEX)


def _pool(url: URL) -> Engine:
    """Connections to a SQLite file with a journal of its own, which a crash of the machine may cost
    its last events, and nothing else.
    """
    engine = create_engine(url, connect_args={"timeout": _PATIENCE_S})
    event.listen(engine, "connect", lambda made, _: made.execute("pragma synchronous = normal"))
    return engine


@contextmanager
def running(run_id: str) -> Iterator[None]:
    """While it lasts, a run is taken for one that is going on."""
    keep_running(run_id)
    try:
        yield
    finally:
        lock = _held.pop(run_id)
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def keep_running(run_id: str) -> None:
    """Have a run taken for one that is going on until this process ends, or `running` does."""
    if run_id not in _held:
        path = state_folder() / _RUNNING / f"{run_id}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path, thread_local=False)
        lock.acquire(timeout=0)
        _held[run_id] = lock


def is_held(run_id: str) -> bool:
    """Whether this process has begun a run itself, by a command."""
    return run_id in _held


def end_abandoned_runs(instance: dg.DagsterInstance) -> list[str]:
    """Have the runs fail whose process is gone, as Dagster takes them for running and starts no
    other; their ids.
    """
    ended = []
    for path in sorted((state_folder() / _RUNNING).glob("*.lock")):
        try:
            with FileLock(path, timeout=0):
                # Only now: the run may have ended, and released its lock, between two looks.
                run = instance.get_run_by_id(path.stem)
                if run and not run.is_finished:
                    instance.report_run_failed(run, _GONE)
                    ended.append(run.run_id)
                path.unlink(missing_ok=True)
        except Timeout:
            continue
    return ended


def forget_old_runs(instance: dg.DagsterInstance) -> None:
    """Delete all runs of each job but the newest `RUNS_KEPT`, with their events; of many, some at
    each call.

    What the UI shows of a table or a check as its latest stays.
    """
    for job in _JOBS:
        finished = dg.RunsFilter(job_name=job, statuses=_FINISHED)
        for record in instance.get_run_records(finished, limit=RUNS_KEPT + _FORGOTTEN_AT_ONCE)[
            RUNS_KEPT:
        ]:
            run_id = record.dagster_run.run_id
            instance.delete_run(run_id)
            # SQLite's file of the run's events: its rows are gone, its size is not.
            for path in (state_folder() / _RUNS).glob(f"{run_id}.db*"):
                path.unlink(missing_ok=True)
