"""Pages of stored PDFs as pictures: the characters of a number framed, with the labels of its chart
mark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pipelines.read.document import ReadError
from pipelines.read.page import Box, Page
from pipelines.trace.identifiers import TraceError
from pipelines.trace.traces import BOX

Boxes = tuple[Box, ...]


def drawn_page(
    raw: Path,
    document: Mapping[str, Any],
    page: int,
    frames: Callable[[bytes], tuple[Boxes, Boxes]] | None = None,
) -> bytes:
    """A page of a stored PDF as PNG.

    Args:
        raw: Folder of the stored documents.
        document: Its `document_id` and its `path` below `raw`.
        page: Number of the page, from 1.
        frames: What of the document is framed: boxes of characters, and boxes of other things.

    Raises:
        TraceError: The bytes are gone or others, or the page cannot be drawn.
    """
    from pipelines.read.pdf.reader import draw_pdf_page

    try:
        content = (raw / document["path"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != document["document_id"]:
            raise TraceError(f"{raw / document['path']} changed after the warehouse was built")
        boxes, others = frames(content) if frames else ((), ())
        return draw_pdf_page(content, page, boxes, others)
    except (OSError, ReadError) as error:
        raise TraceError(f"the page cannot be drawn: {error}") from error


def picture_of(trace: dict[str, Any], raw: Path) -> bytes:
    """The page of a trace's place as PNG; where it is printed at a mark of a chart, with what gives
    it a meaning.

    Raises:
        TraceError: The document has no pages, its bytes are gone or others, or the page cannot be
            drawn.
    """
    number, *box = (trace["place"][name] for name in BOX)
    document, printed = trace["document"], (box[0], box[1], box[2], box[3])
    if number is None:
        raise TraceError(f"{document['path']} has no pages to draw; only PDFs have pages")

    def frames(content: bytes) -> tuple[Boxes, Boxes]:
        from pipelines.read.pdf.reader import read_pdf

        pages = read_pdf(content, document["document_id"]).pages
        return (printed,), next(
            (_of_chart(page, printed) for page in pages if page.number == number), ()
        )

    return drawn_page(raw, document, number, frames)


def _of_chart(page: Page, printed: Box) -> Boxes:
    """The mark that a number or name is printed at, the labels of its axis, and its own label;
    empty without one.
    """
    from pipelines.extract.charts.geometry import around
    from pipelines.extract.charts.reading import read_charts

    for chart in read_charts(page)[0]:
        for mark in chart.marks:
            names = [label for label in (mark.printed, mark.category) if label]
            if any(_is_within(word.box, printed) for label in names for word in label.words):
                ticks = [tick.label for tick in chart.axis.ticks] if chart.axis else []
                groups = [ticks, *([label] for label in (mark.category, chart.title) if label)]
                return mark.box, *(
                    around([word.box for label in g for word in label.words]) for g in groups if g
                )
    return ()


def _is_within(word: Box, place: Box) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return place[0] <= x <= place[2] and place[1] <= y <= place[3]
