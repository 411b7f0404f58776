"""A reader that does what a document begins with: `kill`, `grow` or `divide`.

It has a module of its own, of few imports: each process that it ends is followed by another one,
which imports them again.
"""

from __future__ import annotations

import os
from typing import Any

from pipelines.extract.contract import Extraction, formats
from pipelines.read.document import Document
from pipelines.run import corpus
from pipelines.run.row_cache import Chunk

REAL_CHUNK = corpus._read_chunk


def read_chunk(*arguments: Any) -> Chunk:
    """Runs in the child process: what a test changes in its own process is not changed there."""
    for module in formats().values():
        module.extract = _obey  # type: ignore[method-assign]
    return REAL_CHUNK(*arguments)


def _obey(document: Document, taken: Any, mapping: Any = None) -> Extraction:
    word = document.line(1).text
    if word == "kill":
        os._exit(1)
    if word == "grow":
        [" " * 10_000_000 for _ in range(1000)]
    if word == "divide":
        raise ZeroDivisionError("no divisor")
    return Extraction()
