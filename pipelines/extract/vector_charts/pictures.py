"""Pictures that may show a chart: no number is read from them, and that is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.extract.vector_charts.chart import Refused
from pipelines.read.page import Box, Image, Page

# A logo, an icon or a portrait is smaller; parts of the page.
_MIN_SHARE = 0.06
_MIN_SIDE_PT = 90.0
# A picture behind the whole page is its background when so many words are printed on it.
_BACKGROUND_SHARE = 0.9
_BACKGROUND_WORDS = 15


def picture_charts(page: Page, charts: Sequence[Box]) -> Iterator[Refused]:
    """One refusal per picture that is large enough to show a chart and lies in no drawn one."""
    for image in page.images:
        width, height = image.x1 - image.x0, image.bottom - image.top
        share = width * height / (page.width * page.height)
        if share < _MIN_SHARE or min(width, height) < _MIN_SIDE_PT or _is_in(image, charts):
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
