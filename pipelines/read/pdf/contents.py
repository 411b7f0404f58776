"""One page of an opened PDF as a `Page`: characters joined to words, shapes, pictures, from its
upper left corner.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pdfplumber
from pdfminer.layout import LTChar, LTContainer, LTCurve, LTImage, LTLine, LTRect
from pdfminer.utils import apply_matrix_rect

from pipelines.read.page import Box, Colour, Image, Page, Point, Shape
from pipelines.read.pdf.drawing import Canvas, Gradient, Interpreter
from pipelines.read.words import Char, join_chars

# Warnings of pdfminer (a missing font box, an unknown operator) do not concern users.
logging.getLogger("pdfminer").setLevel(logging.ERROR)

# Positions are rounded to a thousandth of a point.
_DIGITS = 3
# ZapfDingbats names no Unicode; the `l` with which R prints circles and points is a disc.
_DINGBATS = str.maketrans("lmnstu", "●○■▲▼◆")
# The disc in its line, in sizes of the font; R gives no metrics with it.
_DISC = (0.035, -0.014, 0.757, 0.708)
# Spot colours and indexed ones are numbers without their table or ink: another number is another
# colour.
_UNKNOWN = frozenset({"Pattern", "Indexed", "Lab", "DeviceN"})


class Frame:
    """The visible part of the sheet, and the transformation from the coordinates of the file to
    those of a `Page`.

    Attributes:
        width: Width as shown, in points.
        height: Height as shown.
    """

    def __init__(self, page: Any, sheet: Box) -> None:
        x0, y0, x1, y1 = page.mediabox
        turned = {
            90: (0, -1, 1, 0, -y0, x1),
            180: (-1, 0, 0, -1, x1, y1),
            270: (0, 1, -1, 0, y1, -x0),
        }.get(page.rotate, (1, 0, 0, 1, -x0, -y0))
        left, low, right, high = apply_matrix_rect(turned, page.cropbox or page.mediabox)
        left, low = max(left, sheet[0]), max(low, sheet[1])
        right, high = min(right, sheet[2]), min(high, sheet[3])
        if left >= right or low >= high:
            # A crop box outside the sheet is ignored.
            left, low, right, high = sheet
        self._left, self._top = left, high
        self.width, self.height = round(right - left, _DIGITS), round(high - low, _DIGITS)

    def point(self, point: Any) -> Point:
        return round(point[0] - self._left, _DIGITS), round(self._top - point[1], _DIGITS)

    def box(self, box: Any) -> Box:
        x0, bottom = self.point(box[:2])
        x1, top = self.point(box[2:])
        return x0, top, x1, bottom

    def shows(self, box: Box) -> bool:
        """True for a box that is not wholly off the page."""
        return box[2] > 0 and box[0] < self.width and box[3] > 0 and box[1] < self.height


def read_page(pdf: pdfplumber.pdf.PDF, index: int) -> Page:
    """Everything shown on a page; `index` counts from 0. Text in any order; see `layout` for the
    order of reading.
    """
    page = pdf.pages[index].page_obj
    canvas = Canvas(pdf.rsrcmgr, pageno=index + 1)
    Interpreter(pdf.rsrcmgr, canvas).process_page(page)
    layout = canvas.get_result()
    frame = Frame(page, layout.bbox)
    chars: list[Char] = []
    shapes: list[Shape] = []
    images: list[Image] = []
    for item in _items(layout):
        if isinstance(item, LTChar):
            if char := _char(item, frame):
                chars.append(char)
        elif isinstance(item, (LTCurve, Gradient)):
            if shape := _shape(item, frame, len(shapes)):
                shapes.append(shape)
        elif isinstance(item, LTImage) and frame.shows(box := frame.box(item.bbox)):
            images.append(Image(*box, *(_pixels(size) for size in item.srcsize)))
    return Page(
        index + 1, frame.width, frame.height, tuple(join_chars(chars)), tuple(shapes), tuple(images)
    )


def _items(container: Any) -> Iterator[Any]:
    for item in container._objs:
        if isinstance(item, LTContainer):
            yield from _items(item)
        else:
            yield item


def _pixels(size: Any) -> int:
    return int(size) if isinstance(size, (int, float)) else 0


def _char(item: LTChar, frame: Frame) -> Char | None:
    box = frame.box(item.bbox)
    if not frame.shows(box):
        return None
    a, b, _, _, x, y = item.matrix
    angle = 0 if b == 0 and a > 0 else round(math.degrees(math.atan2(b, a))) % 360
    x, y = frame.point((x, y))
    if angle == 0:
        start, end, base, size = box[0], box[2], y, box[3] - box[1]
    elif angle == 180:
        start, end, base, size = -box[2], -box[0], -y, box[3] - box[1]
    elif angle == 90:
        start, end, base, size = -box[3], -box[1], x, box[2] - box[0]
    elif angle == 270:
        start, end, base, size = box[1], box[3], -x, box[2] - box[0]
    else:
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        length = item.adv * math.hypot(a, b)
        start, base = x * cos - y * sin, x * sin + y * cos
        end, size = start + length, (box[3] - box[1] - length * abs(sin)) / max(abs(cos), 0.01)
    font = item.fontname if isinstance(item.fontname, str) else ""
    text = item.get_text()
    if font.endswith("Dingbats") and angle == 0:
        text = text.translate(_DINGBATS)
        left, low, right, high = (edge * size for edge in _DISC)
        box = (box[0] + left, base - high, box[0] + right, base - low)
    colour = _rgb(item.graphicstate.ncolor, item.graphicstate.ncs.name)
    return Char(text, angle, start, end, base, size, box, font, colour)


def _shape(item: Any, frame: Frame, order: int) -> Shape | None:
    box = frame.box(item.bbox)
    if isinstance(item, Gradient):
        if not frame.shows(box):
            return None
        return Shape(*box, "shading", (), (), False, True, None, None, 0.0, (), box, order)
    if not (item.stroke or item.fill):
        return None
    # A line has no height: it is shown where its ends are.
    if box[2] < 0 or box[0] > frame.width or box[3] < 0 or box[1] > frame.height:
        return None
    clip = None if item.clip is None else frame.box(item.clip)
    if (
        clip is not None
        and clip[0] <= 0
        and clip[1] <= 0
        and clip[2] >= frame.width
        and clip[3] >= frame.height
    ):
        clip = None
    return Shape(
        *box,
        kind="rect"
        if isinstance(item, LTRect)
        else "line"
        if isinstance(item, LTLine)
        else "curve",
        points=tuple(map(frame.point, item.pts)),
        path=tuple((part[0], tuple(map(frame.point, part[1:]))) for part in item.original_path),
        stroke=bool(item.stroke),
        fill=bool(item.fill),
        stroke_colour=_rgb(item.stroking_color, item.space[0]) if item.stroke else None,
        fill_colour=_rgb(item.non_stroking_color, item.space[1]) if item.fill else None,
        linewidth=round(float(item.linewidth or 0), _DIGITS),
        dash=_dash(item.dashing_style),
        clip=clip,
        order=order,
        pattern=_pattern(item.non_stroking_color) if item.fill else "",
    )


def _pattern(colour: Any) -> str:
    """The name of a pattern; numbers are a colour."""
    name = colour[-1] if isinstance(colour, (list, tuple)) and colour else colour
    name = getattr(name, "name", name)
    return (
        name.decode("ascii", "replace")
        if isinstance(name, bytes)
        else name
        if isinstance(name, str)
        else ""
    )


def _dash(style: Any) -> tuple[float, ...]:
    lengths = style[0] if style else ()
    return tuple(float(part) for part in lengths or () if isinstance(part, (int, float)))


def _rgb(colour: Any, space: str) -> Colour | None:
    """A colour of the file as red, green, blue; None for patterns."""
    if colour is None or space in _UNKNOWN:
        return None
    parts = tuple(colour) if isinstance(colour, (tuple, list)) else (colour,)
    if not all(isinstance(part, (int, float)) for part in parts):
        return None
    return _mixed(parts, space)


@lru_cache(maxsize=1024)
def _mixed(parts: tuple[float, ...], space: str) -> Colour | None:
    parts = tuple(min(1.0, max(0.0, float(part))) for part in parts)
    if len(parts) == 1:
        # The tint of an ink: 0 is white.
        grey = 1 - parts[0] if space == "Separation" else parts[0]
        return grey, grey, grey
    if len(parts) == 3:
        return parts[0], parts[1], parts[2]
    if len(parts) == 4:
        red, green, blue = ((1 - part) * (1 - parts[3]) for part in parts[:3])
        return red, green, blue
    return None
