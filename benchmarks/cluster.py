"""What a Dask cluster costs and gives: `python benchmarks/cluster.py [DOCUMENTS]`, by default 400
pages of 30 results.

A scheduler and its workers are started on this machine, over loopback, as `docs/operations.md`
says. Measured are the overhead of a task (a call that does nothing, and the chunk around a
document), reading all documents with the process pool and with 1, 2 and 4 workers, and the same
while half of the workers are killed. Rows are compared with those of the process pool; exit status
1 where they differ.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pyarrow as pa
from build import BUILD, run
from snapshots import Snapshots

from pipelines.ingest.store import read_store
from pipelines.run.cluster import dask_pool
from pipelines.run.corpus import Engine, ProcessPool, Progress, process_pool
from pipelines.run.document_tables import show_extracted
from pipelines.run.row_cache import Corpus, written_tables
from pipelines.sandbox import Call
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.settings import PROJECT, document_limits
from pipelines.warehouse.database import Tables

EMPTY_CALLS = 300
RESULTS_OF_A_PAGE = 30


def nothing(number: int) -> int:
    return number


@contextmanager
def cluster(workers: int) -> Iterator[tuple[str, psutil.Process]]:
    """Address of a scheduler with so many workers, and the process above these."""
    with tempfile.TemporaryDirectory() as name:
        # Workers have to find the functions that are measured.
        paths = os.pathsep.join([str(PROJECT), str(PROJECT / "benchmarks")])
        options = {
            "cwd": name,
            "stderr": subprocess.DEVNULL,
            "env": os.environ | {"PYTHONPATH": paths},
        }
        file = f"{name}/scheduler.json"

        def dask(*arguments: str) -> subprocess.Popen[bytes]:
            own = ["--scheduler-file", file, "--no-dashboard"]
            return subprocess.Popen([sys.executable, "-m", "dask", *arguments, *own], **options)

        with (
            dask("scheduler", "--host", "127.0.0.1", "--port", "0") as scheduler,
            dask("worker", "--nworkers", str(workers), "--nthreads", "1") as hosts,
        ):
            try:
                yield _address(file, workers), psutil.Process(hosts.pid)
            finally:
                hosts.terminate()
                scheduler.terminate()


def _address(file: str, workers: int) -> str:
    from distributed import Client

    while not Path(file).exists():
        time.sleep(0.1)
    with Client(scheduler_file=file, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=120)
        return str(client.scheduler.address)


def cpu_seconds(process: psutil.Process) -> float:
    """Of a process and of all below it, those that have ended among them."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


@contextmanager
def processor_time(hosts: psutil.Process) -> Iterator[list[float]]:
    """Seconds of processor time while it lasts, filled in at its end: of the workers, and of this
    process.
    """
    spent: list[float] = []
    before = cpu_seconds(hosts), time.process_time()
    yield spent
    spent += [cpu_seconds(hosts) - before[0], time.process_time() - before[1]]


def overhead(engine: Engine, hosts: psutil.Process) -> str:
    """What a call costs that does nothing, in words."""
    with engine(0.0) as pool:
        limits = document_limits()
        calls = [Call(nothing, (number,), limits) for number in range(EMPTY_CALLS)]
        # All processes are there, and have loaded what they need.
        [*pool.run(calls)]
        started = time.perf_counter()
        with processor_time(hosts) as spent:
            assert sorted(given for _, given in pool.run(calls)) == [*range(EMPTY_CALLS)]
        elapsed = time.perf_counter() - started
    took, there, here = (f"{1000 * seconds / EMPTY_CALLS:.1f} ms" for seconds in (elapsed, *spent))
    return f"a call that does nothing {took}; of processor time {there} in the workers and {here} in the build"


def read_all(
    raw: Path,
    cache: Path,
    engine: Engine,
    report: Callable[[Progress], None] = lambda progress: None,
) -> tuple[Corpus, str, float]:
    """What was read, a hash of its rows, and the seconds it took."""
    tables = Tables()
    listed = read_store(raw).documents
    tables.write(
        "raw.documents", pa.Table.from_pylist(listed, schema=arrow_schema(TABLES["raw.documents"]))
    )
    started = time.perf_counter()
    corpus = show_extracted(tables, raw, cache, engine, report)
    took = time.perf_counter() - started
    digest = hashlib.sha256()
    for name in written_tables():
        digest.update(
            repr(tables.query(f"select * from extracted.{name} order by all").to_pylist()).encode()
        )
    tables.close()
    return corpus, digest.hexdigest()[:12], took


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {"BENCHLEDGER_STATE": f"{folder}/state"}
        run(
            BUILD,
            "build",
            "--raw",
            str(PROJECT / "raw"),
            "--warehouse",
            f"{folder}/shipped",
            environment=environment,
        )
        raw, made = folder / "raw", Snapshots(folder / "shipped", RESULTS_OF_A_PAGE)
        for number in range(documents):
            made.store(raw, number)
        print(
            f"{len(read_store(raw).documents)} documents; {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}"
        )

        digests: dict[str, str] = {}
        for workers in (1, 2):
            corpus, digest, took = read_all(raw, folder / f"pool-{workers}", _pool(workers))
            digests[f"process pool of {workers}"] = digest
            print(
                f"process pool of {workers}: {took:.1f} s, {len({chunk.name for chunk in corpus.chunks.values()})} chunks"
            )
        for workers in (1, 2, 4):
            with cluster(workers) as (address, hosts):
                engine = partial(dask_pool, address, folder)
                print(f"{workers} workers: {overhead(engine, hosts)}")
                with processor_time(hosts) as spent:
                    corpus, digest, took = read_all(raw, folder / f"cluster-{workers}", engine)
                digests[f"{workers} workers"] = digest
                there, here = (f"{seconds:.1f} s" for seconds in spent)
                chunks = len({chunk.name for chunk in corpus.chunks.values()})
                print(
                    f"{workers} workers: {took:.1f} s, {chunks} chunks; {there} in the workers and {here} in the build"
                )
        with cluster(4) as (address, hosts):
            killed: list[int] = []

            def kill(progress: Progress) -> None:
                if not killed and progress.documents > progress.total / 3:
                    # Each is followed by another one, and what it was reading by ends at the next
                    # document.
                    at_work = [worker for worker in hosts.children() if worker.children()]
                    for worker in at_work[:2]:
                        worker.send_signal(signal.SIGKILL)
                        killed.append(worker.pid)

            corpus, digest, took = read_all(
                raw, folder / "killed", partial(dask_pool, address, folder), kill
            )
            digests["killed"] = digest
            written = len([*corpus.folder.glob("line_ledger/*.parquet")])
            chunks = len({chunk.name for chunk in corpus.chunks.values()})
            print(
                f"{len(killed)} of 4 workers killed: {took:.1f} s, {chunks} chunks, {written - chunks} written twice"
            )
    is_same = len({*digests.values()}) == 1
    print("all rows are the same" if is_same else f"rows differ: {digests}")
    raise SystemExit(not is_same)


def _pool(workers: int) -> Engine:
    @contextmanager
    def pool(seconds: float) -> Iterator[ProcessPool]:
        with process_pool(seconds):
            yield ProcessPool(workers)

    return pool


if __name__ == "__main__":
    # Pickles name a function by its module; run as a program this one would be `__main__`.
    from cluster import main as measure

    measure()
