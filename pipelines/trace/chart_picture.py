"""Draws a page beside its charts redrawn from the stored values, so that misread values are
visible.

Each chart is redrawn on one scale, the one that fits most of its values: where a value was misread,
its bar has another length than on the page, its point another place.
"""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
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
    refused = [
        row | place for row in found if (place := json.loads(row["row_json"]))["page"] == page
    ]
    picture = drawn_page(raw, document, page)
    charts = plural(len({mark["chart_number"] for mark in marks}), "chart")
    lost = ", ".join(f"{row['marks']} {row['rule']}" for row in refused)
    words = f"page {page}: {charts}, {plural(len(marks), 'mark')} stored" + (
        f"; refused: {lost}" if lost else ""
    )
    return redraw(picture, marks, refused), words


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
        _redraw_chart(pen, chart, page.width)
    for place in refused:
        x0, top, x1, bottom = (2 * place[edge] for edge in ("x0", "top", "x1", "bottom"))
        pen.rectangle(
            [page.width + x0, top, page.width + max(x0, x1), max(top, bottom)], outline=_REFUSAL
        )
        text = f"{place['marks']} {place['rule']}"
        pen.text((page.width + x0 + 4, top + 4), text, fill=_REFUSAL, font=_FONT)
    written = io.BytesIO()
    both.save(written, "PNG")
    return written.getvalue()


def _redraw_chart(pen: ImageDraw.ImageDraw, rows: Sequence[Row], left: int) -> None:
    """One chart, drawn from its rows into the place that its marks take on the page."""
    corners = [
        (2 * row["x0"] + left, 2 * row["top"], 2 * row["x1"] + left, 2 * row["bottom"])
        for row in rows
    ]
    x0, top, x1, bottom = np.array(corners, dtype=float).T
    pen.rectangle([x0.min(), top.min(), x1.max(), bottom.max()], outline=_PALE)
    series = dict.fromkeys(row["series_printed"] for row in rows)
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(series)}
    values = np.array([row["drawn_value"] for row in rows], dtype=float)
    scaled = np.log10(np.maximum(values, 1e-12)) if rows[0]["axis_scale"] == "log" else values
    is_bar = np.array([row["mark"] == "bar" for row in rows])
    # The bars of a chart are equally thick, so that those which differ more in their widths lie.
    lies = bool(is_bar.any()) and _spread((x1 - x0)[is_bar]) > _spread((bottom - top)[is_bar])
    lengths = _fitted(
        np.abs(scaled), x1 - x0 if lies else bottom - top, is_bar, is_linear=scaled is values
    )
    heights = _fitted(scaled, (top + bottom) / 2, ~is_bar, is_linear=False)
    lines: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for at, row in enumerate(rows):
        colour, box = colours[row["series_printed"]], [x0[at], top[at], x1[at], bottom[at]]
        if is_bar[at]:
            # Where it begins: of values below zero at the other side.
            if lies:
                start, sign = (x0[at], 1) if values[at] >= 0 else (x1[at], -1)
            else:
                start, sign = (bottom[at], -1) if values[at] >= 0 else (top[at], 1)
            near, far = sorted((start, start + sign * lengths[at]))
            box = [near, top[at], far, bottom[at]] if lies else [x0[at], near, x1[at], far]
            pen.rectangle(box, outline=colour, width=2)
            x, y = (box[2] if lies else box[0]), box[1]
        else:
            x, y = (box[0] + box[2]) / 2, heights[at]
            pen.ellipse([x - _DOT, y - _DOT, x + _DOT, y + _DOT], fill=colour)
            if row["mark"] == "line_point":
                lines[row["series_printed"]].append((x, y))
        category = row["category_printed"] if row["x_value"] is None else f"{row['x_value']:.4g}"
        unit = "x" if row["axis_scale"] is None else f" {row.get('unit') or ''}".rstrip()
        text = f"{values[at]:.4g}{unit}" + (f" ({category})" if category != "unknown" else "")
        pen.text(
            (min(x, 2 * left - pen.textlength(text, font=_FONT) - _DOT), y - _TEXT - 4),
            text,
            _INK,
            _FONT,
        )
    for name, points in lines.items():
        for one, other in pairwise(points):
            if other[0] >= one[0]:
                pen.line([one, other], fill=colours[name], width=1)
    x = x0.min()
    for text, colour in {rows[0]["axis_printed"]: _INK, **colours}.items():
        if text and text != "unknown":
            pen.text((x, top.min() - 4 * _TEXT), text, fill=colour, font=_FONT)
            x += pen.textlength(f"{text}   ", font=_FONT)


def _fitted(values: Any, places: Any, chosen: Any, *, is_linear: bool) -> Any:
    """The places of values on the scale that fits most of those chosen; lengths of linear bars
    begin at zero.
    """
    ones, others = values[chosen], places[chosen]
    if is_linear:
        ratios = others[ones > 0] / ones[ones > 0]
        return values * np.median(ratios) if len(ratios) else places
    steps, rises = np.diff(ones), np.diff(others)
    if not steps.any():
        return places
    slope = np.median(rises[steps != 0] / steps[steps != 0])
    return slope * values + np.median(others - slope * ones)


def _spread(lengths: Any) -> float:
    """How much lengths differ, as a share of the longest."""
    return float((lengths.max() - lengths.min()) / (lengths.max() or 1.0))
