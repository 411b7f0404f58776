"""Sixteen everyday charts, drawn by matplotlib as slides and papers have them: numerals beside a
plot that are no scale, and scales beside a plot that make it ambiguous.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from makers.charts.plans import MODELS, PLATFORMS
from makers.charts.scoring import Known

Drawn = tuple[Any, list[Known]]
Maker = Callable[[random.Random], Drawn]

BATCHES = ("8", "16", "32", "64", "128", "256")
TITLES = ("Throughput (images/s)", "Latency (ms)", "Samples per second", "Speedup")


def _figure(dice: random.Random, columns: int = 1, right: float = 0.0) -> tuple[Any, Any]:
    """A figure and its plots; `right` is the share of it that is kept free beside them."""
    size = dice.choice(((4.5, 3), (6, 4), (8, 4.5)))
    figure, plots = plt.subplots(1, columns, figsize=(size[0] * (1 + 0.5 * (columns - 1)), size[1]))
    figure.subplots_adjust(left=0.16, bottom=0.18, right=0.94 - right, top=0.84, wspace=0.4)
    for axes in plots if columns > 1 else [plots]:
        if dice.random() < 0.4:
            axes.grid(True, axis="y")
        if dice.random() < 0.4:
            axes.spines[["top", "right"]].set_visible(False)
    return figure, plots


def _values(dice: random.Random, count: int, top: float) -> list[float]:
    return [float(f"{top * dice.uniform(0.25, 1):.3g}") for _ in range(count)]


def _top(dice: random.Random) -> float:
    return dice.choice((1.0, 9.0, 60.0, 800.0, 5000.0, 120000.0))


def _points(xs: list[float], ys: list[float], series: str = "") -> list[Known]:
    reach = max(xs) - min(xs)
    return [
        Known("point", series, "", x, y, min(ys), max(ys), False, reach)
        for x, y in zip(xs, ys, strict=True)
    ]


def _bars(names: list[str], values: list[float]) -> list[Known]:
    return [
        Known("bar", "", name, None, value, 0.0, max(values), False, 0.0)
        for name, value in zip(names, values, strict=True)
    ]


def _bar_chart(dice: random.Random, axes: Any, names: list[str] | None = None) -> list[Known]:
    names = names or dice.sample(PLATFORMS[:7], dice.randint(3, 5))
    values = _values(dice, len(names), _top(dice))
    axes.bar(range(len(names)), values, width=0.6)
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.set_ylabel(dice.choice(TITLES))
    return _bars(names, values)


def _line_chart(
    dice: random.Random, axes: Any, names: list[str], count: int, look: dict[str, Any]
) -> list[Known]:
    top = _top(dice)
    xs = sorted(float(x) for x in dice.sample(range(1, 40), count))
    known: list[Known] = []
    for name in names:
        ys = _values(dice, count, top)
        axes.plot(xs, ys, label=name, **look)
        known += _points(xs, ys, name)
    axes.set_ylabel(dice.choice(TITLES))
    axes.set_xlabel(dice.choice(("Epoch", "Nodes", "Batch size")))
    # All series share one axis.
    low, high = min(k.value for k in known), max(k.value for k in known)
    return [replace(one, low=low, high=high) for one in known]


def _batches(dice: random.Random) -> list[str]:
    first = dice.randrange(len(BATCHES) - 3)
    return list(BATCHES[first : first + dice.randint(2, 4)])


def legend_of_numbers_outside(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice, right=0.2)
    known = _line_chart(dice, axes, _batches(dice), dice.randint(4, 7), {"marker": "o"})
    title = dice.choice((None, "Batch"))
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), title=title)
    return figure, known


def legend_of_numbers_inside(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice)
    known = _line_chart(
        dice, axes, _batches(dice), dice.randint(4, 7), {"marker": dice.choice("os^")}
    )
    axes.legend(title=dice.choice((None, "Batch size")))
    return figure, known


def two_points_with_markers(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice)
    names = dice.sample(PLATFORMS, dice.randint(2, 3))
    known = _line_chart(dice, axes, names, 2, {"marker": dice.choice("os^")})
    axes.legend()
    return figure, known


def two_points_without_markers(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice)
    known = _line_chart(dice, axes, dice.sample(PLATFORMS, 2), 2, {})
    axes.legend()
    return figure, known


def table_beside(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice, right=0.36)
    known = _bar_chart(dice, axes)
    cells = [[f"{k.value:g}", f"{dice.uniform(1, 9):.1f}"] for k in known]
    names = [k.category for k in known]
    beside = figure.add_axes((0.74, 0.2, 0.24, 0.6))
    beside.axis("off")
    table = beside.table(cells, rowLabels=names, colLabels=["ips", "W"], loc="center")
    if dice.random() < 0.5:
        for cell in table.get_celld().values():
            cell.visible_edges = "B"
    return figure, known


def label_past_the_edge(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice, right=0.12)
    names = dice.sample(MODELS[:8], dice.randint(3, 5))
    values = _values(dice, len(names), _top(dice))
    axes.barh(range(len(names)), values, height=0.6)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_xlim(0, max(values) * 1.01)
    axes.set_xlabel(dice.choice(TITLES))
    for place, value in enumerate(values):
        axes.text(value, place, f" {value:g}", va="center", fontsize=8)
    return figure, _bars(names, values)


def facets_titled_by_numbers(dice: random.Random) -> Drawn:
    figure, plots = _figure(dice, columns=3)
    known: list[Known] = []
    for axes, title in zip(plots, dice.sample(BATCHES, 3), strict=True):
        known += _bar_chart(dice, axes, dice.sample(["A100", "V100", "T4", "CPU"], 3))
        axes.set_ylabel("")
        axes.set_title(title)
    return figure, known


def page_number(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice)
    known = _bar_chart(dice, axes)
    place = dice.choice(((0.97, 0.03), (0.97, 0.3), (0.98, 0.96), (0.03, 0.03)))
    figure.text(*place, str(dice.randint(2, 60)), fontsize=dice.choice((7, 8, 10)))
    return figure, known


def headline(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice, right=dice.choice((0.0, 0.2)))
    known = _bar_chart(dice, axes)
    text = dice.choice(("2.6x", "2.6x faster", "3.4×", "40%", "10.3x"))
    if figure.subplotpars.right < 0.8:
        figure.text(0.78, 0.5, text, fontsize=26, weight="bold")
    else:
        figure.text(0.4, 0.9, text, fontsize=20, weight="bold")
    return figure, known


def column_beside(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice, right=0.14)
    names = dice.sample(MODELS[:8], dice.randint(3, 6))
    values = _values(dice, len(names), _top(dice))
    axes.barh(range(len(names)), values, height=0.6)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_xlabel(dice.choice(TITLES))
    column = [f"{dice.uniform(1, 9):.1f}x" for _ in names]
    if dice.random() < 0.5:
        column = [f"{value:g}" for value in values]
    for place, text in enumerate(column):
        axes.text(1.03, place, text, va="center", fontsize=8, transform=axes.get_yaxis_transform())
    return figure, _bars(names, values)


def _twin(dice: random.Random, labels: int) -> Drawn:
    figure, axes = _figure(dice, right=0.06)
    known = _bar_chart(dice, axes)
    other = axes.twinx()
    ys = _values(dice, len(known), dice.choice((1.0, 30.0, 500.0)))
    other.plot(range(len(known)), ys, color="tab:red", marker=dice.choice(("o", None)))
    top = 1.2 * max(ys)
    other.set_ylim(0, top)
    other.set_yticks([float(f"{top * 0.95 * n / (labels - 1):.2g}") for n in range(labels)])
    other.set_ylabel("Power (W)")
    return figure, known


def twin_axes_of_seven(dice: random.Random) -> Drawn:
    return _twin(dice, 7)


def twin_axes_of_two(dice: random.Random) -> Drawn:
    return _twin(dice, 2)


def colour_bar(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice)
    count = dice.randint(5, 9)
    xs = sorted(float(x) for x in dice.sample(range(1, 40), count))
    ys = _values(dice, count, _top(dice))
    drawn = axes.scatter(xs, ys, c=_values(dice, count, 50), s=30)
    figure.colorbar(drawn, ax=axes, label="Power (W)")
    axes.set_ylabel(dice.choice(TITLES))
    return figure, _points(xs, ys)


def _crosses(dice: random.Random, marker: str) -> Drawn:
    figure, axes = _figure(dice)
    names = dice.sample(PLATFORMS, 2)
    dashes = dice.choice(("-", "--"))
    look = {"marker": marker, "linestyle": dashes}
    known = _line_chart(dice, axes, names, dice.randint(4, 6), look)
    axes.legend()
    return figure, known


def x_markers(dice: random.Random) -> Drawn:
    return _crosses(dice, "x")


def plus_markers(dice: random.Random) -> Drawn:
    return _crosses(dice, "+")


def categories_of_numbers(dice: random.Random) -> Drawn:
    figure, axes = _figure(dice)
    noun = dice.choice(("GPUs", "nodes", "chips", "IPUs"))
    counts = dice.choice(((1, 2, 4, 8), (8, 16, 32), (4, 8, 16, 64)))
    return figure, _bar_chart(dice, axes, [f"{count} {noun}" for count in counts])


READ: tuple[Maker, ...] = (
    legend_of_numbers_outside, legend_of_numbers_inside, two_points_with_markers,
    two_points_without_markers, table_beside, label_past_the_edge, facets_titled_by_numbers,
    page_number, headline, column_beside, x_markers, plus_markers, categories_of_numbers,
)  # fmt: skip
REFUSED: tuple[Maker, ...] = (twin_axes_of_seven, twin_axes_of_two, colour_bar)


def make(maker: Maker, seed: int, path: Path) -> list[Known]:
    """Write a chart as one page; gives what it is known to show."""
    plt.rcParams.update(matplotlib.rcParamsDefault)
    plt.rcParams["pdf.fonttype"] = (3, 42)[seed % 2]
    figure, known = maker(random.Random(f"{maker.__name__} {seed}"))
    figure.savefig(path)
    plt.close(figure)
    return known
