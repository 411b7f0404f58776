"""The page that a number is printed on as a picture, its characters framed; of a chart mark, axis and label too."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from pipelines.read.document import ReadError
from pipelines.read.page import Box, Page
from pipelines.trace.identifiers import TraceError
from pipelines.trace.rows import BOX


def write_picture(trace: dict[str, Any], raw: Path, target: Path) -> None:
    """Write the page of a trace's place as PNG; where it is printed at a mark of a chart, with what gives it a meaning.

    Raises:
        TraceError: The document has no pages, its bytes are gone or others, or the page cannot be drawn.
    """
    page, x0, top, x1, bottom = (trace["place"][name] for name in BOX)
    document = trace["document"]
    if page is None:
        raise TraceError(f"{document['path']} has no pages to draw: only a PDF has")
    from pipelines.read.pdf.reader import draw_pdf_page, read_pdf

    try:
        content = (raw / document["path"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != document["document_id"]:
            raise TraceError(f"{raw / document['path']} holds other bytes than the warehouse was built from")
        printed = (x0, top, x1, bottom)
        pages = read_pdf(content, document["document_id"]).pages
        drawn = next((drawn for drawn in pages if drawn.number == page), None)
        target.write_bytes(draw_pdf_page(content, page, (printed,), _of_chart(drawn, printed) if drawn else ()))
    except (OSError, ReadError) as error:
        raise TraceError(f"the page cannot be drawn: {error}") from error


def _of_chart(page: Page, printed: Box) -> tuple[Box, ...]:
    """The mark that a number or name is printed at, the labels of its axis, and its own label; empty without one."""
    from pipelines.extract.charts.geometry import around
    from pipelines.extract.charts.reading import read_charts

    for chart in read_charts(page)[0]:
        for mark in chart.marks:
            names = [label for label in (mark.printed, mark.category) if label]
            if any(_is_within(word.box, printed) for label in names for word in label.words):
                ticks = [tick.label for tick in chart.axis.ticks] if chart.axis else []
                groups = [ticks, *([label] for label in (mark.category, chart.title) if label)]
                return mark.box, *(around([word.box for label in g for word in label.words]) for g in groups if g)
    return ()


def _is_within(word: Box, place: Box) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return place[0] <= x <= place[2] and place[1] <= y <= place[3]
