"""Charts on pages made by hand: one rule of the geometry each."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, pairwise

import pytest

from pipelines.extract.charts.chart import Chart, RefusedChart
from pipelines.extract.charts.labels import Label, number_labels, parse_label, parse_multiplier
from pipelines.extract.charts.reading import MAX_SHAPES, read_charts
from pipelines.read.page import Box, Colour, Page, Point, Shape, Word

BLUE: Colour = (0.1, 0.3, 0.8)
RED: Colour = (0.9, 0.2, 0.1)
GREEN: Colour = (0.1, 0.7, 0.2)
BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
Found = tuple[list[Chart], list[RefusedChart]]


def word(text: str, middle: float, centre: float, angle: int = 0, end: float | None = None) -> Word:
    """A word of 8 points around a middle, or ending at `end`."""
    width = 4.5 * len(text)
    x0 = end - width if end is not None else middle - width / 2
    return Word(x0, centre - 4, x0 + width, centre + 4, text, 8.0, "", BLACK, angle, ())


def rect(
    box: Box, fill: Colour | None = BLUE, stroke: Colour | None = None, clip: Box | None = None
) -> Shape:
    x0, top, x1, bottom = box
    corners = ((x0, bottom), (x1, bottom), (x1, top), (x0, top))
    path = (("m", corners[:1]), *(("l", (corner,)) for corner in corners[1:]), ("h", ()))
    return Shape(
        *box, "rect", corners, path, stroke is not None, fill is not None, stroke, fill, 1.0, (), clip
    )  # fmt: skip


def curve(points: tuple[Point, ...], colour: Colour = BLUE, clip: Box | None = None) -> Shape:
    path = (("m", points[:1]), *(("l", (point,)) for point in points[1:]))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = (min(xs), min(ys), max(xs), max(ys))
    kind = "line" if len(points) == 2 else "curve"
    return Shape(*box, kind, points, path, True, False, colour, None, 1.5, (), clip)  # type: ignore[arg-type]


def line(x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> Shape:
    return replace(curve(((x0, y0), (x1, y1)), BLACK), linewidth=width)


def read(words: list[Word], shapes: list[Shape]) -> Found:
    return read_charts(Page(1, 400, 300, tuple(words), tuple(shapes), ()))


def only(found: Found) -> Chart:
    [chart] = found[0]
    return chart


def text(label: Label | None) -> str | None:
    return label.text if label else None


def lost(found: Found) -> list[tuple[str, int]]:
    return [(refusal.rule, refusal.marks) for refusal in found[1]]


def values(found: Found) -> list[float]:
    return [round(mark.value, 3) for mark in only(found).marks]


def names(found: Found) -> list[str | None]:
    return [text(mark.category) for mark in only(found).marks]


def series(found: Found) -> list[str | None]:
    return [text(mark.series) for mark in only(found).marks]


def printed(found: Found) -> list[str | None]:
    return [text(mark.printed) for mark in only(found).marks]


# An upright axis from 0 at y 250 to 800 at y 50; labels to the left of x 60, two points too low;
# ticks at x 60 to 64.
TICKS = (0, 200, 400, 600, 800)
LABELS = [word(str(value), 0, 252 - value / 4, end=56) for value in TICKS]
MARKS = [line(60, 250 - value / 4, 64, 250 - value / 4) for value in TICKS]
GRID = [line(60, 250 - value / 4, 380, 250 - value / 4) for value in TICKS]
NAMES = [word("A100", 100, 262), word("IPU-M2000", 160, 262), word("V100", 220, 262)]
FRAME = rect((64, 50, 380, 250), None, BLACK)
# A scale across it: n is at x 64 + 40 n.
NUMBERS = [word(str(n), 64 + 40 * n, 262) for n in range(1, 8)]
BELOW = [line(64 + 40 * n, 250, 64 + 40 * n, 254) for n in range(1, 8)]
PLOT = [*MARKS, *BELOW, FRAME]
PLACES = ((100.0, 200.0), (150.0, 160.0), (200.0, 90.0))
SIGNS = [rect((x - 2, y - 2, x + 2, y + 2), RED) for x, y in PLACES]
UPWARDS = ((80.0, 200.0), (150.0, 180.0), (250.0, 100.0))


def bar(
    middle: float, value: float, fill: Colour | None = BLUE, base: float = 0, **other: Box | None
) -> Shape:
    return rect((middle - 15, 250 - (base + value) / 4, middle + 15, 250 - base / 4), fill, **other)  # type: ignore[arg-type]


BARS = [bar(100, 58), bar(160, 581), bar(220, 595)]


def test_bars_are_read_from_ticks_and_not_from_the_middles_of_labels() -> None:
    found = read(LABELS + NAMES, MARKS + BARS)
    assert (values(found), names(found)) == ([58, 581, 595], ["A100", "IPU-M2000", "V100"])
    assert all(mark.low < mark.value < mark.high < mark.low + 4 for mark in only(found).marks)


def test_without_tick_marks_the_common_foot_of_three_bars_is_zero() -> None:
    # The middles of the labels are two points too low.
    assert values(read(LABELS + NAMES, BARS)) == [58, 581, 595]
    # Two bars may stand anywhere, an axis may be cut off above zero, and labels may be off a line.
    assert lost(read(LABELS + NAMES, BARS[:2])) == [("no_ticks", 2)]
    cut = [word(str(value + 20), 0, 252 - value / 4, end=56) for value in TICKS]
    assert read(cut + NAMES, BARS)[0] == []
    bent = [*LABELS[:2], replace(LABELS[2], top=148.7, bottom=156.7), *LABELS[3:]]
    assert lost(read(bent + NAMES, BARS)) == [("no_ticks", 3)]


def test_a_thin_lowest_piece_of_stacked_bars_is_no_zero_line() -> None:
    # Each lowest piece is 0.5 points high.
    pieces = [bar(x, 2, RED) for x in (100, 160, 220)]
    pieces += [bar(x, value, base=2) for x, value in ((100, 200), (160, 300), (220, 400))]
    found = read(LABELS + NAMES, [*MARKS, *pieces])
    assert values(found) == [2, 200, 2, 300, 2, 400]
    assert all(mark.low < mark.value < mark.high < mark.low + 4 for mark in only(found).marks)


SAME_BARS = {
    "another order": [*MARKS, *BARS][::-1],
    "backgrounds": [
        rect((64, 50, 380, 250), (0.9, 0.9, 0.9)),
        rect((0, 0, 400, 300), WHITE),
        *MARKS,
        *BARS,
    ],
    "outlines": [*MARKS, *(rect(shape.box, None, BLACK) for shape in BARS)],
    "fills and outlines": [*MARKS, *BARS, *(rect(shape.box, None, BLACK) for shape in BARS)],
    "reference line": [
        *MARKS,
        *BARS,
        line(64, 170, 380, 170),
        replace(line(60, 120, 390, 120), dash=(2.0, 2.0)),
    ],
    "a zero line": [*MARKS, *BARS, curve(tuple((64.0 + 40 * n, 250.0) for n in range(8)), RED)],
    "an arrow": [*MARKS, *BARS, line(225, 98, 276, 82)],
}


@pytest.mark.parametrize("shapes", SAME_BARS.values(), ids=SAME_BARS)
def test_bars_are_the_same_whatever_else_is_drawn(shapes: list[Shape]) -> None:
    assert values(read(LABELS + NAMES, shapes)) == [58, 581, 595]


def test_the_printed_value_is_beside_the_drawn_one() -> None:
    at_bars = [word("58", 100, 230), word("600", 160, 99), word("10x", 220, 95)]
    found = read(LABELS + NAMES + at_bars, MARKS + BARS)
    # A factor is no value of an axis that counts something else.
    assert (printed(found), values(found)[1]) == (["58", "600", None], 581)


ODD = [
    word(text, 0, 252 - 50 * place, end=56)
    for place, text in enumerate(("0", "200", "900", "300", "800"))
]
NO_CHARTS = {
    "two ticks": (LABELS[:2] + NAMES, MARKS + BARS),
    "labels on no scale": (ODD + NAMES, MARKS + BARS),
    "boxes without axis or factor": (NAMES, BARS),
    "cards": (NAMES, [*GRID, *(rect((x, 100, x + 60, 250)) for x in (70, 150, 230))]),
    "a table with filled cells": (
        [word(str(n * i), x, 60 + 20 * i) for i in range(1, 8) for n, x in ((1, 70), (7, 150))],
        [line(50, 50 + 20 * i, 350, 50 + 20 * i) for i in range(1, 10)]
        + [rect((50 + 100 * i, 50, 150 + 100 * i, 70)) for i in range(3)]
        + [rect((50, 70 + 40 * i, 350, 90 + 40 * i), (0.9, 0.9, 1)) for i in range(3)],
    ),
}


@pytest.mark.parametrize(("words", "shapes"), NO_CHARTS.values(), ids=NO_CHARTS)
def test_what_is_no_chart_gives_nothing(words: list[Word], shapes: list[Shape]) -> None:
    charts, refused = read(words, shapes)
    assert (charts, [r for r in refused if r.rule != "no_axis"]) == ([], [])


def test_a_page_full_of_shapes_is_refused_at_once() -> None:
    found = read(LABELS, BARS * (MAX_SHAPES // 3 + 1))
    assert (found[0], lost(found)) == ([], [("too_many_shapes", 0)])


def test_negative_bars_hang_below_zero() -> None:
    labels = [word(str(value), 0, 152 - value, end=56) for value in (-100, -50, 0, 50, 100)]
    marks = [line(60, 150 - value, 64, 150 - value) for value in (-100, -50, 0, 50, 100)]
    assert values(read(labels, [*marks, rect((85, 150, 115, 190)), rect((145, 75, 175, 150))])) == [
        -40,
        75,
    ]


@pytest.mark.parametrize(
    "texts",
    [("1", "10", "100", "1,000"), ("2", "20", "200", "2000"), ("10^0", "10^1", "10^2", "10^3")],
)
def test_bars_on_a_log_axis(texts: tuple[str, ...]) -> None:
    labels = [word(text, 0, 250 - 50 * place, end=56) for place, text in enumerate(texts)]
    marks = [line(60, 250 - 50 * place, 64, 250 - 50 * place) for place in range(4)]
    bars = [rect((85, 200, 115, 250)), rect((145, 125, 175, 250))]
    found = read(labels, [*marks, rect((64, 95, 380, 250), None, BLACK), *bars])
    first = parse_label(texts[0])
    assert first is not None
    assert [round(mark.value / first[0], 2) for mark in only(found).marks] == [
        10,
        round(10**2.5, 2),
    ]
    assert only(found).axis.scale == "log"  # type: ignore[union-attr]


@pytest.mark.parametrize("first", [3, 5])
def test_the_marks_of_decades_are_counted_from_the_one_power_of_ten(first: int) -> None:
    # From 3 to 200, or from 5 to 90; 10 alone is printed.
    numbers = [n * 10**power for power in range(3) for n in range(1, 10)][first - 1 : 23 - first]
    ys = {n: 250 - 80 * math.log10(n / numbers[0]) for n in numbers}
    marks = [line(62 - 2 * (n == 10), y, 64, y) for n, y in ys.items()]
    frame, label = rect((64, 60, 380, 250), None, BLACK), word("10^1", 0, ys[10] + 2, end=56)
    bars = [rect((x, ys[n], x + 30, 250)) for x, n in ((85, 20), (145, 9), (205, 60))]
    found = read([label, *NAMES], [*marks, frame, *bars])
    assert [round(mark.value, 3) for mark in only(found).marks] == [20, 9, 60]
    # One mark too many, or too few marks, are of no such scale.
    for wrong in ([*marks, line(62, ys[10] - 5, 64, ys[10] - 5)], marks[5:12]):
        assert read([label, *NAMES], [*wrong, frame, *bars])[0] == []


SECOND_SCALES = (
    "344,250,0 344,200,20 344,150,40 344,100,60", "344,250,1 344,200,10 344,150,100 344,100,1000",
    "344,250,0 344,70,5", "350,80,90% 352,160,45%", "350,80,20W 350,160,10W", "344,250,0 349,170,20 341,77,1,500",
    "344,200,×2 344,100,×4",
    "390,250,0 390,90,3", "20,250,0 20,90,3", "70,42,+1e6",
)  # fmt: skip


@pytest.mark.parametrize("second", SECOND_SCALES)
def test_two_scales_beside_one_plot_are_ambiguous(second: str) -> None:
    grid = [line(64, 250 - value / 4, 340, 250 - value / 4) for value in TICKS]
    places = [place.split(",", 2) for place in second.split()]
    words = [word(text, 0, float(y) + 2, end=float(x) + 4.5 * len(text)) for x, y, text in places]
    found = read(LABELS + NAMES + words, grid + BARS)
    assert (found[0], lost(found)) == ([], [("ambiguous_axis", 3)])


def test_an_upright_title_beside_the_labels_of_a_second_scale_explains_none() -> None:
    grid = [line(64, 250 - value / 4, 340, 250 - value / 4) for value in TICKS]
    second = [word("0", 0, 222, end=350), word("9", 0, 92, end=350)]
    title = [word("Power", 365, centre, angle=90) for centre in (222, 92)]
    found = read(LABELS + NAMES + second + title, grid + BARS)
    assert (found[0], lost(found)) == ([], [("ambiguous_axis", 3)])


@pytest.mark.parametrize(
    "beside",
    [
        "350,80,90%", "350,80,2.6x", "380,150,12", "344,250,0 344,150,400",
        "344,220,alpha 380,220,4 344,180,beta 380,180,9",
    ],
)  # fmt: skip
def test_numbers_that_are_no_scale_leave_a_chart_as_it_is(beside: str) -> None:
    grid = [line(64, 250 - value / 4, 340, 250 - value / 4) for value in TICKS]
    places = [place.split(",", 2) for place in beside.split()]
    words = [word(text, 0, float(y) + 2, end=float(x) + 4.5 * len(text)) for x, y, text in places]
    assert values(read(LABELS + NAMES + words, grid + BARS)) == [58, 581, 595]


def test_the_reason_quotes_the_numbers_of_a_second_scale() -> None:
    second = [word("20", 360, 102), word("0", 360, 252)]
    grid = [line(64, 250 - value / 4, 340, 250 - value / 4) for value in TICKS]
    [refusal] = read(LABELS + NAMES + second, grid + BARS)[1]
    assert refusal.reason.endswith("beside it stand `20`, `0`")


def legend(colour: Colour, text: str, y: float) -> tuple[Shape, Word]:
    return rect((300, y - 3, 308, y + 3), colour), word(text, 312 + 4.5 * len(text) / 2, y)


def test_a_series_is_named_by_the_colour_of_the_legend_alone() -> None:
    (blue, first), (red, second) = legend(BLUE, "PyTorch", 60), legend(RED, "TensorFlow", 72)
    bars = [bar(85, 100), bar(115, 200, RED), bar(185, 300), bar(215, 400, (0, 0.6, 0))]
    groups = [word("A100", 100, 262), word("IPU", 200, 262)]
    found = read(LABELS + groups + [first, second], [*MARKS, blue, red, *bars])
    assert series(found) == ["PyTorch", "TensorFlow", "PyTorch", None]
    assert names(found) == ["A100", "A100", "IPU", "IPU"]
    # One colour under two names is nobody's.
    twin, second = legend(BLUE, "TensorFlow", 72)
    assert set(series(read(LABELS + NAMES + [first, second], [*MARKS, blue, twin, *BARS]))) == {
        None
    }


def test_the_text_of_a_legend_is_on_one_side_of_all_signs() -> None:
    # Each text is nearer to the sign of the next one than to its own.
    signs = [rect((x, 20, x + 8, 28), fill) for x, fill in ((100, BLUE), (142, RED), (184, GREEN))]
    texts = [word(name, x, 24) for name, x in (("Alpha", 128), ("Gamma", 170), ("Delta", 212))]
    bars = [bar(85, 100), bar(115, 200, RED), bar(145, 300, GREEN)]
    assert series(read(LABELS + NUMBERS + texts, [*PLOT, *signs, *bars])) == [
        "Alpha",
        "Gamma",
        "Delta",
    ]


@pytest.mark.parametrize(
    ("sign", "lines", "expected"),
    [
        (60, {"PyTorch": 55, "(FP16)": 65}, "PyTorch (FP16)"),
        (60, {"A100": 50, "PyTorch": 60, "(FP16)": 70}, "A100 PyTorch (FP16)"),
        # Which lines are of the sign is not clear where it is beside the first one.
        (60, {"PyTorch": 60, "(FP16)": 70}, None),
        (60, {"PyTorch": 60, "Throughput": 80}, "PyTorch"),
        # The second line is nearer to the next sign.
        (46, {"PyTorch": 46, "(FP16)": 56}, "PyTorch"),
    ],
)
def test_a_name_of_a_legend_has_all_its_lines_or_is_none(
    sign: float, lines: dict[str, float], expected: str | None
) -> None:
    words = [word(text, 312 + 4.5 * len(text) / 2, y) for text, y in lines.items()]
    (blue, _), (red, _) = legend(BLUE, "", sign), legend(RED, "", 58 if sign == 46 else 100)
    found = read([*LABELS, *NAMES, *words], [*MARKS, *BARS, blue, red])
    assert series(found) == [expected] * 3
    assert lost(found) == [("name_lines", 0)] * (expected is None)


def test_numbers_beside_the_signs_of_a_legend_of_points_name_none() -> None:
    points = [*SIGNS, *(rect((x + 8, y - 2, x + 12, y + 2)) for x, y in PLACES)]
    signs = [rect((298, y - 2, 302, y + 2), c) for c, y in ((RED, 70), (BLUE, 84))]
    texts = [word("32", 312, 70), word("64", 312, 84)]
    found = read(LABELS + NUMBERS + texts, [*PLOT, *points, *signs])
    assert (series(found), lost(found)) == ([None] * 6, [("name_lines", 0)])


def test_names_that_are_half_a_name_are_none() -> None:
    found = read(
        [*LABELS, *NAMES[:2], word("MI30", 0, 262, end=399.9)], [*MARKS, *BARS[:2], bar(375, 300)]
    )
    assert names(found) == ["A100", "IPU-M2000", None]
    # Each name twice: brackets below would say of which group.
    bars = [bar(middle, 100 + middle) for middle in (90, 130, 210, 250)]
    inner = [
        word(text, middle, 258) for text, middle in zip("ABAB", (90, 130, 210, 250), strict=True)
    ]
    assert set(names(read(LABELS + inner, [*MARKS, *bars]))) == {None}
    broken = [NAMES[0], word("EfficientNet", 160, 262), word("-B4", 160, 271), NAMES[2]]
    assert names(read(LABELS + broken, MARKS + BARS)) == ["A100", "EfficientNet-B4", "V100"]


def test_without_an_axis_only_the_ratio_of_the_bars_is_known() -> None:
    found = read([*NAMES, word("10.3x", 220, 95)], BARS)
    assert only(found).axis is None
    assert [round(mark.value, 2) for mark in only(found).marks] == [
        1.0,
        round(581 / 58, 2),
        round(595 / 58, 2),
    ]
    assert printed(found) == [None, None, "10.3x"]
    beside = [word("A100", 0, 102, end=95), word("V100", 0, 152, end=95), word("2.6x", 375, 152)]
    found = read(
        beside,
        [rect((100, y - 12, 100 + length, y + 12)) for y, length in ((100, 100), (150, 260))],
    )
    [_, longer] = only(found).marks
    assert (text(longer.category), longer.printed and longer.printed.words) == (
        "V100",
        (beside[2],),
    )


@pytest.mark.parametrize("claim", ["1x", "1.3x", "9x", ""])
def test_boxes_of_which_no_printed_factor_tells_the_ratio_compare_nothing(claim: str) -> None:
    boxes = [rect((75, 150, 125, 250)), rect((175, 123.6, 225, 250))]
    found = read(
        [word("Training", 100, 262), word("Inference", 200, 262), word(claim, 300, 60)], boxes
    )
    assert [round(mark.value, 3) for chart in found[0] for mark in chart.marks] == (
        [1.0, 1.264] if claim == "1.3x" else []
    )


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_slanted_labels_name_the_bars_and_a_title_below_them_does_not(share: float) -> None:
    def slanted(text: str, at: float) -> Word:
        side = 5.0 * len(text)
        left = at - share * side
        label = replace(word(text, at, 262), x0=left, x1=left + side, top=252.0, bottom=252 + side)
        return replace(label, angle=45)

    bars = [bar(middle, 100 + middle) for middle in (90, 160, 230, 300)]
    title = [word("Image", 160, 290), word("depth", 230, 290)]
    labels = [
        slanted(text, x)
        for text, x in zip(("fp64", "fp32", "int8x4", "bf16"), (90, 160, 230, 300), strict=True)
    ]
    assert names(read([*LABELS, *title, *labels], [*MARKS, *bars])) == [
        "fp64",
        "fp32",
        "int8x4",
        "bf16",
    ]
    # A label fewer may be of any bar; two words below four bars are a title.
    near = [replace(one, top=262.0, bottom=270.0) for one in title]
    for words in (labels[1:], near):
        assert set(names(read([*LABELS, *words], [*MARKS, *bars]))) == {None}


CLIP = (64.0, 50.0, 380.0, 250.0)
SCATTER = [*SIGNS, rect((248, 58, 252, 62), RED)]
CUT = tuple(
    (a + (c - a) * i / 8, b + (d - b) * i / 8)
    for (a, b), (c, d) in pairwise(UPWARDS)
    for i in range(8)
)
REFUSED_MARKS = {
    "a bar that is cut": ([bar(100, 58), bar(160, 1200, clip=CLIP)], [58], [("bar_cut", 1)]),
    "a floating bar": ([bar(100, 200), bar(160, 100, base=250), bar(220, 90)], [200, 90], [("floating_bars", 1)]),
    "a vertex beyond the plot": (
        [curve(((80, 200), (100, 150), (120, 100), (160, -40), (200, 150)), clip=CLIP)],
        [200, 400, 600], [("cut_line", 1)],
    ),
    "a line in pieces": ([line(80, 200, 120, 100), line(120, 100, 200, 150)], None, [("pieces", 4)]),
    "where an edge cuts a line": (
        [curve(((80, 200), (100, 150), (120, 100), (131, 50)))], [200, 400, 600], [("cut_line", 1)],
    ),
    "a fitted line": ([curve(((90, 230), (260, 70))), *SCATTER], [200, 360, 640, 760], [("fitted_line", 2)]),
    "a level line of many vertices": (
        [curve(UPWARDS), curve(tuple((64.0 + 45 * n, 150.0) for n in range(8)), RED)],
        [200, 280, 600], [("reference_line", 8)],
    ),
    "a dotted line from side to side": (
        [curve(UPWARDS), replace(curve(((64, 240), (200, 150), (380, 60)), RED), dash=(1.0, 2.0))],
        [200, 280, 600], [("reference_line", 3)],
    ),
    "a level line over a part of the plot": (
        [curve(UPWARDS), curve(((80, 150), (120, 150), (160, 150)), RED)], [200, 280, 600], [("reference_line", 3)],
    ),
    "a stroke from marker to marker": (
        [*SIGNS, curve(PLACES, RED), line(100, 200, 200, 90)], [200, 360, 640], [("annotation", 2)],
    ),
    "a leader": ([curve(UPWARDS), line(152, 178, 200, 150)], [200, 280, 600], [("annotation", 2)]),
    "an arrow to a point": (
        [*SIGNS, line(130, 120, 146, 154), rect((145, 153, 147, 155), BLACK)],
        [200, 360, 640], [("lone_marker", 1), ("fitted_line", 2)],
    ),
    "an outline": (
        [curve(UPWARDS), curve(((80, 220), (150, 210), (120, 120)), RED)], [200, 280, 600], [("no_function", 3)],
    ),
    "split straight lines": ([curve((*CUT, UPWARDS[-1]))], None, [("pieces", 17)]),
    "hatching": ([line(70 + 9 * n, 240, 100 + 9 * n, 180, 0.8) for n in range(20)], None, [("annotation", 40)]),
    "crosses of two strokes": (
        [line(x - 3, y - s * 3, x + 3, y + s * 3) for x, y in PLACES for s in (1, -1)], None, [("stroke_markers", 12)],
    ),
    "an area": (
        [replace(curve((*UPWARDS, (250, 250), (80, 250), (80, 200))), stroke=False, fill=True, fill_colour=BLUE)],
        None, [("filled_area", 4)],
    ),
    "broad strokes": ([line(x, 250, x, x / 2 + 40, 20) for x in (100, 160, 220)], None, [("unread_bar", 3)]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("shapes", "read_values", "rules"), REFUSED_MARKS.values(), ids=REFUSED_MARKS
)
def test_what_is_no_mark_is_refused_with_a_reason(
    shapes: list[Shape], read_values: list[float] | None, rules: list[tuple[str, int]]
) -> None:
    found = read(LABELS + NUMBERS, [*PLOT, *shapes])
    assert lost(found) == rules
    assert [round(mark.value) for chart in found[0] for mark in chart.marks] == (read_values or [])


ACROSS = ((64.0, 240.0), (104.0, 200.0), (200.0, 150.0), (380.0, 60.0))


def crosses(places: tuple[Point, ...], x: float, y: float) -> list[Shape]:
    """Signs of two strokes: `x` where both are 3, `+` where one of each is 0."""
    found = []
    for at, level in places:
        found.append(curve(((at - x, level - y), (at + x, level + y)), RED))
        found.append(curve(((at - y, level + x), (at + y, level - x)), RED))
    return found


@pytest.mark.parametrize(("x", "y"), [(3, 3), (3, 0)], ids=["x", "+"])
def test_a_dashed_line_with_a_cross_at_each_inner_vertex_is_a_series(x: float, y: float) -> None:
    dashed = replace(curve(ACROSS, RED), dash=(4.0, 2.0))

    def lines(signs: list[Shape]) -> tuple[list[float], list[str]]:
        found = read(LABELS + NUMBERS, [*PLOT, dashed, *signs, curve(UPWARDS)])
        return values(found), [rule for rule, _ in lost(found)]

    upwards = [200.0, 280.0, 600.0]
    assert lines(crosses(ACROSS, x, y)) == ([40, 200, 400, 760, *upwards], [])
    # Without them it is a line across the plot as any other.
    for signs in ([], crosses(ACROSS[:2], x, y)):
        read_values, rules = lines(signs)
        assert read_values == upwards
        assert "reference_line" in rules


def test_points_of_which_the_place_is_not_known_are_refused() -> None:
    found = read(LABELS, [*MARKS, FRAME, curve(UPWARDS)])
    assert lost(found) == [("no_place", 3)]
    assert lost(read(LABELS + NUMBERS + [word("●", *at) for at in PLACES], PLOT)) == [
        ("character_markers", 3)
    ]
    # Numbers that are on no scale are names.
    runs = [
        word(text, 100 + 40 * i, 262)
        for i, text in enumerate(("105", "1005", "5005", "10005", "15005", "20005"))
    ]
    found = read(
        LABELS + runs,
        [*MARKS, FRAME, curve(tuple((100.0 + 40 * i, 200.0 - 20 * i) for i in range(6)))],
    )
    assert (names(found)[:2], {mark.x_value for mark in only(found).marks}) == (
        ["105", "1005"],
        {None},
    )


def test_a_chart_whose_axis_cannot_be_read_is_refused_with_its_marks() -> None:
    assert lost(read(NAMES, [*GRID, *BARS])) == [("no_axis", 3)]
    assert lost(read(LABELS + NAMES, BARS[:2])) == [("no_ticks", 2)]
    assert lost(read(NAMES, [*GRID, curve(UPWARDS)])) == [("no_axis", 3)]
    names_beside = [
        word(name, 40, y) for name, (_, y) in zip(("A100", "V100", "IPU"), PLACES, strict=True)
    ]
    assert lost(read(NUMBERS + names_beside, [*BELOW, FRAME, *SIGNS])) == [("lying_points", 3)]


def triangle(x: float, y: float, rise: float) -> Shape:
    """One 8 points wide whose top is `rise` above a place, and whose base is 2.31 below it."""
    return curve(((x - 4, y + 2.31), (x, y - rise), (x + 4, y + 2.31), (x - 4, y + 2.31)), RED)


MARKERS = {
    "squares": SIGNS,
    "squares with outlines after them": [*SIGNS, *(rect(sign.box, None, BLACK) for sign in SIGNS)],
    "triangles around their centre of gravity": [triangle(x, y, 4.62) for x, y in PLACES],
    "triangles in a square": [triangle(x, y + 1.69, 5.69) for x, y in PLACES],
}


NOTHING_DRAWN = {
    "coloured grounds": [rect((64 + 79 * i, 50, 143 + 79 * i, 250), (0.9, 0.9, i / 4)) for i in range(4)],
    "an outline of another shape than a rectangle": [
        replace(rect((120, 90, 170, 250), None, RED), kind="curve")
    ],
    "markers that their clipping hides": [
        replace(sign, clip=(64.0, 220.0, 200.0, 250.0)) for sign in SIGNS
    ],
}  # fmt: skip


@pytest.mark.parametrize("shapes", NOTHING_DRAWN.values(), ids=NOTHING_DRAWN)
def test_a_line_is_the_same_whatever_else_is_drawn(shapes: list[Shape]) -> None:
    found = read(LABELS + NUMBERS, [*PLOT, *shapes, curve(UPWARDS)])
    assert (values(found), lost(found)) == ([200, 280, 600], [])


@pytest.mark.parametrize("shapes", MARKERS.values(), ids=MARKERS)
def test_markers_are_points(shapes: list[Shape]) -> None:
    found = read(LABELS + NUMBERS, [*PLOT, *shapes])
    assert values(found) == [200, 360, 640]
    assert [round(mark.x_value or 0, 2) for mark in only(found).marks] == [0.9, 2.15, 3.4]


def test_lines_at_one_place_have_each_its_own_markers() -> None:
    # Both lines begin at one point, and a third one is below one of them.
    paths = {RED: PLACES, BLUE: ((100.0, 200.0), (150.0, 180.0), (200.0, 150.0)), GREEN: PLACES}
    lines = [curve(path, colour) for colour, path in paths.items()]
    signs = [
        rect((x - 2, y - 2, x + 2, y + 2), colour) for colour in paths for x, y in paths[colour]
    ]
    found = read(LABELS + NUMBERS, [*PLOT, *lines, *signs])
    assert [mark.kind for mark in only(found).marks] == ["line_point"] * 9
    assert (values(found), lost(found)) == ([200, 360, 640, 200, 280, 400, 200, 360, 640], [])


def test_one_marker_alone_is_a_point_where_a_frame_with_two_scales_holds_nothing_else() -> None:
    found = read(LABELS + NUMBERS, [*PLOT, SIGNS[0]])
    assert (values(found), lost(found)) == ([200], [])
    assert only(found).marks[0].x_value == pytest.approx(0.9)
    assert lost(read(LABELS + NAMES, [*MARKS, FRAME, SIGNS[0]])) == [("lone_marker", 1)]
    found = read(LABELS + NUMBERS, [*PLOT, SIGNS[0], curve(UPWARDS)])
    assert (values(found), lost(found)) == ([200, 280, 600], [("lone_marker", 1)])


def test_a_sign_between_two_words_is_a_character() -> None:
    note = [word("log", 243, 80), word("10.38", 270, 80)]
    waves = [rect((252, y, 256, y + 1), RED) for y in (78, 81)]
    found = read(LABELS + NUMBERS + note, [*PLOT, *waves, curve(UPWARDS)])
    assert (values(found), lost(found)) == ([200, 280, 600], [("annotation", 2)])


@pytest.mark.parametrize(
    ("width", "more", "expected"), [(1.5, [], 2), (0.5, [], 0), (1.5, [(120, 90)], 0)]
)
def test_a_line_of_two_points_is_a_series_where_a_legend_names_it_alone(
    width: float, more: list[Point], expected: int
) -> None:
    lines = [curve((start, (x, y + 60))) for start in [(80, 200), *more] for x, y in [(250, 60)]]
    sign, name = curve(((300, 60), (320, 60))), word("PyTorch", 342, 60)
    shapes = [*PLOT, replace(sign, linewidth=width), *lines]
    found = read([*LABELS, *NUMBERS, name], shapes)
    assert sum(len(chart.marks) for chart in found[0]) == expected
    assert lost(found) == (
        [] if expected else [("pieces" if more else "annotation", 2 * len(lines))]
    )


def test_batch_sizes_in_a_legend_are_names_and_no_scale() -> None:
    lines, words = [], []
    for i, (text, colour) in enumerate((("128", RED), ("256", BLUE), ("512", (0.1, 0.7, 0.2)))):
        lines.append(curve(tuple((x, y + 12 * i) for x, y in UPWARDS), colour))
        lines.append(curve(((90, 60 + 12 * i), (115, 60 + 12 * i)), colour))
        words.append(word(text, 0, 60 + 12 * i, end=86))
    found = read(LABELS + NUMBERS + words, [*PLOT, *lines])
    assert series(found) == ["128"] * 3 + ["256"] * 3 + ["512"] * 3
    assert values(found)[:3] == [200, 280, 600]


def test_neighbouring_plots_keep_their_marks_apart_and_a_plot_within_another_one_is_refused() -> (
    None
):
    right = [replace(w, x0=w.x0 + 170, x1=w.x1 + 170) for w in LABELS]
    ticks = [line(230, 250 - value / 4, 234, 250 - value / 4) for value in TICKS]
    bars = [bar(100, 100), bar(140, 300), bar(270, 200), bar(310, 700)]
    charts, refused = read(LABELS + right, [*MARKS, *ticks, *bars])
    assert ([[round(m.value) for m in chart.marks] for chart in charts], refused) == (
        [[100, 300], [200, 700]],
        [],
    )
    labels = [word(str(n), 0, 201 - 10 * n, end=296) for n in range(4)]
    inner = [line(298, 200 - 10 * n, 302, 200 - 10 * n) for n in range(4)]
    inner += [rect(box, RED) for box in ((310, 180, 320, 200), (340, 170, 350, 200))]
    found = read(
        LABELS + NUMBERS + labels,
        [*PLOT, curve(UPWARDS, clip=CLIP), rect((302, 165, 370, 205), WHITE), *inner],
    )
    assert (found[0], lost(found)) == ([], [("ambiguous_axis", 5)])


def test_two_labels_at_the_tick_marks_of_a_box_are_the_scale_of_what_is_in_it() -> None:
    grid = [line(64, 250 - value / 4, 340, 250 - value / 4) for value in TICKS]
    frame = rect((64, 50, 340, 250), None, BLACK)
    labels = [word("0", 0, 121, end=256), word("5", 0, 71, end=256)]
    ticks = [line(258, 120, 262, 120), line(258, 70, 262, 70)]
    box = rect((262, 60, 330, 130), WHITE, BLACK)
    inset = read(LABELS + NAMES + labels, [*grid, frame, *BARS, box, *ticks])
    assert (inset[0], lost(inset)) == ([], [("ambiguous_axis", 3)])
    # Beside the plot, they are the labels of the next one.
    labels = [word("0", 0, 121, end=356), word("5", 0, 71, end=356)]
    ticks = [line(358, 120, 362, 120), line(358, 70, 362, 70)]
    box = rect((362, 60, 430, 130), WHITE, BLACK)
    assert values(read(LABELS + NAMES + labels, [*grid, frame, *BARS, box, *ticks])) == [
        58,
        581,
        595,
    ]
    without = read(LABELS + NAMES + labels, [*grid, frame, *BARS, *ticks])
    assert (without[0], lost(without)) == ([], [("ambiguous_axis", 3)])


# A plot of 120 points to the right of one with labels, with its tick marks.
BESIDE = [
    rect((240, 50, 360, 250), None, BLACK),
    *(line(240, mark.top, 244, mark.top) for mark in MARKS),
]
LEFT = [*MARKS, rect((64, 50, 220, 250), None, BLACK)]


@pytest.mark.parametrize(
    ("shapes", "words", "expected"),
    [
        (BESIDE, [], 2),
        # Its tick marks are elsewhere, or it has labels of its own.
        (BESIDE[:3], [], 0),
        (BESIDE, [word("7", 0, 150, end=237)], 0),
        ([*BESIDE[1:], rect((240, 50, 360, 240), None, BLACK)], [], 0),
    ],
)
def test_plots_side_by_side_share_the_labels_of_the_first_one(
    shapes: list[Shape], words: list[Word], expected: int
) -> None:
    names = [word("A100", 270, 262), word("V100", 320, 262)]
    charts, _ = read([*LABELS, *names, *words], [*LEFT, *shapes, bar(270, 300), bar(320, 500)])
    marks = [mark for chart in charts for mark in chart.marks]
    assert [round(mark.value, 3) for mark in marks] == [300, 500][:expected]
    assert [text(mark.category) for mark in marks] == ["A100", "V100"][:expected]


def test_plots_above_each_other_share_the_labels_of_the_lowest_one() -> None:
    ys = (20, 60, 100)
    labels = [word(str(n), 0, y, end=56) for n, y in zip((80, 40, 0), ys, strict=True)]
    upper = [line(60, y, 64, y) for y in ys] + [rect((64, 20, 380, 100), None, BLACK)]
    lower = [line(60, y + 120, 64, y + 120) for y in ys] + [rect((64, 140, 380, 220), None, BLACK)]
    below = [word(str(value), 0, y + 120, end=56) for value, y in zip((8, 4, 0), ys, strict=True)]
    points = [rect((x - 2, 58, x + 2, 62), RED) for x in (104, 184, 264)]
    ticks = [line(64 + 40 * n, y, 64 + 40 * n, y + 4) for n in range(1, 8) for y in (100, 220)]
    across = [word(str(n), 64 + 40 * n, 232) for n in range(1, 8)]
    found = read([*labels, *below, *across], [*upper, *lower, *points, *ticks])
    assert values(found) == [40, 40, 40]
    assert [mark.x_value for mark in only(found).marks] == pytest.approx([1, 3, 5])
    # Words between them may be labels of the upper one.
    title = word("Batch", 180, 110)
    found = read([*labels, *below, *across, title], [*upper, *lower, *points, *ticks])
    assert (values(found), lost(found)) == ([], [("no_place", 3)])
    bars = [rect((x - 15, 60, x + 15, 100), BLUE) for x in (100, 160, 220)]
    names_below = [word(w.text, (w.x0 + w.x1) / 2, 232) for w in NAMES]
    found = read([*labels, *below, *names_below], [*upper, *lower, *bars])
    assert (values(found), names(found)) == ([40, 40, 40], ["A100", "IPU-M2000", "V100"])


def test_plots_without_frames_above_each_other_keep_their_marks_apart() -> None:
    ys = {value: (140 - 0.8 * value, 240 - 0.8 * value) for value in (0, 50, 100)}
    labels = [word(str(value), 0, y, end=56) for value, both in ys.items() for y in both]
    ticks = [line(60, y, 64, y) for y in chain(*ys.values())]
    numbers = [replace(number, top=244.0, bottom=252.0) for number in NUMBERS]
    below = [line(64 + 40 * n, 240, 64 + 40 * n, 244) for n in range(1, 8)]
    upper = [
        rect((x - 2, y - 2, x + 2, y + 2), RED) for x, y in ((104, 132), (144, 124), (184, 130))
    ]
    lower = [rect((x - 2, y - 2, x + 2, y + 2)) for x, y in ((104, 200), (144, 180), (184, 224))]
    found = read(labels + numbers, [*ticks, *below, *upper, *lower])
    marks = [round(mark.value) for chart in found[0] for mark in chart.marks]
    assert (marks, lost(found)) == ([50, 75, 20], [("no_place", 3)])


def test_the_factor_at_the_end_of_an_axis_multiplies_it_and_the_power_of_another_one_does_not() -> (
    None
):
    found = read([*LABELS, *NUMBERS, word("1e6", 70, 42)], [*PLOT, curve(UPWARDS)])
    assert values(found) == [200e6, 280e6, 600e6]
    powers = [word(f"10^{n}", 144 + 80 * n, 40) for n in range(-1, 4)]
    above = [line(64 + 80 * n, 46, 64 + 80 * n, 50) for n in range(5)]
    found = read(LABELS + NUMBERS + powers, [*PLOT, *above, curve(UPWARDS)])
    assert (found[0], lost(found)) == ([], [("ambiguous_axis", 3)])


def test_a_point_that_may_part_thousands_makes_no_axis() -> None:
    for texts, first in (
        ("0.000 1.000 2.000", [1]),
        ("0 1,000 2,000", [1000]),
        ("0 1.000 2.000", []),
    ):
        labels = [word(text, 0, 252 - 100 * n, end=56) for n, text in enumerate(texts.split())]
        charts, _ = read(labels + NAMES, [*MARKS[::2], bar(100, 400), bar(160, 200)])
        assert [round(chart.marks[0].value) for chart in charts] == first


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0", 0, ""), ("1,000", 1000, ""), ("2.5M", 2.5e6, ""), ("1k", 1000, ""), ("40%", 40, "%"),
        ("$1.2B", 1.2e9, "$"), ("−25", -25, ""), ("1e+06", 1e6, ""),
        ("10^3", 1000, ""), ("10^−2", 0.01, ""), ("2×10^5", 2e5, ""),
        ("2.6x", 2.6, "x"), ("250 ms", 250, "ms"), ("1 000 000", 1e6, ""),
    ],
)  # fmt: skip
def test_a_label_gives_its_value_and_unit(text: str, value: float, unit: str) -> None:
    read = parse_label(text)
    assert read
    assert read[:2] == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    "text",
    [
        "A100",
        "",
        "-",
        "1.2.3",
        "ResNet-50",
        "10:30",
        "2020-12-01",
        "0 200 400",
        "2,5",
        "1e999",
        "10^999",
    ],
)
def test_what_is_no_single_number_gives_nothing(text: str) -> None:
    assert parse_label(text) is None


def test_numbers_have_the_interval_of_their_last_digit_and_the_decimal_mark_of_their_axis() -> None:
    assert parse_label("2.5M") == (2.5e6, "", 1e5)
    assert [parse_label(text, ",") for text in ("1.000,5", "2,5")] == [
        (1000.5, "", 0.1),
        (2.5, "", 0.1),
    ]
    assert [parse_multiplier(text) for text in ("1e6", "×10^3", "600")] == [1e6, 1000, None]


def numbers(words: list[Word]) -> list[str]:
    return [label.text for label in number_labels([*map(Label.of_word, words)])]


def test_words_that_are_one_number_are_put_together() -> None:
    # 10 with a small, raised 3; not the number 103.
    ten, three = word("10", 54.5, 96), replace(word("3", 61, 92), top=90.0, bottom=95.0, size=5.0)
    assert numbers([ten, three]) == ["10^3"]
    assert numbers([word("40", 50, 96), word("%", 58, 96)]) == ["40%"]
    assert numbers([word("0", 50, 96), word("200", 90, 96)]) == ["0", "200"]
    raised = replace(word("809", 118, 98), size=5.0, top=95.0, bottom=100.0)
    assert numbers([word("A100", 100, 100), raised]) == ["809"]
