"""Pages of stored PDFs as pictures: the characters of a number framed, with the labels of its chart
mark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from pipelines.read.document import ReadError
from pipelines.read.page import Box, Page, around
from pipelines.trace.identifiers import TraceError
from pipelines.trace.traces import BOX


def drawn_page(
    raw: Path, document: Mapping[str, Any], page: int, printed: Box | None = None
) -> bytes:
    """A page of a stored PDF as PNG.

    Args:
        raw: Folder of the stored documents.
        document: Its `document_id` and its `path` below `raw`.
        page: Number of the page, from 1.
        printed: The box of characters that is framed, with what gives them a meaning where they are
            printed at a mark of a chart.

    Raises:
        TraceError: The bytes are gone or others, or the page cannot be drawn.
    """
    from pipelines.read.pdf.reader import draw_pdf_page, read_pdf

    path, document_id = raw / document["path"], document["document_id"]
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != document_id:
            raise TraceError(f"{path} changed after the warehouse was built")
        if printed is None:
            return draw_pdf_page(content, page, ())
        pages = read_pdf(content, document_id).pages
        others = _of_chart([one for one in pages if one.number == page], printed)
        return draw_pdf_page(content, page, (printed,), others)
    except (OSError, ReadError) as error:
        raise TraceError(f"the page cannot be drawn: {error}") from error


def picture_of(trace: dict[str, Any], raw: Path) -> bytes:
    """The page of a trace's place as PNG; where it is printed at a mark of a chart, with what gives
    it a meaning.

    Raises:
        TraceError: The document has no pages, its bytes are gone or others, or the page cannot be
            drawn.
    """
    number, x0, top, x1, bottom = (trace["place"][name] for name in BOX)
    document = trace["document"]
    if number is None:
        raise TraceError(f"{document['path']} has no pages to draw; only PDFs have pages")
    return drawn_page(raw, document, number, (x0, top, x1, bottom))


def _of_chart(pages: Sequence[Page], printed: Box) -> tuple[Box, ...]:
    """The mark that a number or name is printed at, the labels of its axis, and its own label;
    empty without one.
    """
    from pipelines.extract.charts.geometry import Rect
    from pipelines.extract.charts.labels import words_of
    from pipelines.extract.charts.reading import read_charts

    for chart in chain.from_iterable(read_charts(page)[0] for page in pages):
        for mark in chart.marks:
            named = words_of((mark.printed, mark.category))
            if any(Rect(*printed).holds(word.middle) for word in named):
                ticks = chart.axis.labels if chart.axis else []
                groups = words_of(ticks), words_of([mark.category]), words_of([chart.title])
                return mark.box, *(around(word.box for word in group) for group in groups if group)
    return ()
