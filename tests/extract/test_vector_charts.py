from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from pipelines.extract.vector_charts.chart import Chart, Refused
from pipelines.extract.vector_charts.reading import read_charts
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import number_tokens
from pipelines.read.page import Box, Colour, Page, Shape, Word

BLUE: Colour = (0.1, 0.3, 0.8)
RED: Colour = (0.9, 0.2, 0.1)
BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)


def word(text: str, middle: float, centre: float, angle: int = 0, end: float | None = None) -> Word:
    """A word of 8 points around a middle, or ending at `end`."""
    width = 4.5 * len(text)
    x0 = end - width if end is not None else middle - width / 2
    return Word(text, x0, centre - 4, x0 + width, centre + 4, 8.0, "", BLACK, angle, ())


def rect(box: Box, fill: Colour | None = BLUE, stroke: Colour | None = None, clip: Box | None = None) -> Shape:
    x0, top, x1, bottom = box
    corners = ((x0, bottom), (x1, bottom), (x1, top), (x0, top))
    path = (("m", corners[:1]), *(("l", (corner,)) for corner in corners[1:]), ("h", ()))
    return Shape(
        "rect", *box, corners, path, stroke is not None, fill is not None, stroke, fill, 1.0, (), clip, 0
    )  # fmt: skip


def line(x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> Shape:
    points = ((x0, y0), (x1, y1))
    box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return Shape(
        "line", *box, points, (("m", points[:1]), ("l", points[1:])), True, False, BLACK, None, width, (), None, 0
    )


def page(words: list[Word], shapes: list[Shape]) -> Page:
    return Page(1, 400, 300, tuple(words), tuple(shapes), ())


# An upright axis from 0 at y 250 to 800 at y 50; labels to the left of x 60, two points too low; ticks at x 60 to 64.
TICKS = (0, 200, 400, 600, 800)
LABELS = [word(str(value), 0, 252 - value / 4, end=56) for value in TICKS]
MARKS = [line(60, 250 - value / 4, 64, 250 - value / 4) for value in TICKS]
NAMES = [word("A100", 100, 262), word("IPU-M2000", 160, 262), word("V100", 220, 262)]


def bar(middle: float, value: float, fill: Colour | None = BLUE, base: float = 0, **other: Box | None) -> Shape:
    return rect((middle - 15, 250 - (base + value) / 4, middle + 15, 250 - base / 4), fill, **other)  # type: ignore[arg-type]


BARS = [bar(100, 58), bar(160, 581), bar(220, 595)]


def only(found: tuple[list[Chart], object]) -> Chart:
    [chart] = found[0]
    return chart


def lost(found: tuple[object, list[Refused]]) -> list[tuple[str, int]]:
    return [(refusal.rule, refusal.marks) for refusal in found[1]]


def values(chart: Chart) -> list[float]:
    return [round(mark.value, 3) for mark in chart.marks]


def test_bars_are_read_from_ticks_and_not_from_the_middles_of_labels() -> None:
    chart = only(read_charts(page(LABELS + NAMES, MARKS + BARS)))
    assert values(chart) == [58, 581, 595]
    assert [mark.category for mark in chart.marks] == ["A100", "IPU-M2000", "V100"]
    assert all(mark.low < mark.value < mark.high and mark.high - mark.low < 4 for mark in chart.marks)


def test_without_ticks_the_zero_is_where_the_bars_begin() -> None:
    assert values(only(read_charts(page(LABELS + NAMES, BARS)))) == [58, 581, 595]


def test_the_printed_value_stands_beside_the_drawn_one() -> None:
    printed = [word("58", 100, 230), word("600", 160, 99)]
    marks = only(read_charts(page(LABELS + NAMES + printed, MARKS + BARS))).marks
    assert [mark.printed and mark.printed.value for mark in marks] == [58, 600, None]
    assert round(marks[1].value) == 581
    assert marks[0].printed is not None
    assert (marks[0].printed.low, marks[0].printed.high) == (57.5, 58.5)


def test_two_ticks_are_no_axis() -> None:
    assert read_charts(page(LABELS[:2] + NAMES, MARKS + BARS)) == ([], [])


def test_labels_that_lie_on_no_scale_are_no_axis() -> None:
    odd = [word(text, 0, 252 - 50 * place, end=56) for place, text in enumerate(("0", "200", "900", "300", "800"))]
    assert read_charts(page(odd + NAMES, MARKS + BARS)) == ([], [])


def test_a_bar_whose_end_is_cut_off_gives_no_number() -> None:
    clipped = bar(160, 1200, clip=(64, 50, 380, 250))
    found = read_charts(page(LABELS + NAMES, [*MARKS, BARS[0], clipped, rect((64, 50, 380, 250), None, BLACK)]))
    assert [(round(mark.value), mark.bound) for mark in only(found).marks] == [(58, "eq")]
    assert lost(found) == [("bar_cut", 1)]


def test_the_background_of_a_plot_is_no_bar() -> None:
    background = [rect((64, 50, 380, 250), (0.9, 0.9, 0.9)), rect((0, 0, 400, 300), WHITE)]
    assert values(only(read_charts(page(LABELS + NAMES, background + MARKS + BARS)))) == [58, 581, 595]


def test_stacked_pieces_are_measured_from_where_they_begin() -> None:
    pieces = [bar(100, 200), bar(100, 150, RED, base=200), bar(160, 300), bar(160, 90, RED, base=300)]
    assert values(only(read_charts(page(LABELS + NAMES, MARKS + pieces)))) == [200, 150, 300, 90]


def legend(colour: Colour, text: str, y: float) -> tuple[Shape, Word]:
    return rect((300, y - 3, 308, y + 3), colour), word(text, 312 + 4.5 * len(text) / 2, y)


def test_a_series_is_named_by_the_colour_of_the_legend_alone() -> None:
    (blue, first), (red, second) = legend(BLUE, "PyTorch", 60), legend(RED, "TensorFlow", 72)
    bars = [bar(85, 100), bar(115, 200, RED), bar(185, 300), bar(215, 400, (0, 0.6, 0))]
    names = [word("A100", 100, 262), word("IPU", 200, 262)]
    marks = only(read_charts(page(LABELS + names + [first, second], [*MARKS, blue, red, *bars]))).marks
    assert [mark.series for mark in marks] == ["PyTorch", "TensorFlow", "PyTorch", None]
    assert [mark.category for mark in marks] == ["A100", "A100", "IPU", "IPU"]


def test_one_colour_under_two_names_is_nobodys() -> None:
    (first, one), (second, two) = legend(BLUE, "PyTorch", 60), legend(BLUE, "TensorFlow", 72)
    marks = only(read_charts(page(LABELS + NAMES + [one, two], [*MARKS, first, second, *BARS]))).marks
    assert {mark.series for mark in marks} == {None}


def test_negative_bars_hang_below_zero() -> None:
    labels = [word(str(value), 0, 152 - value, end=56) for value in (-100, -50, 0, 50, 100)]
    marks = [line(60, 150 - value, 64, 150 - value) for value in (-100, -50, 0, 50, 100)]
    bars = [rect((85, 150, 115, 190)), rect((145, 75, 175, 150))]
    assert values(only(read_charts(page(labels, marks + bars)))) == [-40, 75]


def test_bars_on_a_log_axis() -> None:
    labels = [word(text, 0, 250 - 50 * place, end=56) for place, text in enumerate(("1", "10", "100", "1,000"))]
    marks = [line(60, 250 - 50 * place, 64, 250 - 50 * place) for place in range(4)]
    bars = [rect((85, 200, 115, 250)), rect((145, 125, 175, 250))]
    chart = only(read_charts(page(labels, [*marks, rect((64, 95, 380, 250), None, BLACK), *bars])))
    assert chart.axis is not None
    assert chart.axis.scale == "log"
    assert [round(mark.value, 2) for mark in chart.marks] == [10, round(10**2.5, 2)]


def test_lying_bars() -> None:
    labels = [word(str(value), 100 + value / 4, 262) for value in TICKS]
    marks = [line(100 + value / 4, 250, 100 + value / 4, 254) for value in TICKS]
    names = [word("A100", 0, 102, end=95), word("IPU-M2000", 0, 152, end=95), word("V100", 0, 202, end=95)]
    bars = [rect((100, y - 12, 100 + value / 4, y + 12)) for y, value in ((100, 58), (150, 581), (200, 595))]
    chart = only(read_charts(page(labels + names, marks + bars)))
    assert [(mark.category, round(mark.value)) for mark in chart.marks] == [
        ("A100", 58), ("IPU-M2000", 581), ("V100", 595),
    ]  # fmt: skip


def test_two_scales_beside_one_plot_are_ambiguous() -> None:
    second = [
        Word(w.text.replace("00", "0"), 344, w.top, 344 + 9 * len(w.text), w.bottom, 8.0, "", BLACK, 0, ())
        for w in LABELS
    ]
    grid = [line(64, 250 - value / 4, 340, 250 - value / 4) for value in TICKS]
    charts, refused = read_charts(page(LABELS + NAMES + second, grid + BARS))
    assert charts == []
    assert [(r.rule, r.marks) for r in refused] == [("ambiguous_axis", 3)]


def test_a_table_with_filled_cells_is_no_chart() -> None:
    rows = [(i, 60 + 20 * i) for i in range(1, 8)]
    words = [word(str(i), 70, y) for i, y in rows] + [word(str(i * 7), 150, y) for i, y in rows]
    rules = [line(50, 50 + 20 * i, 350, 50 + 20 * i) for i in range(1, 10)]
    cells = [rect((50, 50, 150, 70)), rect((150, 50, 250, 70)), rect((250, 50, 350, 70))]
    stripes = [rect((50, 70 + 40 * i, 350, 90 + 40 * i), (0.9, 0.9, 1)) for i in range(3)]
    assert read_charts(page(words, rules + cells + stripes)) == ([], [])


def test_decorative_boxes_without_an_axis_are_no_chart() -> None:
    boxes = [rect((0, 0, 400, 40)), rect((20, 60, 180, 200)), rect((220, 60, 380, 200), RED)]
    assert read_charts(page([word("Agenda", 100, 20), word("2020", 300, 20)], boxes)) == ([], [])


def test_a_page_full_of_shapes_is_refused_at_once() -> None:
    charts, refused = read_charts(page(LABELS, BARS * (SETTINGS.max_shapes // 3 + 1)))
    assert charts == []
    assert [r.rule for r in refused] == ["too_many_shapes"]


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_painting_does_not_matter(order: int) -> None:
    assert values(only(read_charts(page((LABELS + NAMES)[::order], (MARKS + BARS)[::order])))) == [58, 581, 595]


def test_floating_boxes_are_refused_and_not_half_read() -> None:
    charts, refused = read_charts(page(LABELS + NAMES, [*MARKS, bar(100, 200), bar(160, 100, base=250), bar(220, 90)]))
    assert [len(chart.marks) for chart in charts] == [2]
    assert [(r.rule, r.marks) for r in refused] == [("floating_bars", 1)]
    charts, refused = read_charts(
        page(LABELS + NAMES, [*MARKS, bar(100, 200), bar(160, 100, base=250), bar(220, 90, base=400)])
    )
    assert (charts, [(r.rule, r.marks) for r in refused]) == ([], [("floating_bars", 3)])


def test_a_factor_at_a_bar_is_no_value_of_an_axis_that_counts_something_else() -> None:
    marks = only(read_charts(page([*LABELS, *NAMES, word("10x", 160, 99)], MARKS + BARS))).marks
    assert [mark.printed for mark in marks] == [None, None, None]


def test_without_an_axis_only_the_ratio_of_the_bars_is_known() -> None:
    chart = only(read_charts(page([*NAMES, word("10.3x", 220, 95)], BARS)))
    assert chart.axis is None
    assert [round(mark.value, 2) for mark in chart.marks] == [1.0, round(581 / 58, 2), round(595 / 58, 2)]
    assert [mark.printed and mark.printed.value for mark in chart.marks] == [None, None, 10.3]


def test_without_an_axis_and_without_a_claimed_factor_boxes_are_decoration() -> None:
    assert read_charts(page(NAMES, BARS)) == ([], [])


def test_a_line_is_read_where_it_bends() -> None:
    points = ((100.0, 200.0), (160.0, 100.0), (220.0, 150.0))
    path = (("m", points[:1]), *(("l", (point,)) for point in points[1:]))
    drawn = Shape("curve", 100, 100, 220, 200, points, path, True, False, BLUE, None, 1.5, (), None, 0)
    chart = only(read_charts(page(LABELS + NAMES, [*MARKS, drawn])))
    assert [(mark.category, round(mark.value)) for mark in chart.marks] == [
        ("A100", 200), ("IPU-M2000", 600), ("V100", 400),
    ]  # fmt: skip
    assert {mark.kind for mark in chart.marks} == {"line_point"}


def curve(points: tuple[tuple[float, float], ...], colour: Colour = BLUE, clip: Box | None = None) -> Shape:
    path = (("m", points[:1]), *(("l", (point,)) for point in points[1:]))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = (min(xs), min(ys), max(xs), max(ys))
    return Shape("curve", *box, points, path, True, False, colour, None, 1.5, (), clip, 0)


FRAME = rect((64, 50, 380, 250), None, BLACK)


def test_what_is_clipped_is_no_point() -> None:
    drawn = curve(((80.0, 200.0), (120.0, 100.0), (160.0, -40.0), (200.0, 150.0)), clip=(64, 50, 380, 250))
    assert values(only(read_charts(page(LABELS, [*MARKS, FRAME, drawn])))) == [200, 600, 400]


def test_where_an_edge_cuts_a_line_is_no_point() -> None:
    drawn = curve(((80.0, 200.0), (120.0, 100.0), (131.0, 50.0)))
    found = read_charts(page(LABELS, [*MARKS, FRAME, drawn]))
    assert values(only(found)) == [200, 600]
    assert lost(found) == [("cut_line", 1)]


def test_markers_beside_a_fitted_line_are_the_points() -> None:
    signs = [rect((x - 2, y - 2, x + 2, y + 2), RED) for x, y in ((100, 200), (150, 160), (200, 90), (250, 60))]
    fit = curve(((90.0, 230.0), (260.0, 70.0)))
    numbers = [word(str(n), 64 + 40 * n, 262) for n in range(1, 8)]
    below = [line(64 + 40 * n, 250, 64 + 40 * n, 254) for n in range(1, 8)]
    found = read_charts(page(LABELS + numbers, [*MARKS, *below, FRAME, fit, *signs]))
    chart = only(found)
    assert values(chart) == [200, 360, 640, 760]
    assert [round(mark.x_value or 0, 3) for mark in chart.marks] == [0.9, 2.15, 3.4, 4.65]
    assert lost(found) == [("fitted_line", 2)]


def test_a_short_curve_is_no_marker() -> None:
    drawn = [curve(((80.0, 200.0), (300.0, 100.0))), curve(((80.0, 180.0), (86.0, 150.0), (90.0, 150.5)), RED)]
    assert len(only(read_charts(page(LABELS, [*MARKS, FRAME, *drawn]))).marks) == 5


def test_half_a_label_is_no_name() -> None:
    names = [NAMES[0], NAMES[1], word("MI30", 0, 262, end=399.9)]
    bars = [*BARS[:2], bar(375, 300)]
    marks = only(read_charts(page(LABELS + names, MARKS + bars))).marks
    assert [mark.category for mark in marks] == ["A100", "IPU-M2000", None]


def test_empty_bars_are_bars_and_the_frame_of_a_legend_is_none() -> None:
    empty = [rect(shape.box, None, BLACK) for shape in BARS]
    around = rect((300, 200, 370, 250), WHITE, BLACK)
    text = [word("PyTorch", 335, 220), word("IPU", 335, 235)]
    assert values(only(read_charts(page(LABELS + NAMES + text, [*MARKS, *empty, around])))) == [58, 581, 595]


def hatched(box: Box, gap: float, colour: Colour = BLACK) -> list[Shape]:
    """A white box with slanted strokes from edge to edge, as LibreOffice paints a pattern."""
    x0, top, x1, bottom = box
    strokes = []
    place = x0 - (bottom - top) + gap
    while place < x1:
        # From the lower edge to the upper one, cut at both sides.
        cut, end = max(0.0, x0 - place), min(bottom - top, x1 - place)
        strokes.append(replace(line(place + cut, bottom - cut, place + end, bottom - end, 0.1), stroke_colour=colour))
        place += gap
    return [rect(box, WHITE), *strokes]


def test_a_box_hatched_stroke_by_stroke_is_a_bar_and_its_strokes_are_no_lines() -> None:
    bars = [shape for b, gap in zip(BARS, (4, 4, 7), strict=True) for shape in hatched(b.box, gap)]
    keys = [*hatched((300, 60, 308, 68), 4), *hatched((300, 80, 308, 88), 7)]
    texts = [word("FP16", 322, 64), word("FP32", 322, 84)]
    chart = only(found := read_charts(page(LABELS + NAMES + texts, [*MARKS, *bars, *keys])))
    assert (values(chart), lost(found)) == ([58, 581, 595], [])
    assert [mark.series for mark in chart.marks] == ["FP16", "FP16", "FP32"]


def test_a_plot_with_a_ground_and_gridlines_is_not_hatched() -> None:
    grid = [line(60, 250 - value / 4, 380, 250 - value / 4) for value in TICKS]
    pieces = [line(100, 200, 150, 160), line(150, 160, 200, 90)]
    shapes = [rect((60, 50, 380, 250), WHITE), *grid, *pieces]
    assert values(only(read_charts(page(LABELS, shapes)))) == [200, 360, 640]


def test_neighbouring_plots_keep_their_marks_apart() -> None:
    right = [Word(w.text, w.x0 + 170, w.top, w.x1 + 170, w.bottom, 8.0, "", BLACK, 0, ()) for w in LABELS]
    ticks = [line(230, 250 - value / 4, 234, 250 - value / 4) for value in TICKS]
    bars = [bar(100, 100), bar(140, 300), bar(270, 200), bar(310, 700)]
    charts, refused = read_charts(page(LABELS + right, [*MARKS, *ticks, *bars]))
    assert ([values(chart) for chart in charts], refused) == ([[100, 300], [200, 700]], [])


def test_a_tick_of_the_plot_below_is_no_name_of_a_bar() -> None:
    upper = [word(str(n), 0, 131 - 20 * n, end=56) for n in range(4)]
    lower = [word(str(n), 0, 211 - 20 * n, end=75) for n in range(4)]
    ticks = [line(60, 130 - 20 * n, 64, 130 - 20 * n) for n in range(4)]
    ticks += [line(78, 210 - 20 * n, 82, 210 - 20 * n) for n in range(4)]
    bars = [rect((66, 90, 76, 130)), rect((120, 80, 130, 130)), rect((90, 170, 110, 210)), rect((150, 190, 170, 210))]
    charts, _ = read_charts(page(upper + lower, [*ticks, *bars]))
    assert {mark.category for chart in charts for mark in chart.marks} == {None}


def test_a_log_axis_with_one_label_is_read_from_its_minor_ticks() -> None:
    decade = 100.0
    ticks = [line(60, 150 - decade * math.log10(k), 62, 150 - decade * math.log10(k)) for k in range(2, 9)]
    ticks += [line(60, 150 - decade * math.log10(k / 10), 62, 150 - decade * math.log10(k / 10)) for k in range(2, 10)]
    label = word("100", 0, 151, end=56)
    drawn = curve(((80.0, 150.0), (120.0, 150 - decade * math.log10(4)), (160.0, 150 + decade * math.log10(2))))
    shapes = [line(60, 150, 64, 150), *ticks, FRAME, drawn]
    assert [round(value) for value in values(only(read_charts(page([label], shapes))))] == [100, 400, 50]
    # Labels that say otherwise make it no axis.
    assert read_charts(page([label, word("7", 0, 151 - decade * math.log10(4), end=56)], shapes))[0] == []


def test_two_labels_are_a_scale_where_the_other_gridlines_halve_its_steps() -> None:
    texts = [word("10", 120, 262), word("20", 200, 262)]
    places = (80, 120, 160, 200, 240)
    grid = [line(x, 50, x, 250) for x in places]
    drawn = curve(((80.0, 200.0), (140.0, 100.0), (200.0, 150.0)))
    marks = only(read_charts(page([*LABELS, *texts], [*MARKS, FRAME, *grid, drawn]))).marks
    assert [round(mark.x_value or 0, 2) for mark in marks] == [5, 12.5, 20]
    # Without a frame the gridlines in both directions make one.
    across = [line(60, 250 - value / 4, 380, 250 - value / 4) for value in TICKS]
    longer = [line(x, 45, x, 255) for x in places]
    marks = only(read_charts(page([*LABELS, *texts], [*across, *longer, drawn]))).marks
    assert [round(mark.x_value or 0, 2) for mark in marks] == [5, 12.5, 20]
    # A gridline at the next step has a label that could not be read: of which scale is not known.
    grid.append(line(280, 50, 280, 250))
    marks = only(read_charts(page([*LABELS, *texts], [*MARKS, FRAME, *grid, drawn]))).marks
    assert {mark.x_value for mark in marks} == {None}


def test_labels_printed_over_one_another_do_not_contradict_their_scale() -> None:
    texts = [word(str(n), 60 + 3 * n, 262) for n in (10, 30, 60)]
    edges = (325.5, 330.0, 331.5, 336.0)
    texts.append(replace(word("9092", 333, 262), x0=325.5, x1=340.5, edges=(*edges, 340.5)))
    ticks = [line(60 + 3 * n, 250, 60 + 3 * n, 254) for n in (10, 30, 60, 90, 92)]
    drawn = curve(((90.0, 200.0), (240.0, 150.0), (330.0, 100.0)))
    marks = only(read_charts(page([*LABELS, *texts], [*MARKS, FRAME, *ticks, drawn]))).marks
    assert [round(mark.x_value or 0) for mark in marks] == [10, 60, 90]
    # A number that is not where the scale has it makes it none; then places without a label are not known.
    texts[-1] = word("7", 300, 262)
    found = read_charts(page([*LABELS, *texts], [*MARKS, FRAME, *ticks, drawn]))
    assert [mark.category for mark in only(found).marks] == ["10", "60"]
    assert lost(found) == [("no_place", 1)]


def test_a_name_broken_at_its_hyphen_is_one_word() -> None:
    lines = [word("EfficientNet", 160, 262), word("-B4", 160, 271)]
    names = [NAMES[0], *lines, NAMES[2]]
    assert names_of(read_charts(page(LABELS + names, MARKS + BARS))) == ["A100", "EfficientNet-B4", "V100"]


def test_a_minus_that_is_drawn_belongs_to_its_number() -> None:
    labels = [word(str(abs(value)), 0, 152 - value, end=56) for value in (-100, -50, 0, 50, 100)]
    signs = [rect((w.x0 - 5, w.top + 4, w.x0 - 0.5, w.top + 4.6), BLACK) for w in labels[:2]]
    marks = [line(60, 150 - value, 64, 150 - value) for value in (-100, -50, 0, 50, 100)]
    bars = [rect((85, 150, 115, 190)), rect((145, 75, 175, 150))]
    assert values(only(read_charts(page(labels, [*signs, *marks, *bars])))) == [-40, 75]


def test_a_plot_within_a_plot_keeps_its_own_marks() -> None:
    inner_labels = [word(str(n), 0, 201 - 10 * n, end=296) for n in range(4)]
    inner_ticks = [line(298, 200 - 10 * n, 302, 200 - 10 * n) for n in range(4)]
    inner = [rect((302, 165, 370, 205), WHITE, BLACK), curve(((310.0, 200.0), (360.0, 170.0)), RED)]
    whole = curve(((80.0, 200.0), (250.0, 100.0)), clip=(64, 50, 380, 250))
    charts, refused = read_charts(page(LABELS + inner_labels, [*MARKS, FRAME, whole, *inner_ticks, *inner]))
    assert (sorted(values(chart) for chart in charts), refused) == ([[0, 3], [200, 600]], [])


NUMBERS = [word(str(n), 64 + 40 * n, 262) for n in range(1, 8)]
BELOW = [line(64 + 40 * n, 250, 64 + 40 * n, 254) for n in range(1, 8)]
PLACES = ((100.0, 200.0), (150.0, 160.0), (200.0, 90.0))
SIGNS = [rect((x - 2, y - 2, x + 2, y + 2), RED) for x, y in PLACES]


def names_of(found: tuple[list[Chart], object]) -> list[str | None]:
    return [mark.category for mark in only(found).marks]


def test_a_leader_joins_a_point_to_its_name_whatever_stands_nearer() -> None:
    # The name of the first point stands at the second one, and that of the second at the first.
    words = [word("A100", 148, 150), word("V100", 102, 212), word("IPU", 300, 90)]
    leaders = [line(104, 198, 140, 155), line(147, 162, 108, 207), line(203, 90, 288, 90)]
    found = read_charts(page(LABELS + NUMBERS + words, [*MARKS, *BELOW, FRAME, *SIGNS, *leaders]))
    assert (values(only(found)), lost(found)) == ([200, 360, 640], [])
    assert names_of(found) == ["A100", "V100", "IPU"]


def test_a_leader_that_may_end_at_two_points_names_neither_and_says_so() -> None:
    twins = [rect((x - 2, y - 2, x + 2, y + 2), RED) for x, y in ((204, 92), (204.5, 88))]
    found = read_charts(
        page(
            [*LABELS, *NUMBERS, word("IPU", 300, 90)],
            [*MARKS, *BELOW, FRAME, *SIGNS[:2], *twins, line(208, 90, 288, 90)],
        )
    )
    assert names_of(found) == [None, None, None, None]
    assert lost(found) == [("unclear_label", 0)]


def test_a_note_led_to_a_bar_with_a_label_of_its_own_is_no_name_and_its_arrow_no_line() -> None:
    note = [word("best", 290, 80), word("2.4x", 290, 140)]
    arrows = [line(225, 98, 276, 82), line(165, 100, 276, 138)]
    found = read_charts(page(LABELS + NAMES + note, [*MARKS, *BARS, *arrows]))
    assert (names_of(found), values(only(found))) == (["A100", "IPU-M2000", "V100"], [58, 581, 595])


def test_a_bracket_names_the_bars_above_it() -> None:
    bars = [bar(middle, value) for middle, value in ((90, 100), (130, 200), (210, 300), (250, 400))]
    names = [word(text, middle, 258) for text, middle in zip(("A", "B", "A", "B"), (90, 130, 210, 250), strict=True)]
    brackets = [curve(((x, 266.0), (x, 270.0), (x + 70, 270.0), (x + 70, 266.0)), BLACK) for x in (75.0, 195.0)]
    groups = [word("ResNet", 110, 278), word("BERT", 230, 278)]
    assert names_of(read_charts(page(LABELS + names + groups, [*MARKS, *bars, *brackets]))) == [
        "A ResNet", "B ResNet", "A BERT", "B BERT",
    ]  # fmt: skip
    assert names_of(read_charts(page(LABELS + groups, [*MARKS, *bars, *brackets]))) == [
        "ResNet", "ResNet", "BERT", "BERT",
    ]  # fmt: skip


def test_a_text_beside_the_end_of_a_line_names_it_unless_it_may_be_of_two() -> None:
    blue = curve(((80.0, 200.0), (150.0, 180.0), (250.0, 100.0)))
    red = curve(((80.0, 220.0), (150.0, 190.0), (250.0, 160.0)), RED)
    words = [word("A100", 265, 100), word("V100", 265, 160)]
    marks = only(read_charts(page(LABELS + words, [*MARKS, FRAME, blue, red]))).marks
    assert [mark.series for mark in marks] == ["A100"] * 3 + ["V100"] * 3
    red = curve(((80.0, 220.0), (150.0, 190.0), (250.0, 102.0)), RED)
    marks = only(read_charts(page([*LABELS, words[0]], [*MARKS, FRAME, blue, red]))).marks
    assert {mark.series for mark in marks} == {None}


def test_where_a_straight_piece_is_cut_is_no_point() -> None:
    bends = ((80.0, 200.0), (160.0, 100.0), (240.0, 180.0))
    points = [
        (a + (c - a) * i / 8, b + (d - b) * i / 8) for (a, b), (c, d) in pairwise(bends) for i in range(8)
    ]  # fmt: skip
    found = read_charts(page(LABELS, [*MARKS, FRAME, curve((*points, bends[-1]))]))
    assert (values(only(found)), lost(found)) == ([200, 600, 280], [("pieces", 14)])


def test_signs_whose_outlines_are_drawn_after_all_insides_count_once() -> None:
    outlines = [rect(sign.box, None, BLACK) for sign in SIGNS]
    assert values(only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *SIGNS, *outlines])))) == [
        200, 360, 640,
    ]  # fmt: skip


def test_a_chart_whose_axis_cannot_be_read_is_refused_with_its_marks() -> None:
    grid = [line(60, 250 - 50 * step, 380, 250 - 50 * step) for step in range(5)]
    drawn = curve(((80.0, 200.0), (150.0, 180.0), (250.0, 100.0)))
    assert lost(read_charts(page(NAMES, [*grid, *BARS]))) == [("no_axis", 3)]
    assert lost(read_charts(page(NAMES, [*grid, drawn]))) == [("no_axis", 3)]
    # Cards of one height on a line are none.
    cards = [rect((x, 100, x + 60, 250)) for x in (70, 150, 230)]
    assert read_charts(page(NAMES, [*grid, *cards])) == ([], [])


def test_bars_on_an_axis_whose_labels_run_together_are_refused() -> None:
    labels = [word("0200400600800", 200, 262)]
    ticks = [line(60 + 60 * n, 250, 60 + 60 * n, 254) for n in range(5)]
    foot = line(60, 50, 60, 250)
    bars = [rect((60, 60 + 40 * n, 60 + length, 80 + 40 * n)) for n, length in enumerate((90, 150, 200))]
    piled = [rect((60 + length, 60 + 40 * n, 90 + length, 80 + 40 * n), RED) for n, length in enumerate((90, 150, 200))]
    assert lost(read_charts(page(labels, [*ticks, foot, *bars, *piled]))) == [("no_axis", 6)]
    assert read_charts(page(labels, [foot, *bars, *piled])) == ([], [])


def test_a_number_beside_a_name_with_digits_is_a_number_of_its_own() -> None:
    raised = replace(word("809", 118, 98), size=5.0, top=95.0, bottom=100.0)
    assert [token.text for token in number_tokens([word("A100", 100, 100), raised])] == ["809"]


def test_the_head_of_a_slanted_arrow_is_no_point() -> None:
    names = [word("T5", 90, 82), word("LSTM", 180, 82)]
    places = ((126.3, 109.9), (216.3, 109.9))
    points = [rect((x - 2.7, y - 2.7, x + 2.7, y + 2.7)) for x, y in places]
    shafts = [line(x - 31.4, y - 21.3, x - 2.6, y - 1.8) for x, y in places]
    heads = [rect((x - 5.6, y - 5.1, x - 3.1, y - 1.6), BLACK) for x, y in places]
    chart = only(read_charts(page(LABELS + names, [*MARKS, FRAME, *shafts, *points, *heads])))
    assert [(mark.category, round(mark.value)) for mark in chart.marks] == [("T5", 560), ("LSTM", 560)]


def test_a_filled_shape_on_the_axis_that_is_no_box_is_refused() -> None:
    peak = Shape("curve", 145, 100, 175, 250, ((145, 250), (160, 100), (175, 250), (160, 230), (145, 250)),
                 (("m", ((145, 250),)), ("l", ((160, 100),)), ("l", ((175, 250),)), ("l", ((160, 230),)), ("h", ())),
                 False, True, None, BLUE, 1.0, (), None, 0)  # fmt: skip
    found = read_charts(page(LABELS + NAMES, [*MARKS, *BARS[::2], peak]))
    assert (values(only(found)), lost(found)) == ([58, 595], [("no_box", 1)])


UPWARDS = ((80.0, 200.0), (150.0, 180.0), (250.0, 100.0))


def cross(x: float, y: float, colour: Colour) -> list[Shape]:
    strokes = [line(x - 3, y - 3, x + 3, y + 3), line(x - 3, y + 3, x + 3, y - 3)]
    return [replace(stroke, stroke_colour=colour) for stroke in strokes]


def test_the_paragraph_beside_a_plot_is_no_name_of_a_line_that_ends_at_its_height() -> None:
    paragraph = [word(text, 300, 82 + 9 * i) for i, text in enumerate(("width", "of", "a", "figure", "is"))]
    marks = only(read_charts(page(LABELS + paragraph, [*MARKS, FRAME, curve(UPWARDS)]))).marks
    assert {mark.series for mark in marks} == {None}


def test_the_rule_of_a_fraction_further_down_the_page_is_no_sign_of_a_legend() -> None:
    formula = [word("x", 125, 590), line(130, 590, 150, 590), word("y", 160, 590)]
    shapes = [s for s in formula if isinstance(s, Shape)]
    words = [w for w in formula if isinstance(w, Word)]
    found = read_charts(replace(page(LABELS + words, [*MARKS, FRAME, curve(UPWARDS, BLACK), *shapes]), height=700))
    assert {mark.series for mark in only(found).marks} == {None}


def test_a_plus_within_the_text_of_a_legend_is_no_marker() -> None:
    text = [word(part, middle, 60) for part, middle in (("cuBLAS", 220), ("+", 239), ("MKL", 252))]
    text += [word(part, middle, 70) for part, middle in (("cuDNN", 220), ("+", 239), ("MKL", 252))]
    found = read_charts(page(LABELS + text, [*MARKS, FRAME, curve(UPWARDS)]))
    assert [mark.kind for mark in only(found).marks] == ["line_point"] * 3


def test_crosses_of_a_legend_name_those_of_a_scatter_and_are_none_of_them() -> None:
    shapes = [stroke for x, y in PLACES for stroke in cross(x, y, RED)]
    shapes += [stroke for x, y in PLACES for stroke in cross(x + 20, y, BLUE)]
    shapes += cross(300, 70, RED) + cross(300, 82, BLUE)
    words = [word("A100", 285, 70), word("V100", 285, 82)]
    chart = only(read_charts(page(LABELS + NUMBERS + words, [*MARKS, *BELOW, FRAME, *shapes])))
    assert [mark.series for mark in chart.marks] == ["A100"] * 3 + ["V100"] * 3


def test_signs_of_several_series_at_one_place_are_several_points() -> None:
    shapes = [stroke for x, y in PLACES for colour in (RED, BLUE) for stroke in cross(x, y, colour)]
    shapes += [rect((x - 3, y - 3, x + 3, y + 3), None, BLACK) for x, y in PLACES]
    chart = only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *shapes])))
    assert sorted(values(chart)) == [200] * 3 + [360] * 3 + [640] * 3


def test_batch_sizes_in_a_legend_are_no_scale_and_name_the_lines() -> None:
    lines, words = [], []
    for i, (text, colour) in enumerate((("128", RED), ("256", BLUE), ("512", (0.1, 0.7, 0.2)))):
        lines += [
            curve(tuple((x, y + 12 * i) for x, y in UPWARDS), colour),
            curve(((90, 60 + 12 * i), (115, 60 + 12 * i)), colour),
        ]
        words.append(word(text, 0, 60 + 12 * i, end=86))
    chart = only(read_charts(page(LABELS + NUMBERS + words, [*MARKS, *BELOW, FRAME, *lines])))
    assert [mark.series for mark in chart.marks] == ["128"] * 3 + ["256"] * 3 + ["512"] * 3
    assert values(chart)[:3] == [200, 280, 600]


def test_numbers_below_a_plot_that_are_on_no_scale_are_names() -> None:
    runs = [word(text, 100 + 40 * i, 262) for i, text in enumerate(("105", "1005", "5005", "10005", "15005", "20005"))]
    line_of = curve(tuple((100.0 + 40 * i, 200.0 - 20 * i) for i in range(6)))
    chart = only(read_charts(page(LABELS + runs, [*MARKS, FRAME, line_of])))
    assert [mark.category for mark in chart.marks] == ["105", "1005", "5005", "10005", "15005", "20005"]
    assert {mark.x_value for mark in chart.marks} == {None}


def test_the_hatching_of_a_bar_is_no_line() -> None:
    boxes: list[Box] = [(85, 100, 115, 250), (145, 150, 175, 250)]
    strokes = [line(box[0] - 20, y, box[2] + 20, y - 70, 0.8) for box in boxes for y in range(140, 260, 12)]
    hatching = [replace(s, clip=box) for box in boxes for s in strokes if box[0] - 20 == s.x0]
    # One end of some strokes is within the box that cuts them.
    hatching += [replace(line(box[0] + 10, 240, box[2] + 20, 200, 0.8), clip=box) for box in boxes]
    found = read_charts(page(LABELS, [*MARKS, *(rect(box) for box in boxes), *hatching]))
    assert ([mark.kind for mark in only(found).marks], values(only(found))) == (["bar", "bar"], [600, 400])


def test_points_beside_the_labels_of_an_axis_make_no_legend_of_it() -> None:
    places = ((74.0, 250.0, RED), (74.0, 150.0, RED), (74.0, 200.0, BLUE), (200.0, 90.0, BLUE))
    shapes = [rect((x - 2, y - 2, x + 2, y + 2), colour) for x, y, colour in places]
    labels = [replace(label, bottom=label.bottom + 1e-6 * i) for i, label in enumerate(LABELS)]
    chart = only(read_charts(page(labels + NUMBERS, [*MARKS, *BELOW, FRAME, *shapes])))
    assert values(chart) == [0, 400, 200, 640]


def triangle(x: float, y: float, rise: float) -> Shape:
    """One 8 points wide whose top is `rise` above a place, and whose base is 2.31 below it."""
    return curve(((x - 4, y + 2.31), (x, y - rise), (x + 4, y + 2.31), (x - 4, y + 2.31)), RED)


def test_an_equilateral_triangle_stands_around_its_centre_of_gravity() -> None:
    shapes = [triangle(x, y, 4.62) for x, y in PLACES]
    chart = only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *shapes])))
    assert values(chart) == [200, 360, 640]
    # One that fills a square has its place in the middle of that.
    shapes = [triangle(x, y + 1.69, 5.69) for x, y in PLACES]
    chart = only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *shapes])))
    assert values(chart) == [200, 360, 640]


def test_small_circles_whose_outline_makes_them_visible_are_points() -> None:
    shapes = [curve(((x - 0.5, y), (x, y - 0.5), (x + 0.5, y), (x, y + 0.5), (x - 0.5, y)), RED) for x, y in PLACES]
    chart = only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *shapes])))
    assert values(chart) == [200, 360, 640]


def test_what_no_series_of_marks_is_made_of_is_refused_and_not_forgotten() -> None:
    outline = curve(((80.0, 200.0), (150.0, 180.0), (120.0, 120.0), (90.0, 160.0)))
    found = read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, outline]))
    assert lost(found) == [("no_function", 4)]
    boxes = [rect((x, 100, x + breadth, 150)) for x, breadth in ((90, 20), (150, 30), (220, 40))]
    assert lost(read_charts(page(LABELS, [*MARKS, FRAME, *boxes]))) == [("floating_bars", 3)]
    names = [word(name, 40, y) for name, (_, y) in zip(("A100", "V100", "IPU"), PLACES, strict=True)]
    assert lost(read_charts(page(NUMBERS + names, [*BELOW, FRAME, *SIGNS]))) == [("lying_points", 3)]


def test_a_sentence_above_a_plot_is_no_title_of_its_axis() -> None:
    line_of = curve(UPWARDS)
    short = [word("tokens/s", 60, 36)]
    chart = only(read_charts(page(LABELS + short, [*MARKS, FRAME, line_of])))
    assert [w.text for w in chart.title] == ["tokens/s"]
    for sentence in (
        [*short, word("of the plot", 20, 36)],
        [*short, *(word("words", 94 + 26 * i, 36) for i in range(12))],
    ):
        assert only(read_charts(page(LABELS + sentence, [*MARKS, FRAME, line_of]))).title == ()


def test_the_last_line_of_several_above_a_plot_is_no_title_of_its_axis() -> None:
    lines = [word("tokens", 60, 26), word("tokens", 60, 36)]
    assert only(read_charts(page(LABELS + lines, [*MARKS, FRAME, curve(UPWARDS)]))).title == ()


def test_strokes_that_are_drawn_twice_are_no_crosses() -> None:
    rug = [line(x, 240, x, 246) for x in (100, 120, 150, 170, 200) for _ in range(2)]
    points = [stroke for x, y in PLACES for stroke in cross(x, y, RED)]
    chart = only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *points, *rug])))
    assert values(chart) == [200, 360, 640]


def test_strokes_from_an_axis_to_its_points_are_no_legend() -> None:
    combs = [line(64, y, x, y) for x, y in ((90.0, 200.0), (100.0, 150.0), (110.0, 100.0))]
    points = [rect((x - 2, y - 2, x + 2, y + 2), RED) for x, y in ((90.0, 200.0), (100.0, 150.0), (110.0, 100.0))]
    chart = only(read_charts(page(LABELS + NUMBERS, [*MARKS, *BELOW, FRAME, *combs, *points])))
    assert values(chart) == [200, 400, 600]


def test_signs_of_one_colour_are_told_apart_by_their_form() -> None:
    shapes = [stroke for x, y in PLACES for stroke in cross(x, y, BLACK)]
    shapes += [rect((x + 18, y - 2, x + 22, y + 2), BLACK) for x, y in PLACES]
    shapes += [*cross(300, 70, BLACK), rect((298, 80, 302, 84), BLACK)]
    words = [word("A100", 322, 70), word("V100", 322, 82)]
    chart = only(read_charts(page(LABELS + NUMBERS + words, [*MARKS, *BELOW, FRAME, *shapes])))
    assert [mark.series for mark in chart.marks] == ["A100"] * 3 + ["V100"] * 3


def test_the_stroke_of_a_legend_names_no_points() -> None:
    legends = [line(290, 70, 310, 70, 1.0), replace(line(290, 82, 310, 82, 1.0), dash=(3.0, 3.0))]
    words = [word("fitted", 328, 70), word("generating", 338, 82)]
    points = [replace(sign, fill_colour=BLACK) for sign in SIGNS]
    chart = only(read_charts(page(LABELS + NUMBERS + words, [*MARKS, *BELOW, FRAME, *points, *legends])))
    assert {mark.series for mark in chart.marks} == {None}


def test_points_that_are_letters_or_too_small_are_refused_and_name_nothing() -> None:
    letters = [word("o", x, y) for x, y in (*PLACES, (250.0, 100.0))]
    found = read_charts(page(LABELS + letters, [*MARKS, FRAME, curve((*PLACES, (250.0, 100.0)))]))
    assert {(mark.series, mark.category) for mark in only(found).marks} == {(None, None)}
    assert ("lettered_points", 4) in lost(found)
    dots = [line(70 + x, 240 - x / 2, 70.5 + x, 240 - x / 2) for x in range(0, 300, 2)]
    assert lost(read_charts(page(LABELS, [*MARKS, FRAME, *dots]))) == [("too_many_strokes", 150)]


def test_the_paragraph_below_a_chart_holds_no_labels_of_it() -> None:
    labels = [word("Jan", 100, 262), word("Mar", 200, 262)]
    paragraph = [word(text, x, 292) for text, x in (("as", 100), ("the", 150), ("graph", 200))]
    points = curve(((100.0, 200.0), (150.0, 150.0), (200.0, 100.0)))
    found = read_charts(replace(page(LABELS + labels + paragraph, [*MARKS, FRAME, points]), height=400))
    assert names_of(found) == ["Jan", None, "Mar"]


def test_two_labels_at_three_ticks_of_which_two_are_the_ends_of_the_plot_are_no_axis() -> None:
    labels = [word("0", 0, 250, end=56), word("400", 0, 150, end=56)]
    ticks = [line(60, y, 64, y) for y in (250, 150, 50)]
    assert read_charts(page(labels, [*ticks, FRAME, curve(UPWARDS)]))[0] == []


def test_a_power_that_labels_the_other_axis_is_no_factor_of_this_one() -> None:
    powers = [word(f"10^{n}", 144 + 80 * n, 40) for n in range(-1, 4)]
    above = [line(64 + 80 * n, 46, 64 + 80 * n, 50) for n in range(5)]
    chart = only(read_charts(page(LABELS + powers, [*MARKS, *above, FRAME, curve(UPWARDS)])))
    assert (chart.multiplier, values(chart)) == (1.0, [200, 280, 600])


def test_a_number_in_a_piece_of_a_bar_is_not_of_the_piece_that_ends_before_it() -> None:
    pieces = [bar(middle, 200) for middle in (100, 160, 220)]
    pieces += [bar(middle, 240, RED, base=200) for middle in (100, 160, 220)]
    numbers = [word(text, middle, 194) for text, middle in (("240", 100), ("240", 160), ("240", 220))]
    printed = [
        mark.printed.value if mark.printed else None
        for mark in only(read_charts(page(LABELS + NAMES + numbers, [*MARKS, *pieces]))).marks
    ]
    assert printed == [None, 240, None, 240, None, 240]
