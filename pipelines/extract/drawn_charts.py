"""Charts drawn on the pages of a document: the values of bars, lines and points, from their geometry.

How a chart is read belongs in `vector_charts/`; what its slide says in words belongs in `chart_deck` and `claim_prose`.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from pipelines.extract.chart_rows.marks import mark_words
from pipelines.extract.chart_rows.places import PagePlaces
from pipelines.extract.chart_rows.values import chart_values
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import ChartValue, Reject
from pipelines.extract.vector_charts.chart import Chart, Refused
from pipelines.extract.vector_charts.reading import read_charts
from pipelines.read.document import Cell, Document

FORMAT = "drawn_charts"
DESCRIPTION = "charts drawn on pages: bars, lines and points whose values their geometry gives."
ROWS = (ChartValue, Reject)
PRIORITY = 60
HIGHEST_SCORE = 0.3

_Found = list[tuple[list[Chart], list[Refused]]]
# The charts of the last document: recognising and extracting ask for the same ones, one after the other.
_last: list[tuple[Document, _Found]] = []


def recognise(document: Document) -> float:
    """0.3 for a document with a chart on a page, 0.05 for one that has a picture instead; else 0."""
    found = _charts(document)
    if any(charts for charts, _ in found):
        return HIGHEST_SCORE
    return 0.05 if any(refused for _, refused in found) else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `ChartValue` per bar and point; what looks like a chart and gives no number stands in the rejects.

    No line is taken: what the slide says in words is there for the other formats, whoever has read it before.
    """
    extraction = Extraction()
    for page, (charts, refused) in zip(document.pages, _charts(document), strict=True):
        places = PagePlaces(document, page)
        for number, chart in enumerate(charts, start=1):
            extraction.rows += chart_values(chart, number, page, places)
            mark_words(extraction, chart, places, taken)
        for refusal in refused:
            x0, top, x1, bottom = (round(edge, 2) for edge in refusal.box)
            place = {"page": page.number, "x0": x0, "top": top, "x1": x1, "bottom": bottom, "marks": refusal.marks}
            cell = Cell("", places.first_line, 0, 0)
            extraction.rows.append(
                Reject(
                    cell=cell,
                    rule=refusal.rule,
                    reason=f"page {page.number}: {refusal.reason}",
                    scope="page" if refusal.rule == "too_many_shapes" else "table",
                    row_json=json.dumps(place),
                )
            )
    return extraction


def _charts(document: Document) -> _Found:
    if not _last or _last[0][0] is not document:
        _last[:] = [(document, [read_charts(page) for page in document.pages])]
    return _last[0][1]
