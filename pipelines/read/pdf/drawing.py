"""What a page paints, with the clipping and colours in force: the interpreter of page contents,
made complete.

pdfminer ignores clipping and gradients, paints nothing for `F`, and starts nested drawings in
black; charts need all four.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LTComponent
from pdfminer.pdfinterp import PDFGraphicState, PDFPageInterpreter
from pdfminer.utils import apply_matrix_pt, apply_matrix_rect, choplist, get_bound, mult_matrix

Rect = tuple[float, float, float, float]


def overlap(one: Rect, other: Rect) -> Rect:
    """What two boxes share; its edges are in the wrong order where that is nothing."""
    (x0, y0, x1, y1), (left, low, right, high) = one, other
    return max(x0, left), max(y0, low), min(x1, right), min(y1, high)


class Gradient(LTComponent):
    """An area filled by a gradient, within the clipping path."""


class State(PDFGraphicState):
    """The graphics state, with the clipping that belongs to it.

    Attributes:
        clip: Box outside of which nothing is painted, in the page's own coordinates; None for the
            whole page.
    """

    clip: Rect | None = None

    def copy(self) -> State:
        return copy.copy(self)

    def cut(self, box: Rect) -> None:
        """Intersect the clipping path with a box."""
        self.clip = overlap(self.clip, box) if self.clip else box


class Canvas(PDFPageAggregator):
    """Collects what is painted; every path carries `clip`, the box in force, and `space`, its
    colour spaces.

    Attributes:
        figure: Box of the nested drawing that begins, in the page's own coordinates.
    """

    figure: Rect

    def begin_figure(self, name: str, bbox: Any, matrix: Any) -> None:
        super().begin_figure(name, bbox, matrix)
        self.figure = apply_matrix_rect(mult_matrix(matrix, self.ctm), bbox)

    def paint_path(self, gstate: Any, stroke: bool, fill: bool, evenodd: bool, path: Any) -> None:
        painted = self.cur_item._objs
        first = len(painted)
        super().paint_path(gstate, stroke, fill, evenodd, path)
        for item in painted[first:]:
            item.clip, item.space = gstate.clip, (gstate.scs.name, gstate.ncs.name)  # type: ignore[attr-defined]


def _then_clip(name: str) -> Callable[[Interpreter], None]:
    """An operator that paints a path, and then clips by it where `W` has announced that."""
    paint = getattr(PDFPageInterpreter, f"do_{name}")

    def operator(self: Interpreter) -> None:
        path = self.curpath
        paint(self)
        self.clip_by(path)

    return operator


class Interpreter(PDFPageInterpreter):
    """Runs the operators of a page's contents on a `Canvas`."""

    device: Canvas
    graphicstate: State
    _inherited: State | None = None
    _cuts: bool = False

    def init_state(self, ctm: Any) -> None:
        super().init_state(ctm)
        self.graphicstate = State()
        if self._inherited is not None:
            self.graphicstate = self._inherited
            self.graphicstate.cut(self.device.figure)

    def subinterp(self) -> PDFPageInterpreter:
        nested = super().subinterp()
        nested._inherited = self.graphicstate.copy()  # type: ignore[attr-defined]
        return nested

    def do_W(self) -> None:  # noqa: N802
        self._cuts = True

    do_W_a = do_W  # noqa: N815

    do_S, do_f, do_f_a, do_B, do_B_a, do_n = map(_then_clip, ("S", "f", "f_a", "B", "B_a", "n"))  # noqa: N815
    do_F = do_f  # noqa: N815

    def do_sh(self, name: object) -> None:
        self.device.cur_item.add(Gradient(self.graphicstate.clip or self.device.cur_item.bbox))

    def clip_by(self, path: Any) -> None:
        """Clip what follows by a path that `W` has announced."""
        if not self._cuts:
            return
        self._cuts = False
        numbers = [number for part in path for number in part[1:]]
        if numbers:
            points = (apply_matrix_pt(self.ctm, pair) for pair in choplist(2, numbers))
            self.graphicstate.cut(get_bound(points))
