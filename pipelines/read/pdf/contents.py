"""One page of an opened PDF as a `Page`: characters joined to words, shapes, pictures, from its
upper left corner.
"""

from __future__ import annotations

import logging
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pdfplumber
from pdfminer.layout import LTChar, LTContainer, LTCurve, LTImage, LTLine, LTRect

from pipelines.read.document import runs_of
from pipelines.read.page import Box, Colour, Image, Page, Point, Shape, ShapeKind, Word, around
from pipelines.read.pdf.drawing import Canvas, Gradient, Interpreter, overlap

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
_UNKNOWN = ("Pattern", "Indexed", "Lab", "DeviceN")
_KINDS: dict[type, ShapeKind] = {LTRect: "rect", LTLine: "line"}
# Parts of the font size. A blank is a quarter wide; letters of one word are set wider or closer by
# less than a seventh.
_GAP = 0.15
_OVERLAP = 0.4
# Letters of one word are on one line; a raised note mark is not.
_SHIFT = 0.1
# The same letter again, this near, is a shadow or bold type made by printing twice.
_SHADOW = 0.12
_LIGATURES = frozenset("\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06")

_Seen = dict[tuple[str, int, int], tuple[float, float]]


class Frame(NamedTuple):
    """The visible part of a page as shown; its coordinates in the file begin in its lower left
    corner.
    """

    width: float
    height: float

    def point(self, point: Any) -> Point:
        return round(point[0], _DIGITS), round(self.height - point[1], _DIGITS)

    def box(self, box: Any) -> Box:
        x0, bottom = self.point(box[:2])
        x1, top = self.point(box[2:])
        return x0, top, x1, bottom

    def shows(self, box: Box) -> bool:
        """True for a box that is not wholly off the page; a line has no height."""
        return box[2] >= 0 and box[0] <= self.width and box[3] >= 0 and box[1] <= self.height


class Char(NamedTuple):
    """One printed character.

    `start`, `end` count in its direction of reading, `base` is its line across that direction; both
    grow to the right and downwards for upright text, and are those of the turned page for any
    other.
    """

    text: str
    angle: int
    start: float
    end: float
    base: float
    size: float
    box: Box
    font: str
    colour: Colour | None


def read_page(pdf: pdfplumber.pdf.PDF, index: int) -> Page:
    """Everything shown on a page; `index` counts from 0. Text in any order; see `layout` for the
    order of reading.
    """
    page = pdf.pages[index].page_obj
    left, low, right, high = shown = overlap(page.mediabox, page.cropbox)
    # A crop box outside the sheet is ignored.
    page.mediabox = shown if left < right and low < high else page.mediabox
    canvas = Canvas(pdf.rsrcmgr, pageno=index + 1)
    Interpreter(pdf.rsrcmgr, canvas).process_page(page)
    layout = canvas.get_result()
    frame = Frame(round(layout.width, _DIGITS), round(layout.height, _DIGITS))
    chars: list[Char] = []
    shapes: list[Shape] = []
    images: list[Image] = []
    for item in _items(layout):
        box = frame.box(item.bbox)
        if not frame.shows(box):
            continue
        if isinstance(item, LTChar):
            chars.append(_char(item, box, frame))
        elif isinstance(item, Gradient):
            shapes.append(Shape(*box, "shading", (), (), False, True, None, None, 0.0, (), box))
        elif isinstance(item, LTCurve) and (item.stroke or item.fill):
            shapes.append(_shape(item, box, frame))
        elif isinstance(item, LTImage):
            images.append(Image(*box, *map(_pixels, item.srcsize)))
    words = tuple(join_chars(chars))
    return Page(index + 1, *frame, words, tuple(shapes), tuple(images))


def _items(container: Any) -> Iterator[Any]:
    for item in container._objs:
        if isinstance(item, LTContainer):
            yield from _items(item)
        else:
            yield item


def _pixels(size: Any) -> int:
    return int(size) if isinstance(size, (int, float)) else 0


def _char(item: LTChar, box: Box, frame: Frame) -> Char:
    a, b, _, _, x, y = item.matrix
    angle = round(math.degrees(math.atan2(b, a))) % 360
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    y = frame.height - y
    start, base = x * cos - y * sin, round(x * sin + y * cos, _DIGITS)
    length = item.adv * math.hypot(a, b)
    end = round(start + length, _DIGITS)
    # The height of the box across the direction of reading.
    size = (box[2] - box[0]) * abs(sin) + (box[3] - box[1]) * abs(cos) - 2 * length * abs(sin * cos)
    font = item.fontname if isinstance(item.fontname, str) else ""
    text = item.get_text()
    if font.endswith("Dingbats") and angle == 0:
        text = text.translate(_DINGBATS)
        left, low, right, high = (edge * size for edge in _DISC)
        box = (box[0] + left, base - high, box[0] + right, base - low)
    colour = _rgb(item.graphicstate.ncolor, item.graphicstate.ncs.name)
    return Char(text, angle, round(start, _DIGITS), end, base, size, box, font, colour)


def _shape(item: Any, box: Box, frame: Frame) -> Shape:
    clip = None if item.clip is None else frame.box(item.clip)
    if clip and max(clip[:2]) <= 0 and clip[2] >= frame.width and clip[3] >= frame.height:
        clip = None
    return Shape(
        *box,
        kind=_KINDS.get(type(item), "curve"),
        points=tuple(map(frame.point, item.pts)),
        path=tuple((part[0], tuple(map(frame.point, part[1:]))) for part in item.original_path),
        stroke=bool(item.stroke),
        fill=bool(item.fill),
        stroke_colour=_rgb(item.stroking_color, item.space[0]) if item.stroke else None,
        fill_colour=_rgb(item.non_stroking_color, item.space[1]) if item.fill else None,
        linewidth=round(float(item.linewidth or 0), _DIGITS),
        dash=_dash(item.dashing_style),
        clip=clip,
        pattern=_pattern(item.non_stroking_color) if item.fill else "",
    )


def _pattern(colour: Any) -> str:
    """The name of a pattern; numbers are a colour."""
    name = colour[-1] if isinstance(colour, (list, tuple)) and colour else colour
    return name if isinstance(name, str) else ""


def _dash(style: Any) -> tuple[float, ...]:
    lengths = style[0] if style else ()
    return tuple(float(part) for part in lengths or () if isinstance(part, (int, float)))


def _rgb(colour: Any, space: str) -> Colour | None:
    """A colour of the file as red, green, blue; None for patterns."""
    parts = colour if isinstance(colour, (tuple, list)) else (colour,)
    if space in _UNKNOWN or not all(isinstance(part, (int, float)) for part in parts):
        return None
    shares = [min(1.0, max(0.0, float(part))) for part in parts]
    if len(shares) == 1:
        # The tint of an ink: 0 is white.
        shares = [1 - shares[0] if space == "Separation" else shares[0]] * 3
    if len(shares) == 4:
        *inks, black = shares
        shares = [(1 - ink) * (1 - black) for ink in inks]
    return (shares[0], shares[1], shares[2]) if len(shares) == 3 else None


def join_chars(chars: Iterable[Char]) -> list[Word]:
    """The words of a page in the order in which they are painted; blanks and shadows are left out."""
    seen: _Seen = {}
    kept = (char for char in chars if not char.text.strip() or not _is_shadow(char, seen))
    runs = runs_of(kept, lambda word, char: _goes_on(word[-1], char))
    return [_word(run) for run in runs if run[0].text.strip()]


def _goes_on(last: Char, char: Char) -> bool:
    # White space, and the no-break space too, parts words.
    if not last.text.strip() or not char.text.strip():
        return False
    size = max(last.size, char.size)
    return (
        last.angle == char.angle
        and abs(last.base - char.base) <= _SHIFT * size
        and -_OVERLAP * size <= char.start - last.end <= _GAP * size
        and char.start >= last.start
        and min(last.size, char.size) > 0.7 * size
    )


def _is_shadow(char: Char, seen: _Seen) -> bool:
    """True for a character that is printed at this place already; else the place is remembered."""
    reach = max(_SHADOW * char.size, 0.01)
    column, row = round(char.start / reach), round(char.base / reach)
    for near in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
        place = seen.get((char.text, *near))
        if place and abs(place[0] - char.start) < reach and abs(place[1] - char.base) < reach:
            return True
    seen[char.text, column, row] = char.start, char.base
    return False


def _word(chars: Sequence[Char]) -> Word:
    first = chars[0]
    # The minus sign of Computer Modern is in a font that is twice as high as that of the digits.
    body = [char for char in chars if char.text.isalnum()] or chars
    text, starts = "", []
    for char in chars:
        # One ligature may be two letters; they share its width.
        letters = unicodedata.normalize("NFKC", char.text) if char.text in _LIGATURES else char.text
        width = (char.end - char.start) / len(letters)
        starts += [char.start + width * index for index in range(len(letters))]
        text += letters
    edges = [*starts, chars[-1].end]
    if first.angle in (90, 180):
        edges = [-edge for edge in edges]
    x0, top, x1, bottom = around(char.box for char in chars)
    if not first.angle:
        _, top, _, bottom = around(char.box for char in body)
    return Word(
        *(x0, top, x1, bottom),
        text=text,
        size=round(body[0].size, _DIGITS),
        # `ABCDEF+Arial`
        font=first.font.partition("+")[2] or first.font,
        colour=first.colour,
        angle=first.angle,
        edges=tuple(round(edge, _DIGITS) for edge in edges),
    )
