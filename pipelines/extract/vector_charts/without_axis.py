"""What a page shows without an axis: bars of which only the ratio is known, and pictures of which nothing is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipelines.extract.vector_charts.bars import Bar
from pipelines.extract.vector_charts.categories import category_labels
from pipelines.extract.vector_charts.chart import Chart, Mark, Refused
from pipelines.extract.vector_charts.geometry import Orientation, Style, View, is_white, page_box, view
from pipelines.extract.vector_charts.plots import shown
from pipelines.extract.vector_charts.printed_values import at_bars
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token
from pipelines.read.page import Box, Image, Page

# `2.6x`, `>60x`: a page without any such factor compares nothing.
_FACTOR = re.compile(r"(?:[<>~≈]\s?)?(?<!\d)\d+(?:\.\d+)?\s?[x×X](?![0-9])")
_MAX_BARS = 12
# A picture behind the whole page is its background when so many words are printed on it.
_BACKGROUND_SHARE = 0.9
_BACKGROUND_WORDS = 15
_ORIENTATIONS: tuple[Orientation, ...] = ("vertical", "horizontal")


def read_ratios(page: Page, tokens: Sequence[Token]) -> Chart | None:
    """The bars of a slide without axis, each with its length in lengths of the shortest; None where there are none.

    Args:
        page: A page with no chart on it that has an axis.
        tokens: Its printed numbers.
    """
    if not any(_FACTOR.search(word.text) for word in page.words):
        return None
    found = [chart for o in _ORIENTATIONS if (chart := _along(page, tokens, o))]
    return max(found, key=lambda chart: len(chart.marks), default=None)


def _along(page: Page, tokens: Sequence[Token], orientation: Orientation) -> Chart | None:
    boxes = _boxes(page, orientation)
    best: list[View] = []
    for first in boxes:
        # Upright bars stand on their lower edge, lying ones begin at their left edge.
        row = [b for b in boxes if abs(_foot(b, orientation) - _foot(first, orientation)) <= SETTINGS.same_ratio]
        row = [b for b in row if abs(b.breadth - first.breadth) <= SETTINGS.same_ratio]
        if len(row) > len(best):
            best = row
    best.sort(key=lambda b: b.c0)
    apart = all(right.c0 - left.c1 > 0.05 * left.breadth for left, right in pairwise(best))
    lengths = [b.length for b in best]
    if not 2 <= len(best) <= _MAX_BARS or not apart or max(lengths) < min(lengths) + 2 * SETTINGS.same_ratio:
        return None
    frame = View(best[0].c0, min(b.u0 for b in best), best[-1].c1, max(b.u1 for b in best))
    bars = [_bar(b, orientation) for b in best]
    printed = at_bars(bars, tokens, orientation)
    used = {id(word) for value in printed.values() for word in value.token.words}
    labels = category_labels([b.middle for b in best], page.words, frame, orientation, used)
    # Boxes that nothing names are decoration.
    if sum(label is not None for label in labels) < 2 and not printed:
        return None
    shortest = min(lengths)
    marks = []
    for index, (seen, label) in enumerate(zip(best, labels, strict=True)):
        ratio = seen.length / shortest
        low = (seen.length - SETTINGS.ratio_end) / (shortest + SETTINGS.ratio_end) if ratio > 1 else 1.0
        high = (
            (seen.length + SETTINGS.ratio_end) / max(shortest - SETTINGS.ratio_end, SETTINGS.ratio_end / 4)
            if ratio > 1
            else 1.0
        )
        category, words = label or (None, ())
        box = page_box(seen, orientation)
        marks.append(Mark("bar", box, ratio, low, high, "eq", None, category, words, None, printed.get(index), None))
    return Chart(None, page_box(frame, orientation), tuple(marks), (), 1.0)


def _foot(seen: View, orientation: Orientation) -> float:
    return seen.u1 if orientation == "vertical" else seen.u0


def _boxes(page: Page, orientation: Orientation) -> list[View]:
    """Filled rectangles that may be bars, each once; what spans most of the page is background."""
    found: list[View] = []
    for shape in page.shapes:
        box = shown(shape)
        if shape.kind not in ("rect", "shading") or not shape.fill or is_white(shape.fill_colour) or box is None:
            continue
        seen = view(box, orientation)
        breadth = page.width if orientation == "vertical" else page.height
        if seen.breadth < SETTINGS.ratio_breadth or seen.length < SETTINGS.ratio_length or seen.breadth > 0.4 * breadth:
            continue
        if not any(all(abs(a - b) <= SETTINGS.same_ratio for a, b in zip(seen, other, strict=True)) for other in found):
            found.append(seen)
    return found


def _bar(seen: View, orientation: Orientation) -> Bar:
    start, end = (seen.u1, seen.u0) if orientation == "vertical" else (seen.u0, seen.u1)
    return Bar(seen, start, end, Style(None), False)


def picture_charts(page: Page, charts: Sequence[Box]) -> Iterator[Refused]:
    """One refusal per picture that is large enough to show a chart and lies in no drawn one."""
    for image in page.images:
        width, height = image.x1 - image.x0, image.bottom - image.top
        share = width * height / (page.width * page.height)
        if share < SETTINGS.picture_share or min(width, height) < SETTINGS.picture_side or _is_in(image, charts):
            continue
        if share >= _BACKGROUND_SHARE and len(page.words) >= _BACKGROUND_WORDS:
            continue
        reason = (
            f"a picture of {image.width_px} x {image.height_px} pixels, {width:.0f} x {height:.0f} points in size, may "
            "show a chart; numbers are never read from pictures"
        )
        yield Refused("image_chart", reason, image.box)


def _is_in(image: Image, charts: Sequence[Box]) -> bool:
    middle = ((image.x0 + image.x1) / 2, (image.top + image.bottom) / 2)
    return any(box[0] <= middle[0] <= box[2] and box[1] <= middle[1] <= box[3] for box in charts)
