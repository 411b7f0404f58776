"""How cost grows: `python benchmarks/growth.py [SNAPSHOTS ...] [--results N]`, by default 200,
2,000 and 20,000 of 4.

Each ledger holds so many snapshots of made sources. It is built in full, after one more snapshot,
and without any change. Printed are CPU and elapsed time, the most memory that all processes of a
build hold at one moment (resident; what they share is counted in each), time and memory of each
stage, and the exponents with which the CPU time grows.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import psutil
from build import BUILD, START_UP, run
from snapshots import Snapshots, copy_shipped

from pipelines.settings import PROJECT
from pipelines.warehouse.reader import query_published

SIZES, RESULTS = (200, 2_000, 20_000), 4
# The limits the project sets itself; printed beside the figures.
FULL_EXPONENT, ONE_MORE_EXPONENT, MEMORY_MIB = 1.05, 0.3, 2048
_SAMPLED_EVERY_S = 0.1
# Stages that took less, or held less, say nothing.
_SHOWN_FROM = 0.01
_COUNTS = """
select
    (select count(*) from raw.documents) as documents,
    (select count(*) from resolved.results) as results,
    (select count(*) from main.current_results) as current_results
"""


class Stage(NamedTuple):
    """CPU and elapsed seconds of a stage, and the most memory within it."""

    cpu_s: float = 0.0
    elapsed_s: float = 0.0
    peak_mib: float = 0.0


@dataclass
class Cost:
    """What a build has cost.

    Attributes:
        cpu_s: Of all its processes.
        elapsed_s: From its start to its end.
        peak_mib: The most memory that its processes held at one moment.
        stages: What each stage has cost, in their order.
    """

    cpu_s: float
    elapsed_s: float
    peak_mib: float
    stages: dict[str, Stage] = field(default_factory=dict)


class Sample(NamedTuple):
    """What a process and all that it has started have used at a moment."""

    at: float
    resident_mib: float
    cpu_s: float


def _sample(process: psutil.Process) -> Sample:
    held, spent = 0, 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            times, memory = one.cpu_times(), one.memory_info()
        except psutil.NoSuchProcess:
            continue
        held += memory.rss
        # With those that have ended.
        spent += sum(times[:4])
    return Sample(time.time(), held / 2**20, spent)


@contextmanager
def sampled(pid: int) -> Iterator[list[Sample]]:
    """What a process and its children use, ten times a second; the list grows while it lasts."""
    process, samples, ended = psutil.Process(pid), list[Sample](), threading.Event()

    def look() -> None:
        while not ended.wait(_SAMPLED_EVERY_S):
            try:
                samples.append(_sample(process))
            except psutil.NoSuchProcess:
                return

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()


def watch(state: str, *arguments: str, environment: dict[str, str]) -> Cost:
    """Run a build, and look at its memory ten times a second until it ends.

    Raises:
        SystemExit: It failed.
    """
    started = time.time()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-c", BUILD, *arguments],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        with sampled(process.pid) as samples:
            _, status, usage = os.wait4(process.pid, 0)
        ended = time.time()
        if os.waitstatus_to_exitcode(status) not in (0, 3):
            said.seek(0)
            raise SystemExit(said.read().decode())
    cost = Cost(
        usage.ru_utime + usage.ru_stime,
        ended - started,
        max((one.resident_mib for one in samples), default=0.0),
    )
    spent_before, before = 0.0, started
    for moment, name in [*_ends_of_stages(state, started), (ended, "the end of the process")]:
        within = [one for one in samples if before <= one.at <= moment]
        spent, known = (
            max([spent_before, *(one.cpu_s for one in within)]),
            cost.stages.get(name, Stage()),
        )
        held = max([known.peak_mib, *(one.resident_mib for one in within)])
        cost.stages[name] = Stage(
            known.cpu_s + spent - spent_before, known.elapsed_s + moment - before, held
        )
        spent_before, before = spent, moment
    return cost


def _ends_of_stages(state: str, started: float) -> list[tuple[float, str]]:
    """When each stage of the latest run ended: a table is made when Dagster is told of it."""
    os.environ |= {"DAGSTER_HOME": str(PROJECT), "BENCHLEDGER_STATE": state}
    found = []
    with dg.DagsterInstance.get() as instance:
        [record] = instance.get_run_records(limit=1)
        if record.create_timestamp.timestamp() < started:
            return []
        for entry in instance.all_logs(record.dagster_run.run_id):
            event = entry.dagster_event
            if event and event.event_type == dg.DagsterEventType.RUN_START:
                found.append((entry.timestamp, "start-up"))
            elif (
                event
                and event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION
                and event.asset_key
            ):
                found.append((entry.timestamp, ".".join(event.asset_key.path)))
            elif event and event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
                found.append(
                    (entry.timestamp, f"check {event.asset_check_evaluation_data.check_name}")
                )
    return found


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The exponent of size by which seconds grow, as the slope of a line through the logarithms."""
    return statistics.linear_regression(
        [math.log(size) for size in sizes], [math.log(one) for one in seconds]
    ).slope


def show(what: str, cost: Cost, *, stages: bool) -> None:
    """Print what a build has cost."""
    print(
        f"  {what:<28} {cost.cpu_s:9.2f} s CPU {cost.elapsed_s:9.2f} s elapsed {cost.peak_mib:7.0f} MiB",
        flush=True,
    )
    for name, stage in cost.stages.items() if stages else ():
        if stage.cpu_s >= _SHOWN_FROM * cost.cpu_s or stage.peak_mib >= 0.95 * cost.peak_mib:
            print(
                f"    {name:<26} {stage.cpu_s:9.2f} s CPU {stage.elapsed_s:9.2f} s elapsed {stage.peak_mib:7.0f} MiB",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="SNAPSHOTS")
    parser.add_argument(
        "--results", type=int, default=RESULTS, help="results that a snapshot prints"
    )
    parser.add_argument(
        "--shipped",
        action="store_true",
        help="with the claims, charts and logs of the shipped store",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where stores and warehouses stay"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.keep or Path(name)
        state = f"{folder}/state"
        environment = os.environ | {"DAGSTER_HOME": str(PROJECT), "BENCHLEDGER_STATE": state}

        def build(raw: Path, warehouse: Path, *options: str) -> Cost:
            paths = "--raw", str(raw), "--warehouse", str(warehouse)
            return watch(state, "build", *paths, *options, environment=environment)

        build(PROJECT / "raw", folder / "shipped")
        ledger = Snapshots(folder / "shipped", arguments.results)
        start_up, _ = run(START_UP, environment=environment)
        print(f"start-up {start_up:.2f} s CPU")
        full, one_more = [], []
        for size in arguments.sizes:
            raw, warehouse = folder / f"raw-{size}", folder / f"warehouse-{size}"
            if not raw.exists():
                if arguments.shipped:
                    copy_shipped(raw)
                for number in range(size):
                    ledger.store(raw, number)
            full.append(build(raw, warehouse, "--again"))
            [counts] = query_published(warehouse, _COUNTS).to_pylist()
            print(
                f"{size} snapshots: "
                + ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in counts.items())
            )
            show("full build", full[-1], stages=True)
            added = ledger.store(raw, size)
            one_more.append(build(raw, warehouse))
            show("one more snapshot", one_more[-1], stages=True)
            show("nothing has changed", build(raw, warehouse), stages=False)
            added.unlink()
        if len(arguments.sizes) > 1:
            for what, costs, limit in (
                ("full build", full, FULL_EXPONENT),
                ("one more", one_more, ONE_MORE_EXPONENT),
            ):
                found = exponent(arguments.sizes, [cost.cpu_s for cost in costs])
                beyond = exponent(
                    arguments.sizes, [max(cost.cpu_s - start_up, 0.01) for cost in costs]
                )
                print(
                    f"exponent of {what}: {found:.2f} (at most {limit:g}), beyond the start-up {beyond:.2f}"
                )
        peak = max(cost.peak_mib for cost in (*full, *one_more))
        print(f"most memory {peak:.0f} MiB (at most {MEMORY_MIB})")


if __name__ == "__main__":
    main()
