"""A page beside the charts redrawn from their stored values: what was misread stands out at a glance.

The redrawing knows nothing of the page but the place of each chart: bars and points are set on a scale of their own,
drawn through the stored values alone, with their names and numbers.
"""

from __future__ import annotations

import io
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from pipelines.build.warehouse import query_published
from pipelines.read.page import Box
from pipelines.trace.picture import drawn_page

Row = Mapping[str, Any]

_MARKS = """
select * from resolved.chart_values
where document_id = ? and page = ?
order by chart_number, mark_number
"""
_REFUSED = """
select rule, row_json from audit.rejects
where document_id = ? and extractor = 'charts' and json_valid(row_json)
order by rule, row_json
"""
_INK, _PALE, _REFUSAL = (40, 40, 40), (170, 170, 170), (220, 30, 30)
_COLOURS = ((31, 119, 180), (255, 127, 14), (44, 160, 44), (148, 103, 189), (140, 86, 75), (23, 190, 207))
_DOT, _TEXT = 5, 22
# Charts keep to their place; those of a page without width would be invisible.
_SMALLEST = 40.0


def write_chart(warehouse: Path, raw: Path, document: Row, page: int, target: Path) -> str:
    """Write a page as PNG with the charts redrawn from their stored values at its right.

    Args:
        warehouse: Folder of the published warehouse.
        raw: Folder of the stored documents.
        document: Its `document_id` and its `path` below `raw`.
        page: Number of the page, from 1.
        target: File to write; one that is there is replaced.

    Returns:
        What stands on the page, in words: charts, marks stored, marks refused by rule.

    Raises:
        TraceError: The document has no such page, or its bytes are gone or others.
        WarehouseError: There is no warehouse.
    """
    marks = query_published(warehouse, _MARKS, [document["document_id"], page]).to_pylist()
    found = query_published(warehouse, _REFUSED, [document["document_id"]]).to_pylist()
    refused = [row | place for row in found if (place := json.loads(row["row_json"]))["page"] == page]
    picture = drawn_page(raw, document, page)
    target.write_bytes(redraw(picture, marks, refused))
    charts = len({mark["chart_number"] for mark in marks})
    lost = ", ".join(f"{row['marks']} {row['rule']}" for row in refused)
    return f"page {page}: {charts} charts, {len(marks)} marks stored" + (f"; refused: {lost}" if lost else "")


def redraw(picture: bytes, marks: Sequence[Row], refused: Sequence[Row]) -> bytes:
    """The picture of a page with its charts redrawn beside it, as PNG.

    Args:
        picture: The page as PNG, two dots to a point.
        marks: Rows of `resolved.chart_values` of that page.
        refused: Boxes with their rule and number of marks.
    """
    page = Image.open(io.BytesIO(picture)).convert("RGB")
    both = Image.new("RGB", (2 * page.width, page.height), "white")
    both.paste(page, (0, 0))
    pen = ImageDraw.Draw(both)
    pen.line((page.width, 0, page.width, page.height), fill=_PALE, width=2)
    charts: defaultdict[int, list[Row]] = defaultdict(list)
    for mark in marks:
        charts[mark["chart_number"]].append(mark)
    for chart in charts.values():
        _Redrawing(pen, chart, page.width).draw()
    for place in refused:
        x0, top, x1, bottom = (2 * place[edge] for edge in ("x0", "top", "x1", "bottom"))
        pen.rectangle([page.width + x0, top, page.width + max(x0, x1), max(top, bottom)], outline=_REFUSAL)
        text = f"{place['marks']} {place['rule']}"
        pen.text((page.width + x0 + 4, top + 4), text, fill=_REFUSAL, font=_font())
    written = io.BytesIO()
    both.save(written, "PNG")
    return written.getvalue()


def _font() -> Any:
    return ImageFont.load_default(_TEXT)


class _Redrawing:
    """One chart, drawn from its rows into the place that its marks take on the page."""

    def __init__(self, pen: ImageDraw.ImageDraw, rows: Sequence[Row], left: int) -> None:
        self.pen, self.rows, self.left = pen, rows, left
        x0, top = min(r["x0"] for r in rows), min(r["top"] for r in rows)
        x1, bottom = max(r["x1"] for r in rows), max(r["bottom"] for r in rows)
        self.box: Box = (x0, top, max(x1, x0 + _SMALLEST), max(bottom, top + _SMALLEST))
        self.is_log = rows[0]["axis_scale"] == "log"
        series = list(dict.fromkeys(row["series_printed"] for row in rows))
        self.colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(series)}
        bars = [row for row in rows if row["mark"] == "bar"]
        # The bars of a chart are equally thick, so that those which differ more in their widths lie.
        self.lies = bool(bars) and _spread(bars, "x0", "x1") > _spread(bars, "top", "bottom")
        self.starts = self._starts(bars)
        ends = [self.starts[row["mark_number"]] + row["drawn_value"] for row in bars]
        values = [*ends, *(row["drawn_value"] for row in rows)]
        low, high = float(min(values)), float(max(values))
        if bars and not self.is_log:
            low, high = min(low, 0.0), max(high, 0.0)
        self.low, self.high = self._plain(low), self._plain(high)

    def draw(self) -> None:
        x0, top, x1, bottom = self.box
        self.pen.rectangle([*self._dot(x0, top), *self._dot(x1, bottom)], outline=_PALE)
        lines: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for row in self.rows:
            colour = self.colours[row["series_printed"]]
            if row["mark"] == "bar":
                self._bar(row, colour)
                continue
            x, y = self._dot((row["x0"] + row["x1"]) / 2, self._along(row["drawn_value"]))
            self.pen.ellipse([x - _DOT, y - _DOT, x + _DOT, y + _DOT], fill=colour)
            self._name(row, x, y)
            if row["mark"] == "line_point":
                lines[row["series_printed"]].append((x, y))
        for name, points in lines.items():
            for start, end in pairwise(points):
                if end[0] >= start[0]:
                    self.pen.line([start, end], fill=self.colours[name], width=1)
        x, y = self._dot(x0, top - 2 * _TEXT)
        for text, colour in {self.rows[0]["axis_printed"]: _INK, **self.colours, "unknown": _INK}.items():
            if text and text != "unknown":
                self.pen.text((x, y), text, fill=colour, font=_font())
                x += self.pen.textlength(f"{text}   ", font=_font())

    def _starts(self, bars: Sequence[Row]) -> dict[int, float]:
        """The value at which each bar begins, by its number: zero, or where the one below it in its stack ends."""
        near, far, side = ("top", "bottom", "x0") if self.lies else ("x0", "x1", "bottom")
        stacks: defaultdict[tuple[bool, int], list[Row]] = defaultdict(list)
        for row in bars:
            stacks[row["drawn_value"] < 0, round(row[near] + row[far])].append(row)
        starts: dict[int, float] = {}
        for (is_negative, _), stack in stacks.items():
            reached = 0.0
            # Of lying bars the first is the one at the left, of standing ones the lowest; of negative ones the other.
            for row in sorted(stack, key=lambda row: row[side], reverse=self.lies is is_negative):
                starts[row["mark_number"]] = reached
                reached += row["drawn_value"]
        return starts

    def _bar(self, row: Row, colour: tuple[int, int, int]) -> None:
        start = self.starts[row["mark_number"]]
        zero = self._along(10.0**self.low if self.is_log else start)
        end = self._along(start + row["drawn_value"])
        if self.lies:
            a, b = self._dot(min(zero, end), row["top"]), self._dot(max(zero, end), row["bottom"])
        else:
            a, b = self._dot(row["x0"], min(zero, end)), self._dot(row["x1"], max(zero, end))
        self.pen.rectangle([*a, *b], outline=colour, width=2)
        self._name(row, b[0] if self.lies else a[0], a[1])

    def _name(self, row: Row, x: float, y: float) -> None:
        at = row["category_printed"] if row["x_value"] is None else f"{row['x_value']:.4g}"
        unit = "x" if row["axis_scale"] is None else f" {row.get('unit') or ''}".rstrip()
        text = f"{row['drawn_value']:.4g}{unit}" + (f" ({at})" if at != "unknown" else "")
        x = min(x, 2 * self.left - self.pen.textlength(text, font=_font()) - _DOT)
        self.pen.text((x, y - _TEXT - 4), text, fill=_INK, font=_font())

    def _along(self, value: float) -> float:
        """Where a value is on the page: the box of the chart is as long as its values reach."""
        share = (self._plain(value) - self.low) / (self.high - self.low) if self.high > self.low else 1.0
        x0, top, x1, bottom = self.box
        return x0 + share * (x1 - x0) if self.lies else bottom - share * (bottom - top)

    def _plain(self, value: float) -> float:
        """What is straight on the scale; no value of a logarithmic one is zero or less."""
        return math.log10(max(value, 1e-12)) if self.is_log else value

    def _dot(self, x: float, y: float) -> tuple[float, float]:
        return 2 * x + self.left, 2 * y


def _spread(rows: Sequence[Row], start: str, end: str) -> float:
    """How much the lengths of bars in one direction differ, as a share of the longest."""
    lengths = [float(row[end] - row[start]) for row in rows]
    return (max(lengths) - min(lengths)) / (max(lengths) or 1.0)
