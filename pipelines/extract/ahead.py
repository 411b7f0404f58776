"""PDFs opened ahead of their turn, as many at a time as there are cores for it: each opens in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from pipelines.extract.reading import StoredDocument, open_document
from pipelines.read.document import ReadError
from pipelines.read.files import is_pdf


def opened_ahead(documents: Sequence[StoredDocument], cores: int) -> Iterator[StoredDocument]:
    """The documents in order; PDFs among them are being opened before it is their turn, on so many cores."""
    pdfs = [document for document in documents if is_pdf(document.path)] if cores > 1 else []
    if len(pdfs) < 2:
        yield from documents
        return
    upcoming = iter(pdfs)
    opening: dict[str, Future[None]] = {}
    with ThreadPoolExecutor(cores) as pool:
        for document in documents:
            while len(opening) < 2 * cores and (following := next(upcoming, None)):
                opening[following.document_id] = pool.submit(_open, following)
            if (opened := opening.pop(document.document_id, None)) is not None:
                opened.result()
            yield document


def _open(document: StoredDocument) -> None:
    try:
        open_document(document)
    except (OSError, ReadError):
        # Whoever reads it next meets the same error, and says so.
        return
