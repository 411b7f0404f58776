"""A Dask scheduler and its workers, `python dask_workers.py NUMBER`, and documents that end whoever
reads them.

All come from one process that has loaded what they need; a worker that is killed is followed by
another one. The address of the scheduler is printed once the workers are there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from pipelines.extract import results_page
from pipelines.extract.contract import Extraction
from pipelines.read.document import Document
from pipelines.run import corpus
from pipelines.run.row_cache import Chunk

REAL_CHUNK, REAL_EXTRACT = corpus._read_chunk, results_page.extract


def read_chunk(*arguments: Any) -> Chunk:
    """Reads as the project does, but for what a document begins with: `kill`, or `kill FLAG` once."""
    results_page.extract = _obey
    return REAL_CHUNK(*arguments)


def _obey(document: Document, taken: Any, mapping: Any = None) -> Extraction:
    _follow(document, "kill")
    return REAL_EXTRACT(document, taken, mapping)


def _follow(document: Document, wanted: str) -> None:
    order, _, flag = document.line(1).text.partition(" ")
    if order == wanted and not (flag and Path(flag).exists()):
        if flag:
            Path(flag).touch()
        # The worker of the cluster, whose child this process is.
        os.kill(os.getppid(), signal.SIGKILL)
        os._exit(1)


def _spawn(addresses: int, number: int) -> None:
    """Workers of the scheduler whose address comes through a pipe, as long as they do not end by
    themselves.
    """
    address = os.read(addresses, 1000).decode()
    left = number
    for _ in range(number):
        _fork(address)
    while left:
        _, status = os.wait()
        if os.WIFSIGNALED(status):
            _fork(address)
        else:
            left -= 1


def _fork(address: str) -> None:
    if not os.fork():
        asyncio.run(_work(address))
        os._exit(0)


async def _work(address: str) -> None:
    from distributed import Worker

    async with Worker(address, nthreads=1, memory_limit=0) as worker:
        await worker.finished()


async def _schedule(addresses: int, number: int) -> None:
    from distributed import Scheduler

    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        os.write(addresses, scheduler.address.encode())
        while len(scheduler.workers) < number:
            await asyncio.sleep(0.01)
        print(scheduler.address, flush=True)
        await scheduler.finished()


def main() -> None:
    import distributed  # noqa: F401

    import pipelines.run.cluster  # noqa: F401

    number = int(sys.argv[1])
    theirs, ours = os.pipe()
    if not os.fork():
        _spawn(theirs, number)
        os._exit(0)
    asyncio.run(_schedule(ours, number))


if __name__ == "__main__":
    main()
