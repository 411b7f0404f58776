"""What a file says, asked within the limits of a document: no page can hold up whoever stores or fetches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pipelines.extract.worker import Call, Refusal, limited
from pipelines.extract.workers import run_calls
from pipelines.ingest.store import sha256_of
from pipelines.read.document import Document, ReadError
from pipelines.read.files import open_file
from pipelines.settings import document_limits, reading_workers

Answer = TypeVar("Answer")


def ask_of(file: Path, charset: str | None, question: Callable[[Document], Answer]) -> Answer | None:
    """What a function of a module finds in the lines of a file; None where they cannot be read within the limits.

    The file is stored all the same, and the build says why.
    """
    workers = reading_workers()
    call = Call(_answer, (file, charset, question), document_limits())
    [answer] = run_calls([call], 1 if workers is None else min(workers, 1))
    found: Answer | None = answer
    return found


def _answer(
    file: Path, charset: str | None, question: Callable[[Document], Any], refused: Mapping[str, Refusal]
) -> Any:
    digest = sha256_of(file)
    if digest in refused:
        return None
    try:
        with limited(digest, file):
            return question(open_file(file, digest, charset=charset))
    except ReadError:
        return None
