"""Charts written operator by operator, in the habits of programs that run elsewhere.

Keynote and other programs on Quartz turn the page upside down, cut every shape to its own box and paint bars as closed
paths; Word prints each letter in a clipping box of its own and charts in a scaled form; MATLAB cuts curves into pieces
of two points, each clipped to its axes, in tenths of a point; Excel nests clipping boxes around the rectangles of bars
and sets letters one by one, or draws them as outlines, of which nothing can be read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import pikepdf
from makers.charts.layouts import Data, Known, write_marks

Point = tuple[float, float]
WIDTH, HEIGHT = 420.0, 300.0
# The plot: left, bottom, right, top, in points from the lower left corner.
PLOT = (60.0, 50.0, 300.0, 260.0)
COLOURS = ((0.27, 0.45, 0.77), (0.93, 0.49, 0.19), (0.65, 0.65, 0.65))
BLACK, GREY = (0.0, 0.0, 0.0), (0.85, 0.85, 0.85)
Colour = tuple[float, float, float]


def _letter_widths() -> dict[str, float]:
    file = Path(matplotlib.get_data_path(), "fonts", "pdfcorefonts", "Helvetica.afm")
    rows = [line.split() for line in file.read_text("latin-1").splitlines() if line.startswith("C ")]
    return {chr(int(row[1])): float(row[4]) / 1000 for row in rows if int(row[1]) > 0}


class Writer:
    """A page of operators: closed paths, open paths and texts, each in the habit of one program."""

    scale = 1.0

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.widths = _letter_widths()

    def box(self, corners: Sequence[float], colour: Colour) -> None:
        x0, y0, x1, y1 = corners
        self.parts.append(f"{self.fill(colour)} {self.n(x0, y0)} {self.n(x1 - x0, y1 - y0)} re f")

    def curve(self, points: Sequence[Point], colour: Colour, width: float = 1.5) -> None:
        self.line(points, colour, width)

    def line(self, points: Sequence[Point], colour: Colour, width: float = 0.5) -> None:
        path = f"{self.n(*points[0])} m " + " ".join(f"{self.n(*p)} l" for p in points[1:])
        self.parts.append(f"{self.pen(colour)} {self.n(width)} w {path} S")

    def text(self, x: float, y: float, text: str, anchor: float = 0.5, size: float = 8.0) -> None:
        x -= anchor * sum(self.widths[c] for c in text) * size
        self.parts.append(f"BT 0 g /F1 {self.n(size)} Tf 1 0 0 1 {self.n(x, y)} Tm ({_escaped(text)}) Tj ET")

    def fill(self, colour: Colour) -> str:
        return "{:.3f} {:.3f} {:.3f} rg".format(*colour)

    def pen(self, colour: Colour) -> str:
        return "{:.3f} {:.3f} {:.3f} RG".format(*colour)

    def n(self, *numbers: float) -> str:
        return " ".join(f"{number / self.scale:.3f}" for number in numbers)

    def page(self, pdf: pikepdf.Pdf) -> tuple[str, dict[str, pikepdf.Object]]:
        return "\n".join(self.parts), {}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


class Quartz(Writer):
    """Keynote, Numbers, Pages."""

    def box(self, corners: Sequence[float], colour: Colour) -> None:
        x0, y0, x1, y1 = corners
        clip = f"{self.n(x0 - 1, HEIGHT - y1 - 1)} {self.n(x1 - x0 + 2, y1 - y0 + 2)} re W n"
        path = " ".join(f"{self.n(x, HEIGHT - y)} l" for x, y in ((x1, y0), (x1, y1), (x0, y1)))
        self.parts.append(
            f"q {clip} /Cs1 cs {self.fill(colour)[:-2]}sc {self.n(x0, HEIGHT - y0)} m {path} h f Q"
        )  # fmt: skip

    def line(self, points: Sequence[Point], colour: Colour, width: float = 0.5) -> None:
        path = " ".join(f"{self.n(x, HEIGHT - y)} {'l' if i else 'm'}" for i, (x, y) in enumerate(points))
        self.parts.append(f"q 0 J 1 j /Cs1 CS {self.pen(colour)[:-2]}SC {self.n(width)} w {path} S Q")

    def text(self, x: float, y: float, text: str, anchor: float = 0.5, size: float = 8.0) -> None:
        x -= anchor * sum(self.widths[c] for c in text) * size
        self.parts.append(
            f"q 1 0 0 -1 0 {HEIGHT} cm BT {size} 0 0 {size} {self.n(x, y)} Tm /F1 1 Tf 0 0 0 rg "
            f"({_escaped(text)}) Tj ET Q"
        )

    def page(self, pdf: pikepdf.Pdf) -> tuple[str, dict[str, pikepdf.Object]]:
        body = f"q Q q 0 0 {WIDTH} {HEIGHT} re W n 1 0 0 -1 0 {HEIGHT} cm\n" + "\n".join(self.parts) + "\nQ"
        return body, {"ColorSpace": pikepdf.Dictionary(Cs1=pikepdf.Name.DeviceRGB)}


class Word(Writer):
    """Word: a form for the chart, and a clipping box for each run of letters."""

    def box(self, corners: Sequence[float], colour: Colour) -> None:
        x0, y0, x1, y1 = corners
        self.parts.append(f"q {self.fill(colour)} {self.n(x0, y0)} {self.n(x1 - x0, y1 - y0)} re f* Q")

    def text(self, x: float, y: float, text: str, anchor: float = 0.5, size: float = 8.0) -> None:
        x -= anchor * sum(self.widths[c] for c in text) * size
        for letter in text:
            broad = self.widths[letter] * size
            if letter != " ":
                clip = f"{self.n(x - 0.5, y - 2)} {self.n(broad + 1, size + 2)} re W* n"
                self.parts.append(
                    f"/P <</MCID 0>> BDC q {clip} BT /F1 {size} Tf 1 0 0 1 {self.n(x, y)} Tm 0 g 0 G "
                    f"[({_escaped(letter)})] TJ ET Q EMC"
                )
            x += broad

    def page(self, pdf: pikepdf.Pdf) -> tuple[str, dict[str, pikepdf.Object]]:
        form = pdf.make_stream("\n".join(self.parts).encode("latin-1"))
        form.update({
            "/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Form, "/BBox": [0, 0, WIDTH, HEIGHT],
            "/Matrix": [1.25, 0, 0, 1.25, 0, 0], "/Resources": pikepdf.Dictionary(Font=_fonts(pdf)),
        })  # fmt: skip
        body = f"q 0.000008871 0 {WIDTH} {HEIGHT} re W* n q 0.8 0 0 0.8 0 0 cm /Fm1 Do Q Q"
        return body, {"XObject": pikepdf.Dictionary(Fm1=form)}


class Matlab(Writer):
    """MATLAB's painters: tenths of a point, curves in pieces, a clip for each axes."""

    scale = 0.1

    def curve(self, points: Sequence[Point], colour: Colour, width: float = 1.5) -> None:
        x0, y0, x1, y1 = PLOT
        self.parts.append(f"q {self.n(x0, y0)} {self.n(x1 - x0, y1 - y0)} re W n {self.pen(colour)} {self.n(width)} w")
        for (a, b), (c, d) in itertools.pairwise(points):
            # Long pieces are drawn in several, so that the pen is never far from where it was.
            steps = 8
            places = [(a + (c - a) * i / steps, b + (d - b) * i / steps) for i in range(steps + 1)]
            path = f"{self.n(*places[0])} m " + " ".join(f"{self.n(*p)} l" for p in places[1:])
            self.parts.append(f"{path} S")
        self.parts.append("Q")

    def box(self, corners: Sequence[float], colour: Colour) -> None:
        x0, y0, x1, y1 = corners
        path = " ".join(f"{self.n(x, y)} {'l' if i else 'm'}" for i, (x, y) in enumerate(
            ((x0, y0), (x0, y1), (x1, y1), (x1, y0))
        ))  # fmt: skip
        self.parts.append(f"q {self.fill(colour)} {path} h f* {self.pen(BLACK)} {self.n(0.5)} w {path} h S Q")

    def page(self, pdf: pikepdf.Pdf) -> tuple[str, dict[str, pikepdf.Object]]:
        return "q 0.1 0 0 0.1 0 0 cm\n" + "\n".join(self.parts) + "\nQ", {}


class Excel(Writer):
    """Excel: rectangles in nested clipping boxes, letters one by one."""

    def box(self, corners: Sequence[float], colour: Colour) -> None:
        x0, y0, x1, y1 = corners
        left, low, right, high = PLOT if x1 <= PLOT[2] else (0.0, 0.0, WIDTH, HEIGHT)
        self.parts.append(
            f"q 0 0 {WIDTH} {HEIGHT} re W* n q {self.n(left, low)} {self.n(right - left, high - low)} re W* n "
            f"{self.fill(colour)} {self.n(x0, y0)} {self.n(x1 - x0, y1 - y0)} re f* Q Q"
        )

    def text(self, x: float, y: float, text: str, anchor: float = 0.5, size: float = 8.0) -> None:
        x -= anchor * sum(self.widths[c] for c in text) * size
        for letter in text:
            self.parts.append(f"BT /F1 {size} Tf 1 0 0 1 {self.n(x, y)} Tm 0 g ({_escaped(letter)}) Tj ET")
            x += self.widths[letter] * size


class Outlines(Excel):
    """Text as outlines: nothing of it can be read."""

    def text(self, x: float, y: float, text: str, anchor: float = 0.5, size: float = 8.0) -> None:
        from matplotlib.textpath import TextPath

        outline = TextPath((0, 0), text, size=size)
        x -= anchor * outline.get_extents().width
        for polygon in outline.to_polygons():
            path = " ".join(f"{self.n(x + px, y + py)} {'l' if i else 'm'}" for i, (px, py) in enumerate(polygon))
            self.parts.append(f"0 g {path} h f*")

    def page(self, pdf: pikepdf.Pdf) -> tuple[str, dict[str, pikepdf.Object]]:
        # A page without any text is refused whole.
        super().text(WIDTH / 2, 285, "Throughput by model")
        return super().page(pdf)


def _axis(writer: Writer, high: float, ticks_inside: bool, grid: bool) -> Callable[[float], float]:
    """Draw the value axis from zero; where a value is."""
    x0, y0, x1, y1 = PLOT
    if grid:
        for step in range(6):
            y = y0 + (y1 - y0) * step / 5
            writer.line([(x0, y), (x1, y)], GREY)
    for step in range(6):
        y = y0 + (y1 - y0) * step / 5
        if not grid:
            writer.line([(x0, y), (x0 + (3 if ticks_inside else -3), y)], BLACK)
        writer.text(x0 - 6, y - 2.8, f"{high * step / 5:g}", 1.0)
    if not grid:
        for a, b in (((x0, y0), (x1, y0)), ((x1, y0), (x1, y1)), ((x1, y1), (x0, y1)), ((x0, y1), (x0, y0))):
            writer.line([a, b], BLACK)
    writer.line([(x0, y0), (x1, y0)], BLACK)
    return lambda value: y0 + (y1 - y0) * value / high


def _legend(writer: Writer, names: Sequence[str], of_lines: bool) -> None:
    for index, name in enumerate(names):
        y = 240 - 14 * index
        if of_lines:
            writer.line([(312, y + 3), (330, y + 3)], COLOURS[index], 1.5)
        else:
            writer.box((318, y, 324, y + 6), COLOURS[index])
        writer.text(334, y, name, 0.0)


def bars(writer: Writer, data: Data, layout: str) -> list[Known]:
    names, series = data.models(4), data.platforms(data.dice.choice((1, 2, 3)))
    high = data.dice.choice((5.0, 50.0, 500.0, 2500.0))
    rows = [data.values(4, high * 0.95) for _ in series]
    at = _axis(writer, high, data.dice.random() < 0.5, data.dice.random() < 0.6)
    x0, y0, x1, _ = PLOT
    slot = (x1 - x0) / 4
    broad = 0.7 * slot / len(series)
    for index, row in enumerate(rows):
        for place, value in enumerate(row):
            left = x0 + slot * (place + 0.15) + broad * index
            writer.box((left, y0, left + broad, at(value)), COLOURS[index])
    for place, name in enumerate(names):
        writer.text(x0 + slot * (place + 0.5), y0 - 12, name, size=7.0)
    if len(series) > 1:
        _legend(writer, series, of_lines=False)
    return [
        Known("streams", layout, 1, "bar", label if len(series) > 1 else "", name, None, value, 0, high)
        for label, row in zip(series, rows, strict=True) for name, value in zip(names, row, strict=True)
    ]  # fmt: skip


def lines(writer: Writer, data: Data, layout: str) -> list[Known]:
    series = data.platforms(data.dice.choice((1, 2, 3)))
    xs = sorted(data.dice.sample(range(5, 96, 5), 6))
    high = data.dice.choice((5.0, 50.0, 500.0, 2500.0))
    rows = [data.rising(6, high * 0.95) for _ in series]
    at = _axis(writer, high, data.dice.random() < 0.5, data.dice.random() < 0.6)
    x0, y0, x1, _ = PLOT
    for tick in range(0, 101, 20):
        x = x0 + (x1 - x0) * tick / 100
        writer.line([(x, y0), (x, y0 - 3)], BLACK)
        writer.text(x, y0 - 12, str(tick))
    for index, row in enumerate(rows):
        writer.curve([(x0 + (x1 - x0) * x / 100, at(v)) for x, v in zip(xs, row, strict=True)], COLOURS[index])
    if len(series) > 1:
        _legend(writer, series, of_lines=True)
    return [
        Known("streams", layout, 1, "point", label if len(series) > 1 else "", "", float(x), value, 0, high, False, 100)
        for label, row in zip(series, rows, strict=True) for x, value in zip(xs, row, strict=True)
    ]  # fmt: skip


HABITS = {"quartz": Quartz, "word": Word, "matlab": Matlab, "excel": Excel, "outlines": Outlines}


def _fonts(pdf: pikepdf.Pdf) -> pikepdf.Dictionary:
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica,
        Encoding=pikepdf.Name.WinAnsiEncoding,
    )  # fmt: skip
    return pikepdf.Dictionary(F1=pdf.make_indirect(font))


def make(habit: str, kind: Callable[[Writer, Data, str], list[Known]], seed: int, path: Path) -> list[Known]:
    """Write one chart in one habit as one page; what it shows."""
    writer = HABITS[habit]()
    marks = kind(writer, Data(seed + 10_000 * list(HABITS).index(habit)), f"{habit}_{kind.__name__}")
    with pikepdf.new() as pdf:
        body, resources = writer.page(pdf)
        page = pdf.add_blank_page(page_size=(WIDTH, HEIGHT))
        page.obj.Contents = pdf.make_stream(body.encode("latin-1"))
        page.obj.Resources = pikepdf.Dictionary({"/Font": _fonts(pdf)} | {f"/{k}": v for k, v in resources.items()})
        pdf.save(path)
    return marks


def make_all(folder: Path, first: int, count: int) -> None:
    """Write `count` pages of each kind in each habit, with what they show beside them."""
    for habit in HABITS:
        for kind in (bars, lines):
            for seed in range(first, first + count):
                name = f"layout_{habit}_{kind.__name__}_{seed}"
                write_marks(make(habit, kind, seed, folder / f"{name}.pdf"), folder / f"{name}.marks.csv")
