"""A page as it is and its mirror image, so that bars that grow upwards and to the right are read by the same code.

Mirrored, what is left of a plot is below it, and what is below it is left of it. Words keep their places on the page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from pipelines.extract.charts.geometry import Rect, Stroke, mirrored, straight_strokes
from pipelines.extract.charts.labels import Label, number_labels
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Box, Page, Point, Shape


@dataclass(frozen=True)
class Sheet:
    """What is on a page, as it is or mirrored.

    Attributes:
        bounds: The page.
        words: Its words.
        numbers: Its printed numbers, those of several words put together.
        shapes: Its shapes.
        is_mirrored: True for the mirror image.
    """

    bounds: Rect
    words: tuple[Label, ...]
    numbers: tuple[Label, ...]
    shapes: tuple[Shape, ...]
    is_mirrored: bool = False

    @cached_property
    def levels(self) -> tuple[Stroke, ...]:
        """Its level strokes."""
        return straight_strokes(self.shapes, along=0)

    @cached_property
    def uprights(self) -> tuple[Stroke, ...]:
        """Its upright strokes."""
        return straight_strokes(self.shapes, along=1)

    @cached_property
    def clips(self) -> frozenset[Rect]:
        """The boxes that cut its shapes and are large enough for a plot."""
        return frozenset(box for shape in self.shapes if shape.clip and _is_large(box := Rect(*shape.clip)))

    @cached_property
    def frames(self) -> tuple[Rect, ...]:
        """The boxes that may frame plots: those that cut shapes, and drawn ones."""
        drawn = {Rect(*s.box) for s in self.shapes if s.kind in ("rect", "curve") and len(s.points) >= 4}
        boxes = (*sorted(self.clips), *sorted(box for box in drawn - self.clips if _is_large(box)))
        return boxes[: SETTINGS.max_frames]

    def page_box(self, box: Box) -> Rect:
        """The box on the page behind one on this sheet, to a hundredth of a point."""
        return Rect(*(round(edge, 2) for edge in self.box_here(box)))

    def box_here(self, box: Box) -> Rect:
        """The box on this sheet of one on the page."""
        return mirrored(box) if self.is_mirrored else Rect(*box)


def both_sheets(page: Page) -> tuple[Sheet, Sheet]:
    """The page as it is, and its mirror image."""
    words = tuple(map(Label.of_word, page.words))
    bounds, numbers = Rect(0.0, 0.0, page.width, page.height), number_labels(words)
    shapes = tuple(map(_mirrored_shape, page.shapes))
    there, numbers_there = (tuple(label.mirrored() for label in labels) for labels in (words, numbers))
    return (
        Sheet(bounds, words, numbers, page.shapes),
        Sheet(mirrored(bounds), there, numbers_there, shapes, is_mirrored=True),
    )


def _mirrored_point(point: Point) -> Point:
    return -point[1], -point[0]


def _mirrored_shape(shape: Shape) -> Shape:
    x0, top, x1, bottom = mirrored(shape.box)
    return replace(
        shape, x0=x0, top=top, x1=x1, bottom=bottom, points=tuple(map(_mirrored_point, shape.points)),
        path=tuple((operator, tuple(map(_mirrored_point, points))) for operator, points in shape.path),
        clip=mirrored(shape.clip) if shape.clip else None,
    )  # fmt: skip


def _is_large(box: Rect) -> bool:
    return min(box.width, box.height) >= SETTINGS.min_plot
