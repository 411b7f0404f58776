"""Draws a page beside its charts redrawn from the stored values, so that misread values are
visible.

Each chart is redrawn on one scale, the one that fits most of its values: where a value was misread,
its bar has another length than on the page, its point another place.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from itertools import cycle, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pipelines.terminal import plural
from pipelines.trace.picture import drawn_page
from pipelines.warehouse.reader import query_published

Row = Mapping[str, Any]

_MARKS = """
select * from resolved.chart_values
where document_id = ? and page = ?
order by chart_number, mark_number
"""
_REFUSED = """
select rule, row_json from audit.rejects
where document_id = ? and source_format(extractor).medium = 'drawing' and json_valid(row_json)
order by rule, row_json
"""
_INK, _PALE, _REFUSAL = (40, 40, 40), (170, 170, 170), (220, 30, 30)
_COLOURS = (
    (31, 119, 180),
    (255, 127, 14),
    (44, 160, 44),
    (148, 103, 189),
    (140, 86, 75),
    (23, 190, 207),
)
_DOT, _TEXT = 5, 22
_FONT = ImageFont.load_default(_TEXT)


def chart_picture(warehouse: Path, raw: Path, document: Row, page: int) -> tuple[bytes, str]:
    """A page as PNG with the charts redrawn from their stored values at its right.

    Args:
        warehouse: Folder of the published warehouse.
        raw: Folder of the stored documents.
        document: Its `document_id` and its `path` below `raw`.
        page: Number of the page, from 1.

    Returns:
        The picture, and what stands on the page, in words: charts, marks stored, marks refused by
        rule.

    Raises:
        TraceError: The document has no such page, or its bytes are gone or others.
        WarehouseError: There is no warehouse.
    """
    marks = query_published(warehouse, _MARKS, [document["document_id"], page]).to_pylist()
    found = query_published(warehouse, _REFUSED, [document["document_id"]]).to_pylist()
    places = [row | json.loads(row["row_json"]) for row in found]
    refused = [place for place in places if place["page"] == page]
    picture = redraw(drawn_page(raw, document, page), marks, refused)
    charts = plural(len({mark["chart_number"] for mark in marks}), "chart")
    words = f"page {page}: {charts}, {plural(len(marks), 'mark')} stored"
    lost = ", ".join(f"{place['marks']} {place['rule']}" for place in refused)
    return picture, f"{words}; refused: {lost}" if lost else words


def redraw(picture: bytes, marks: Sequence[Row], refused: Sequence[Row]) -> bytes:
    """The picture of a page with its charts redrawn beside it, as PNG.

    Args:
        picture: The page as PNG, two dots to a point.
        marks: Rows of `resolved.chart_values` of that page, chart by chart.
        refused: Boxes with their rule and number of marks.
    """
    page = Image.open(io.BytesIO(picture)).convert("RGB")
    redrawn = Image.new("RGB", page.size, "white")
    pen = ImageDraw.Draw(redrawn)
    pen.line((0, 0, 0, page.height), fill=_PALE, width=2)
    for _, chart in groupby(marks, key=itemgetter("chart_number")):
        _redraw_chart(pen, list(chart), page.width)
    for place in refused:
        box = _dots(place)
        pen.rectangle(box, outline=_REFUSAL)
        text = f"{place['marks']} {place['rule']}"
        pen.text((box[0] + 4, box[1] + 4), text, fill=_REFUSAL, font=_FONT)
    both, written = Image.new("RGB", (2 * page.width, page.height)), io.BytesIO()
    both.paste(page)
    both.paste(redrawn, (page.width, 0))
    both.save(written, "PNG")
    return written.getvalue()


def _dots(row: Row) -> list[float]:
    return [2 * row[edge] for edge in ("x0", "top", "x1", "bottom")]


def _redraw_chart(pen: ImageDraw.ImageDraw, rows: Sequence[Row], page_width: int) -> None:
    """One chart, of bars or of points, drawn from its rows into the place of its marks on the page."""
    first, names = rows[0], dict.fromkeys(row["series_printed"] for row in rows)
    colours = dict(zip(names, cycle(_COLOURS), strict=False))
    x0, top, x1, bottom = np.array([_dots(row) for row in rows], dtype=float).T
    left, upper = x0.min(), top.min()
    pen.rectangle([left, upper, x1.max(), bottom.max()], outline=_PALE)
    values = np.array([row["value"] for row in rows], dtype=float)
    is_log = first["axis_scale"] == "log"
    scaled = np.log10(values) if is_log else values
    if first["mark"] == "bar":
        # The bars of a chart are equally thick, so that those which differ more in their widths lie.
        lies = np.ptp(x1 - x0) > np.ptp(bottom - top)
        low, high = (x0, x1) if lies else (top, bottom)
        lengths = _on_scale(np.abs(scaled), high - low, from_zero=not is_log)
        # Upright bars grow upwards; of values below zero bars begin at the other side.
        is_forward = (values >= 0) == lies
        start = np.where(is_forward, low, high)
        end = start + np.where(is_forward, lengths, -lengths)
        ends = np.minimum(start, end), np.maximum(start, end)
        (x0, x1), (top, bottom) = (ends, (top, bottom)) if lies else ((x0, x1), ends)
    else:
        x, y = (x0 + x1) / 2, _on_scale(scaled, (top + bottom) / 2, from_zero=False)
        x0, top, x1, bottom = x - _DOT, y - _DOT, x + _DOT, y + _DOT
    for row, *box in zip(rows, x0, top, x1, bottom, strict=True):
        pen.rectangle(box, outline=colours[row["series_printed"]], width=2)
        place = row["category_printed"] if row["x_value"] is None else f"{row['x_value']:.4g}"
        unit = "x" if first["axis_scale"] is None else f" {row.get('unit') or ''}".rstrip()
        text = f"{row['value']:.4g}{unit} ({place})"
        right = page_width - pen.textlength(text, font=_FONT) - _DOT
        pen.text((min(box[0], right), box[1] - _TEXT - 4), text, _INK, _FONT)
    for text, colour in {first["axis_printed"]: _INK, **colours}.items():
        if text:
            pen.text((left, upper - 4 * _TEXT), text, fill=colour, font=_FONT)
            left += pen.textlength(f"{text}   ", font=_FONT)


def _on_scale(values: Any, places: Any, *, from_zero: bool) -> Any:
    """The places of values on the scale that fits most of them, or their lengths from zero."""
    steps, rises = (values, places) if from_zero else (np.diff(values), np.diff(places))
    if not steps.any():
        return places
    slope = np.median(rises[steps != 0] / steps[steps != 0])
    return slope * values + (0.0 if from_zero else np.median(places - slope * values))
