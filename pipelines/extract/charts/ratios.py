"""What a page shows without an axis: bars of which only the ratio is known, and pictures of which nothing is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipelines.extract.charts.bars import filled_boxes
from pipelines.extract.charts.chart import Chart, DrawnMark, PlotMark, RefusedChart
from pipelines.extract.charts.geometry import Rect, Style, around, grouped, is_near
from pipelines.extract.charts.names import category_labels, values_at
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.read.page import Page
from pipelines.values.numbers import FACTOR

_MAX_BARS = 12
# A picture behind the whole page is its background when so many words are printed on it.
_BACKGROUND_SHARE = 0.9
_BACKGROUND_WORDS = 15


def read_ratios(sheets: Sequence[Sheet]) -> Chart | None:
    """The bars of a slide without axis, each with its length in lengths of the shortest; None where there are none.

    Args:
        sheets: A page with no chart on it that has an axis, as it is and mirrored.
    """
    # A page without any such factor compares nothing.
    if not any(FACTOR.search(word.text) for word in sheets[0].words):
        return None
    return max((chart for sheet in sheets if (chart := _ratios(sheet))), key=lambda c: len(c.marks), default=None)


def _ratios(sheet: Sheet) -> Chart | None:
    found = [box for box in filled_boxes(sheet.shapes, sheet, sheet.bounds) if box.style.is_filled]
    # What spans most of the page is background.
    boxes = [b for b, *_ in found if SETTINGS.ratio_breadth <= b.width <= 0.4 * sheet.bounds.width]
    rows = grouped(
        boxes, lambda row, b: is_near((b.bottom, b.width), (row[0].bottom, row[0].width), SETTINGS.same_ratio)
    )
    longest = max(rows, key=len, default=[])
    row = sorted(longest)
    apart = all(right.x0 - left.x1 > 0.05 * left.width for left, right in pairwise(row))
    lengths = [b.height for b in row]
    if not 2 <= len(row) <= _MAX_BARS or not apart or max(lengths) < min(lengths) + 2 * SETTINGS.same_ratio:
        return None
    frame, shortest, end = around(row), min(lengths), SETTINGS.ratio_end
    printed = values_at([PlotMark("bar", b, b.x, b.top, Style(None), b.bottom) for b in row], sheet.numbers)
    used = {word for label in printed.values() for word in label.words}
    free = [w for w in sheet.words if not w.is_of(used) and (not sheet.is_mirrored or w.angle == 90)]
    labels = category_labels([b.x for b in row], free, frame)
    # Boxes that nothing names are decoration.
    if sum(label is not None for label in labels) < 2 and not printed:
        return None
    marks = []
    for index, (box, label) in enumerate(zip(row, labels, strict=True)):
        low, high = (box.height - end) / (shortest + end), (box.height + end) / max(shortest - end, end / 4)
        span = (low, high) if box.height > shortest else (1.0, 1.0)
        place, ratio = sheet.page_box(box), box.height / shortest
        marks.append(DrawnMark("bar", place, ratio, *span, category=label, printed=printed.get(index)))
    return Chart(None, sheet.page_box(frame), tuple(marks[::-1] if sheet.is_mirrored else marks))


def picture_charts(page: Page, charts: Sequence[Chart]) -> Iterator[RefusedChart]:
    """One refusal per picture that is large enough to show a chart and lies in no drawn one."""
    for image in page.images:
        box = Rect(*image.box)
        share = box.width * box.height / (page.width * page.height)
        is_small = share < SETTINGS.picture_share or min(box.width, box.height) < SETTINGS.picture_side
        is_background = share >= _BACKGROUND_SHARE and len(page.words) >= _BACKGROUND_WORDS
        if is_small or is_background or any(Rect(*chart.frame).holds((box.x, box.y)) for chart in charts):
            continue
        reason = (
            f"a picture of {image.width_px} x {image.height_px} pixels, {box.width:.0f} x {box.height:.0f} points in "
            "size, may show a chart; numbers are never read from pictures"
        )
        yield RefusedChart("image_chart", reason, Rect(*(round(edge, 2) for edge in image.box)))
