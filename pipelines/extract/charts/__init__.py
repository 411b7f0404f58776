"""Charts drawn as vectors on the pages of a document: the values of their bars, lines and points.

A page goes in, charts come out (`reading.py`); `chart_tables.py` has them as rows. What a slide
says in words belongs in `slides` and `claim_prose`.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from pipelines.extract.charts.chart_tables import chart_values, charts_of, mark_words
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.rows import ChartValue, Reject
from pipelines.read.document import Document

FORMAT = Format(
    name="charts",
    description="charts drawn on PDF pages: bars, lines and points, with values computed from their geometry.",
    rows=(ChartValue, Reject),
    priority=60,
    highest_score=0.3,
    medium=Medium.DRAWING,
)


def recognise(document: Document) -> float:
    """0.3 for a document with a chart on a page, 0.05 for one that has a picture instead; else 0."""
    pages = charts_of(document)
    if any(page.charts for page in pages):
        return FORMAT.highest_score
    return 0.05 if any(page.refused for page in pages) else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `ChartValue` per bar and point; what looks like a chart and gives no number stands in the
    rejects.

    No line is taken: what the slide says in words is there for the other formats, whoever has read
    it before.
    """
    extraction = Extraction()
    for page in charts_of(document):
        for number, chart in enumerate(page.charts, start=1):
            extraction.rows += chart_values(chart, number, page)
            mark_words(extraction, chart, page, taken)
        for rule, reason, (x0, top, x1, bottom), marks, _ in page.refused:
            place = {"page": page.number, "x0": x0, "top": top, "x1": x1, "bottom": bottom}
            reject = Reject(
                cell=page.start,
                rule=rule,
                reason=f"page {page.number}: {reason}",
                scope="page" if rule == "too_many_shapes" else "table",
                row_json=json.dumps(place | {"marks": marks}),
            )
            extraction.rows.append(reject)
    return extraction
