"""The child process that opens PDFs: `python -m pipelines.read.pdf.worker`, one request after the other.

A request and its replies are pickles with their length in front, on standard input and output. The process limits its
own memory and processor time; the parent limits elapsed time (see `workers.py`). Nothing here imports the pipeline.
"""

from __future__ import annotations

import gc
import math
import os
import pickle
import resource
import struct
import sys
from dataclasses import dataclass
from typing import Any, BinaryIO

from pipelines.read.document import ReadError
from pipelines.read.pdf.limits import Limits

LENGTH = struct.Struct(">Q")


@dataclass(frozen=True)
class Request:
    """What a child shall do: `read` a document, or draw a `page` of it with `boxes` marked.

    Attributes:
        content: Bytes of the PDF.
        limits: What it may cost.
        page: Page to draw, from 1; None to read the document.
        boxes: Boxes to mark, in points from the upper left corner.
        others: Boxes to mark in another colour: what the first ones belong to.
    """

    content: bytes
    limits: Limits
    page: int | None = None
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    others: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True)
class Failed:
    """A reply: the document cannot be read, and why."""

    rule: str
    reason: str


@dataclass(frozen=True)
class Counted:
    """A reply before the last one: the document has so many pages, and may take longer."""

    pages: int


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    # Libraries print; nothing but replies may stand in the pipe.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    requests = sys.stdin.buffer
    while (request := _receive(requests)) is not None:
        _limit(resource.RLIMIT_AS, request.limits.memory_bytes)
        try:
            reply = _answer(request, replies)
        except ReadError as error:
            reply = Failed(error.rule, error.reason)
        except MemoryError:
            # What is left of the memory may be too little for the next document.
            memory = f"{request.limits.memory_bytes >> 20:,} MB"
            _send(replies, Failed("pdf_out_of_memory", f"reading the file takes more than {memory} of memory"))
            return
        _send(replies, reply)
        del request, reply
        gc.collect()


def _answer(request: Request, replies: BinaryIO) -> Any:
    limits = request.limits
    _allow(limits.cpu_s)
    if request.page is not None:
        from pipelines.read.pdf.render import draw_page

        return draw_page(request.content, request.page, request.boxes, request.others)
    from pipelines.read.pdf.pages import read_contents

    def announce(pages: int) -> None:
        _allow(limits.cpu_s + pages * limits.cpu_s_per_page)
        _send(replies, Counted(pages))

    return read_contents(request.content, limits, announce)


def _allow(seconds: float) -> None:
    """Seconds of processor time from now on; the system ends the process when they are over."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + seconds))


def _limit(what: int, amount: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (amount if hard == resource.RLIM_INFINITY else min(amount, hard), hard))


def _send(pipe: BinaryIO, reply: Any) -> None:
    data = pickle.dumps(reply, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(LENGTH.pack(len(data)) + data)
    pipe.flush()


def _receive(pipe: BinaryIO) -> Request | None:
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    request: Request = pickle.loads(pipe.read(LENGTH.unpack(head)[0]))
    return request


if __name__ == "__main__":
    # Pickles name a class by its module; run as a program this one would be `__main__`.
    from pipelines.read.pdf.worker import main as run

    run()
