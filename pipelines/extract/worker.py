"""The child process that reads documents: `python -m pipelines.extract.worker PIPE`, one call after the other.

It limits its own processor time and memory while it reads a document, and says which one that is; whatever ends it then
(the limits, a crash of a library, an error of the program) has ended that document alone, see `workers.py`.
"""

from __future__ import annotations

import gc
import math
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.read.files import is_pdf
from pipelines.read.pdf.limits import LIMITS as PDF_LIMITS
from pipelines.read.pdf.remembered import recall
from pipelines.settings import GARBAGE_THRESHOLDS, DocumentLimits

if TYPE_CHECKING:
    from pipelines.read.pdf.remembered import Known

# Pages of memory that this process has, all told, in its first field; only Linux has it.
_PAGES_OF_MEMORY = Path("/proc/self/statm")
# Rule of a document that ended its reader for no reason that is known.
CRASHED = "reader_crashed"


class Refusal(NamedTuple):
    """Why a document is not read: name of the rule, and the sentence a user reads."""

    rule: str
    reason: str


NOBODY: Mapping[str, Refusal] = MappingProxyType({})


@dataclass(frozen=True)
class Call:
    """What a worker shall do.

    Attributes:
        function: Called with the arguments and with `refused`; it reads each document within `limited`.
        arguments: What can be pickled.
        refused: The documents, by their id, that must not be read: an earlier try of the same call has failed at them.
        limits: What each document may cost.
        inputs: Files and folders that it reads, each with the sha256 of its bytes.
        journal: File that holds, while the call is made, the id of the document that is being read.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    limits: DocumentLimits
    refused: Mapping[str, Refusal] = field(default_factory=dict)
    inputs: tuple[tuple[Path, str], ...] = ()
    journal: Path | None = None


class Begun(NamedTuple):
    """A message: this document is being read, and may take so long."""

    document_id: str
    elapsed_s: float


class Ended(NamedTuple):
    """A message: it was read."""


class Failed(NamedTuple):
    """The last message of a worker: an error of the program, or no memory."""

    error: str
    is_memory: bool


class Done(NamedTuple):
    """A message: what the call gives, and the PDFs that were opened for it."""

    result: Any
    opened: Known


_parent: tuple[Connection, DocumentLimits, int | None] | None = None


@contextmanager
def limited(document_id: str, path: Path) -> Iterator[None]:
    """While it lasts the process reads this document: beyond its limits a worker ends. Elsewhere nothing is limited."""
    if _parent is None:
        yield
        return
    pipe, limits, journal = _parent
    if journal is not None:
        # What ends this process, and whoever watches it, does not end what the system has taken to write.
        os.pwrite(journal, document_id.encode(), 0)
    # A PDF is opened in a process of its own, which has limits of its own.
    elapsed_s = PDF_LIMITS.elapsed_s if is_pdf(path) else 0
    pipe.send(Begun(document_id, elapsed_s + limits.cpu_s * limits.elapsed_per_cpu))
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + limits.cpu_s))
    if _PAGES_OF_MEMORY.exists():
        pages = int(_PAGES_OF_MEMORY.read_text().split()[0])
        _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + (limits.memory_mib << 20))
    try:
        yield
    finally:
        _limit(resource.RLIMIT_AS)
        _limit(resource.RLIMIT_CPU)
    if journal is not None:
        os.ftruncate(journal, 0)
    pipe.send(Ended())


def _limit(what: int, amount: int | None = None) -> None:
    """Set the soft limit; without an amount there is none but the hard one."""
    _, hard = resource.getrlimit(what)
    if amount is None or (hard != resource.RLIM_INFINITY and hard < amount):
        amount = hard
    resource.setrlimit(what, (amount, hard))


class _LastWords:
    """Tells the parent what ends the process, whichever error it is; it ends all the same."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self._pipe.send(Failed(f"{kind.__name__}: {error}", issubclass(kind, MemoryError)))
            if issubclass(kind, MemoryError):
                # What is wrong is the document; where in the program the memory ended says nothing.
                sys.exit(1)


def main(pipe: Connection) -> None:
    """Answer calls until the parent closes the pipe."""
    global _parent
    # The parent ends the children when somebody breaks it off.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit(resource.RLIMIT_CORE, 0)
    # What is loaded stays to the end, as in a build.
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    # What every call needs is loaded while the parent is still busy with other things.
    from pipelines.extract.contract import formats

    formats()
    while True:
        try:
            call: Call = pipe.recv()
        except EOFError:
            return
        journal = os.open(call.journal, os.O_WRONLY | os.O_CREAT) if call.journal else None
        _parent = pipe, call.limits, journal
        with _LastWords(pipe):
            result = call.function(*call.arguments, refused=call.refused)
        if journal is not None:
            os.close(journal)
        pipe.send(Done(result, recall()))


if __name__ == "__main__":
    # Pickles name a class by its module; run as a program this one would be `__main__`.
    from pipelines.extract.worker import main as run

    run(Connection(int(sys.argv[1])))
