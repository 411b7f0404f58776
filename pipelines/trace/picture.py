"""The page that a number is printed on as a picture, with its characters framed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from pipelines.read.document import ReadError
from pipelines.trace.identifiers import TraceError
from pipelines.trace.places import BOX


def write_picture(trace: dict[str, Any], raw: Path, target: Path) -> None:
    """Write the page of a trace's place as PNG.

    Args:
        trace: What `trace_rows` gives.
        raw: Folder of the stored documents.
        target: File to write; one that is there is replaced.

    Raises:
        TraceError: The document has no pages, its bytes are gone or others, or the page cannot be drawn.
    """
    page, *box = (trace["place"][name] for name in BOX)
    document = trace["document"]
    if page is None:
        raise TraceError(f"{document['path']} has no pages to draw: only a PDF has")
    from pipelines.read.pdf.reader import draw_pdf_page

    try:
        content = (raw / document["path"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != document["document_id"]:
            raise TraceError(f"{raw / document['path']} holds other bytes than the warehouse was built from")
        picture = draw_pdf_page(content, page, ((box[0], box[1], box[2], box[3]),))
        target.write_bytes(picture)
    except (OSError, ReadError) as error:
        raise TraceError(f"the page cannot be drawn: {error}") from error
