"""What is drawn and printed on the pages of charts, for `internal/chart_readings.sql`, which reads
their marks again.

Neither of the two uses anything of `extract/charts`, so that a fault of the reader of charts does
not confirm itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from pipelines.read.document import Document
from pipelines.read.page import Box, around
from pipelines.validate.evidence.parser import measured
from pipelines.validate.evidence.readings import Row

BOXES = "internal.drawn_boxes"
BOX = ("x0", "top", "x1", "bottom")


def drawn_boxes(document: Document, charts: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Rows of `BOXES` for all pages with a chart that has an axis: shapes with their corners and
    edges, and numbers.

    Args:
        document: The document.
        charts: Its rows of `resolved.chart_values`.
    """
    names = ("document_id", "page", "unit", "unit_printed")
    for units in {tuple(row[name] for name in names) for row in charts if row["axis_scale"]}:
        _, number, unit, printed = units
        page = document.pages[number - 1]
        boxes: list[tuple[Box, float | None]] = []
        for word in page.words:
            if amount := measured(word.text, unit or "", printed):
                boxes.append((word.box, amount.value))
        for shape in page.shapes:
            points = [(*point, *point) for point in shape.points]
            boxes += ((box, None) for box in (shape.box, *points, *map(around, pairwise(points))))
        for box, value in boxes:
            yield dict(zip((*names, *BOX, "value"), (*units, *box, value), strict=True))
