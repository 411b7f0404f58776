"""Output that nobody may read to its end: what is printed into a closed pipe is lost, and the work goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO


class LastingOutput:
    """A stream that takes whatever is written to it, and throws it away once its reader is gone.

    Args:
        stream: The stream itself.
        ends: Whether the command ends then, with status 0: what it would print is all that it does.
    """

    def __init__(self, stream: TextIO, *, ends: bool = False) -> None:
        self._stream: TextIO = stream._stream if isinstance(stream, LastingOutput) else stream
        self._ends = ends

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._give_up()

    def _give_up(self) -> None:
        # What is buffered still would break the process off when it ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        if self._ends:
            raise SystemExit(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lasting_output() -> Iterator[None]:
    """While it lasts, `benchledger build | head` is no reason to end: the work is done, the exit status its own."""
    out, errors = LastingOutput(sys.stdout), LastingOutput(sys.stderr)
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            yield
        finally:
            out.flush()
            errors.flush()
