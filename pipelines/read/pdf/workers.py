"""Child processes that open PDFs: kept for the next document, ended and replaced when one exceeds its limits."""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pipelines.read.document import ReadError
from pipelines.read.pdf.limits import Limits
from pipelines.read.pdf.worker import LENGTH, Counted, Failed, Request

# A library that keeps a little of every document is replaced before it matters.
_MAX_DOCUMENTS = 200
_BLOCK = 1 << 20
# How PDFium and the C++ runtime end a process that gets no memory.
_NO_MEMORY = (signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGKILL)


class _GoneError(Exception):
    """The child has ended, or took too long."""


class _Child:
    def __init__(self) -> None:
        root = str(Path(__file__).parents[3])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pipelines.read.pdf.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path},
        )
        self.documents = 0

    def ask(self, request: Request) -> Any:
        """The reply to a request.

        Raises:
            ReadError: `pdf_timeout`, `pdf_out_of_memory` or `pdf_crashed`, and the child has ended.
        """
        self.documents += 1
        limits = request.limits
        seconds = limits.cpu_s
        started = time.monotonic()
        try:
            self._write(pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL))
            while isinstance(reply := self._read(started + seconds * limits.wall_per_cpu), Counted):
                seconds = limits.cpu_s + reply.pages * limits.cpu_s_per_page
        except TimeoutError as error:
            self.end()
            raise _timeout(limits, seconds) from error
        except _GoneError as error:
            raise self._cause(limits, seconds) from error
        return reply

    def _write(self, data: bytes) -> None:
        pipe = self.process.stdin
        if pipe is None:
            raise _GoneError
        try:
            pipe.write(LENGTH.pack(len(data)) + data)
            pipe.flush()
        except BrokenPipeError as error:
            raise _GoneError from error

    def _read(self, deadline: float) -> Any:
        (length,) = LENGTH.unpack(self._exactly(LENGTH.size, deadline))
        return pickle.loads(self._exactly(length, deadline))

    def _exactly(self, size: int, deadline: float) -> bytes:
        pipe = self.process.stdout
        if pipe is None:
            raise _GoneError
        parts: list[bytes] = []
        while size:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            part = os.read(pipe.fileno(), min(size, _BLOCK))
            if not part:
                raise _GoneError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _cause(self, limits: Limits, seconds: float) -> ReadError:
        """Why the child has ended by itself."""
        self.end()
        status = self.process.returncode
        if -status == signal.SIGXCPU:
            return _timeout(limits, seconds)
        if -status in _NO_MEMORY:
            memory = f"{limits.memory_bytes >> 20:,} MB"
            return ReadError("pdf_out_of_memory", f"reading the file takes more than {memory} of memory")
        return ReadError("pdf_crashed", f"the reader broke off (status {status}); store a copy printed anew")

    def end(self) -> None:
        """End the child, if it has not ended yet."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        try:
            # A child that is well ends when its pipe is closed; one that hangs does not.
            self.process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def is_usable(self) -> bool:
        return self.process.poll() is None and self.documents < _MAX_DOCUMENTS


def _timeout(limits: Limits, seconds: float) -> ReadError:
    return ReadError("pdf_timeout", f"reading the file takes more than {seconds:g} s of processor time")


_idle: list[_Child] = []
_lock = threading.Lock()


def ask(request: Request) -> Any:
    """The reply of a child process to a request; as many run at a time as there are callers.

    Raises:
        ReadError: The child says so, or it exceeded its limits.
    """
    with _lock:
        child = _idle.pop() if _idle else None
    child = child if child and child.is_usable else _Child()
    reply = child.ask(request)
    # Out of memory, a child ends itself: it may still be about to.
    if child.is_usable and not (isinstance(reply, Failed) and reply.rule == "pdf_out_of_memory"):
        with _lock:
            _idle.append(child)
    else:
        child.end()
    if isinstance(reply, Failed):
        raise ReadError(reply.rule, reply.reason)
    return reply


@atexit.register
def end_all() -> None:
    """End all children that wait for work."""
    with _lock:
        while _idle:
            _idle.pop().end()
