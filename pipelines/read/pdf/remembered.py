"""What PDFs gave, kept for the next time they are opened: a build opens each one twice."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipelines.read.document import ReadError
from pipelines.read.pdf.limits import Limits
from pipelines.read.pdf.worker import Request
from pipelines.read.pdf.workers import ask

if TYPE_CHECKING:
    from pipelines.read.pdf.pages import Contents

    Known = Mapping[tuple[str, Limits], Contents | ReadError]

# Decks of twelve pages take about a megabyte each.
_MAX_DOCUMENTS = 32

_known: OrderedDict[tuple[str, Limits], Contents | ReadError] = OrderedDict()
_lock = threading.Lock()


def contents_of(content: bytes, limits: Limits) -> Contents:
    """Pages and lines of a PDF; the same bytes are read once as long as they are remembered.

    Raises:
        ReadError: As `reader.read_pdf`.
    """
    key = hashlib.sha256(content).hexdigest(), limits
    with _lock:
        found = _known.get(key)
    if found is None:
        try:
            found = ask(Request(content, limits))
        except ReadError as error:
            found = error
        remember({key: found})
    if isinstance(found, ReadError):
        raise ReadError(found.rule, found.reason)
    return found


def recall() -> Known:
    """All that is remembered, for another process."""
    with _lock:
        return dict(_known)


def remember(known: Known) -> None:
    """Keep what PDFs gave, here or in another process."""
    with _lock:
        _known.update(known)
        while len(_known) > _MAX_DOCUMENTS:
            _known.popitem(last=False)
