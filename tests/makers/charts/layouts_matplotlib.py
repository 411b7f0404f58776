"""Layouts of charts drawn by matplotlib, in whichever version the interpreter has."""

# mypy: ignore-errors
# ruff: noqa: B905, RUF005
# Older interpreters run this module, too.
from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import itertools

import matplotlib.pyplot as plt
from makers.charts.layouts import Data, Known, write_marks

PRODUCER = f"matplotlib {matplotlib.__version__}"
STYLES = ("default", "classic", "ggplot", "bmh", "fivethirtyeight", "grayscale")


class Sheet:
    """One page: the marks that a reader can see in each of its plots."""

    def __init__(self, layout, data):
        self.layout, self.data, self.marks, self.panels = layout, data, [], {}

    def add(self, axes, mark, series, category, x, value):
        """One mark where the plot shows it, and nothing where it does not."""
        panel = self.panels.setdefault(id(axes), len(self.panels) + 1)
        upright = getattr(axes, "grows", "up") == "up"
        low, high = sorted(axes.get_ylim() if upright else axes.get_xlim())
        left, right = sorted(axes.get_xlim() if upright else axes.get_ylim())
        slack = 1e-6 * (high - low)
        if not low - slack <= value <= high + slack or (x is not None and not left - 1e-9 <= x <= right + 1e-9):
            return
        log = (axes.get_yscale() if upright else axes.get_xscale()) == "log"
        x_range = 0.0 if x is None else right - left
        self.marks.append(
            Known(PRODUCER, self.layout, panel, mark, series, category, x, float(value), low, high, log, x_range)
        )


def small_multiples(data, sheet, figure):
    rows, columns = data.dice.choice(((3, 3), (2, 2), (2, 3), (1, 3), (4, 2)))
    share = data.dice.random() < 0.3
    grid = figure.subplots(rows, columns, squeeze=False, sharex=share, sharey=share)
    kind = data.dice.choice(("line", "bar", "marker", "scatter"))
    count = 4
    xs = data.xs(count)
    top = 430 if share else None
    drawn = []
    for axes in grid.flat:
        values = data.values(count, top)
        if kind == "bar":
            names = ["A", "B", "C", "D"]
            axes.bar(range(count), values, 0.6)
            axes.set_xticks(range(count))
            axes.set_xticklabels(names)
            drawn.append((axes, "bar", names, [None] * count, values))
        else:
            if kind == "scatter":
                axes.scatter(xs, values, s=25)
            else:
                axes.plot(xs, values, marker="o" if kind == "marker" else None)
            drawn.append((axes, "point", [""] * count, xs, values))
        axes.set_title(data.models(1)[0], fontsize=8)
        axes.tick_params(labelsize=7)
    figure.tight_layout()
    for axes, mark, names, places, values in drawn:
        for name, x, value in zip(names, places, values):
            sheet.add(axes, mark, "", name, x, value)


def broken_axis(data, sheet, figure):
    upper, lower = figure.subplots(2, 1, sharex=True)
    names = data.models(5)
    values = [float(f"{v:.3g}") for v in (*data.values(3, 90), *[900 + v for v in data.values(2, 90)])]
    data.dice.shuffle(values)
    for axes in (upper, lower):
        axes.bar(range(5), values, 0.6)
    upper.set_ylim(880, 1000)
    lower.set_ylim(0, 110)
    upper.spines["bottom"].set_visible(False)
    lower.spines["top"].set_visible(False)
    upper.tick_params(bottom=False)
    lower.set_xticks(range(5))
    lower.set_xticklabels(names, fontsize=7)
    for axes in (upper, lower):
        for name, value in zip(names, values):
            sheet.add(axes, "bar", "", name, None, value)


def clipped_curves(data, sheet, figure):
    axes = figure.subplots()
    names = data.platforms(2)
    xs = [float(x) for x in range(1, 13)]
    tops = []
    for name in names:
        values = data.rising(12, 400)
        tops += values
        axes.plot(xs, values, label=name, marker=data.dice.choice((None, "s")))
        sheet.panels[name] = values
    axes.set_ylim(min(tops) * 0.9, max(tops) * data.dice.uniform(0.5, 0.8))
    axes.set_xlim(data.dice.choice((0, 2.5)), data.dice.choice((9.5, 13)))
    axes.legend()
    for name in names:
        for x, value in zip(xs, sheet.panels.pop(name)):
            sheet.add(axes, "point", name, "", x, value)


def hatched_bars(data, sheet, figure):
    axes = figure.subplots()
    names, series = data.models(4), data.platforms(3)
    white = data.dice.random() < 0.5
    kept = []
    for index, (name, hatch) in enumerate(zip(series, ("//", "xx", ".."))):
        values = data.values(4, 300)
        colour = "white" if white else ("C0", "C1", "C2")[index]
        axes.bar([p + 0.25 * index for p in range(4)], values, 0.25, label=name, hatch=hatch, color=colour,
                 edgecolor="black")  # fmt: skip
        kept.append((name, values))
    axes.set_xticks([p + 0.25 for p in range(4)])
    axes.set_xticklabels(names)
    axes.legend()
    for name, values in kept:
        for place, value in zip(names, values):
            sheet.add(axes, "bar", name, place, None, value)


def floating_bars(data, sheet, figure):
    """Ranges: none of them stands on the axis, so none is known."""
    axes = figure.subplots()
    lows = data.values(5, 80)
    heights = data.values(5, 60)
    axes.bar(range(5), heights, 0.6, bottom=[low + 5 for low in lows])
    axes.set_ylim(0, 160)
    axes.set_xticks(range(5))
    axes.set_xticklabels(data.models(5), fontsize=7)


def fitted_line(data, sheet, figure):
    axes = figure.subplots()
    xs = sorted(data.dice.sample([0.5 * i for i in range(1, 70)], 9))
    values = [float(f"{3 * x + data.dice.uniform(-9, 9) + 30:.3g}") for x in xs]
    axes.plot(xs, values, "o", color="C0")
    if data.dice.random() < 0.5:
        axes.plot([xs[0], xs[-1]], [3 * xs[0] + 30, 3 * xs[-1] + 30], color="C1")
    else:
        fine = [xs[0] + (xs[-1] - xs[0]) * i / 80 for i in range(81)]
        axes.plot(fine, [2.9 * x + 30 + 0.01 * (x - 10) ** 2 for x in fine], "--", color="black")
    for x, value in zip(xs, values):
        sheet.add(axes, "point", "", "", x, value)


def one_log_label(data, sheet, figure):
    axes = figure.subplots()
    xs = data.xs(6)
    values = [float(f"{v:.3g}") for v in (data.dice.uniform(30, 400) for _ in range(6))]
    axes.plot(xs, values, marker=data.dice.choice(("o", None)))
    axes.set_yscale("log")
    axes.set_ylim(20, 600)
    axes.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    for x, value in zip(xs, values):
        sheet.add(axes, "point", "", "", x, value)


def custom_ticks(data, sheet, figure):
    axes = figure.subplots()
    xs = [3.0, 5.0, 7.0, 9.0, 33.0, 66.0] if data.dice.random() < 0.5 else sorted(data.dice.sample(range(2, 97, 5), 6))
    series = data.platforms(2)
    kept = [(name, data.rising(6, 500)) for name in series]
    for name, values in kept:
        axes.plot(xs, values, marker="o", label=name)
    if data.dice.random() < 0.4:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.set_xticks(xs)
    axes.set_xticklabels([f"{x:g}" for x in xs], fontsize=6)
    axes.legend()
    for name, values in kept:
        for x, value in zip(xs, values):
            sheet.add(axes, "point", name, "", float(x), value)


def two_scales(data, sheet, figure):
    """Two value axes: which one a mark belongs to is not printed."""
    axes = figure.subplots()
    axes.bar(range(4), data.values(4, 700), 0.5)
    axes.set_xticks(range(4))
    axes.set_xticklabels(data.models(4))
    other = axes.twinx()
    other.plot(range(4), data.values(4, 9), color="C1", marker="o")


def error_bars(data, sheet, figure):
    axes = figure.subplots()
    names, values = data.models(5), data.values(5, 300)
    errors = [v * 0.1 for v in values]
    if data.dice.random() < 0.5:
        axes.bar(range(5), values, 0.6, yerr=errors, capsize=4)
        axes.set_xticks(range(5))
        axes.set_xticklabels(names, fontsize=7)
        for name, value in zip(names, values):
            sheet.add(axes, "bar", "", name, None, value)
    else:
        xs = data.xs(5)
        axes.errorbar(xs, values, yerr=errors, marker="o", capsize=3)
        for x, value in zip(xs, values):
            sheet.add(axes, "point", "", "", x, value)


def short_curves(data, sheet, figure):
    axes = figure.subplots()
    kept = []
    for index, name in enumerate(data.platforms(4)):
        start = data.dice.uniform(0, 4) if index else 0
        width = 30 if index == 0 else data.dice.uniform(1, 3)
        xs = [round(start + width * i / 3, 2) for i in range(4)]
        values = data.rising(4, 5200)
        axes.plot(xs, values, label=name, marker=data.dice.choice((None, "^")))
        kept.append((name, xs, values))
    axes.legend(fontsize=7)
    for name, xs, values in kept:
        for x, value in zip(xs, values):
            sheet.add(axes, "point", name, "", x, value)


def same_style(data, sheet, figure):
    axes = figure.subplots()
    xs, names = data.xs(5), data.platforms(2)
    looks = data.dice.choice(([{"ls": "-"}, {"ls": "--"}], [{"marker": "o"}, {"marker": "s"}], [{}, {}]))
    kept = [(name, data.rising(5, 430)) for name in names]
    for (name, values), look in zip(kept, looks):
        axes.plot(xs, values, color="black", label=name, **look)
    axes.legend()
    for name, values in kept:
        for x, value in zip(xs, values):
            sheet.add(axes, "point", name, "", x, value)


def cut_bars(data, sheet, figure):
    axes = figure.subplots()
    names = data.models(5)
    values = data.values(4, 90) + [data.dice.uniform(250, 800)]
    data.dice.shuffle(values)
    axes.bar(range(5), values, 0.6)
    axes.set_ylim(0, 120)
    axes.set_xticks(range(5))
    axes.set_xticklabels(names, fontsize=7)
    for name, value in zip(names, values):
        sheet.add(axes, "bar", "", name, None, value)


def lying_groups(data, sheet, figure):
    axes = figure.subplots()
    axes.grows = "right"
    names, series = data.models(4), data.platforms(2)
    kept = [(name, data.values(4, 5200)) for name in series]
    for index, (name, values) in enumerate(kept):
        axes.barh([p + 0.35 * index for p in range(4)], values, 0.35, label=name)
    axes.set_yticks([p + 0.175 for p in range(4)])
    axes.set_yticklabels(names, fontsize=7)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncol=2)
    for name, values in kept:
        for place, value in zip(names, values):
            sheet.add(axes, "bar", name, place, None, value)


def noted_points(data, sheet, figure):
    """Points with notes, arrows and a line for a target between them: none of these is a mark."""
    axes = figure.subplots()
    xs, values = data.xs(5), data.rising(5, 430)
    axes.plot(xs, values, marker="o", label=data.platforms(1)[0])
    axes.axhline(values[2] * 1.03, ls="--", color="red")
    axes.axvline(xs[3] * 1.02, ls=":", color="gray")
    axes.annotate(f"{values[-1]:g}", (xs[-1], values[-1]), textcoords="offset points", xytext=(-40, -30),
                  arrowprops={"arrowstyle": "->"})  # fmt: skip
    axes.axhspan(0, values[0] * 0.5, alpha=0.2, color="orange")
    for x, value in zip(xs, values):
        sheet.add(axes, "point", "", "", x, value)


def inset(data, sheet, figure):
    """A plot within a plot, each with its own axes."""
    axes = figure.subplots()
    xs, values = [float(x) for x in range(1, 11)], data.rising(10, 430)
    axes.plot(xs, values, marker="o")
    axes.set_xlim(0, 20)
    inner = figure.add_axes([0.6, 0.25, 0.25, 0.25])
    few = data.values(4, 12)
    inner.plot(xs[:4], few, marker=data.dice.choice(("s", None)), color="C1")
    inner.set_ylim(0, 14)
    inner.tick_params(labelsize=7)
    for x, value in zip(xs, values):
        sheet.add(axes, "point", "", "", x, value)
    for x, value in zip(xs, few):
        sheet.add(inner, "point", "", "", x, value)


def office_panels(data, sheet, figure):
    """Many small plots as office programs draw them: gridlines alone, no frame, no tick marks, nothing clipped."""
    grid = figure.subplots(*data.dice.choice(((7, 2), (4, 3), (2, 2), (5, 3))), squeeze=False)
    names = data.models(4)
    drawn = []
    for axes in grid.flat:
        values = data.values(4, data.dice.choice((0.9, 75, 430, 6400)))
        bars = data.dice.random() < 0.5
        if bars:
            axes.bar(range(4), values, 0.5, clip_on=False)
        else:
            axes.plot(range(4), values, marker=data.dice.choice(("o", None)), clip_on=False)
            axes.set_ylim(0, max(values) * 1.1)
        axes.set_xlim(-0.5, 3.5)
        axes.set_xticks(range(4))
        axes.set_xticklabels(names, fontsize=3)
        axes.tick_params(length=0, labelsize=4)
        axes.grid(True, axis="y")
        axes.set_axisbelow(True)
        axes.set_title(data.models(1)[0], fontsize=6)
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.patch.set_visible(False)
        drawn.append((axes, "bar" if bars else "point", values))
    figure.tight_layout()
    for axes, mark, values in drawn:
        for name, value in zip(names, values):
            sheet.add(axes, mark, "", name, None, value)


def histogram(data, sheet, figure):
    axes = figure.subplots()
    counts = [data.dice.randint(1, 60) for _ in range(12)]
    axes.bar([x + 0.5 for x in range(12)], counts, 1.0, edgecolor="white", linewidth=data.dice.choice((0, 0.5)))
    for place, value in enumerate(counts):
        sheet.add(axes, "bar", "", "", place + 0.5, value)


def areas(data, sheet, figure):
    """Stacked areas: which of their edges counts is not drawn."""
    axes = figure.subplots()
    xs = [float(x) for x in range(8)]
    axes.stackplot(xs, data.values(8, 75), data.values(8, 75))


def boxes(data, sheet, figure):
    """Boxes with whiskers, which stand on nothing."""
    axes = figure.subplots()
    axes.boxplot([data.values(15, 75) for _ in range(4)], patch_artist=data.dice.random() < 0.5, showfliers=False)


def bars_and_line(data, sheet, figure):
    axes = figure.subplots()
    names, values, line = data.models(5), data.values(5, 430), data.values(5, 430)
    axes.bar(range(5), values, 0.6, label="A100", color="C0")
    axes.plot(range(5), line, color="C3", marker=data.dice.choice(("o", None)), label="limit")
    axes.set_xticks(range(5))
    axes.set_xticklabels(names, fontsize=6)
    axes.legend()
    for name, value, other in zip(names, values, line):
        sheet.add(axes, "bar", "A100", name, None, value)
        sheet.add(axes, "point", "limit", name, None, other)


def dots_with_names(data, sheet, figure):
    axes = figure.subplots()
    xs, values = data.xs(6), data.values(6, 75)
    for index, (name, x, value) in enumerate(zip(data.models(6), xs, values)):
        axes.plot([x], [value], "o", color=f"C{index}", ms=data.dice.choice((6, 6, 7)))
        axes.annotate(name, (x, value), textcoords="offset points", xytext=(6, 4), fontsize=7)
        sheet.add(axes, "point", "", "", x, value)


def heat_map(data, sheet, figure):
    """A map of colours beside its scale: no marks."""
    axes = figure.subplots()
    picture = axes.pcolormesh([[data.dice.random() for _ in range(8)] for _ in range(6)])
    figure.colorbar(picture)


def negative_bars(data, sheet, figure):
    axes = figure.subplots()
    names, values = data.models(5), [v - 40 for v in data.values(5, 90)]
    axes.grows = data.dice.choice(("up", "right"))
    (axes.bar if axes.grows == "up" else axes.barh)(range(5), values, 0.6)
    (axes.set_xticks if axes.grows == "up" else axes.set_yticks)(range(5))
    (axes.set_xticklabels if axes.grows == "up" else axes.set_yticklabels)(names, fontsize=7)
    (axes.axhline if axes.grows == "up" else axes.axvline)(0, color="black", lw=0.8)
    for name, value in zip(names, values):
        sheet.add(axes, "bar", "", name, None, value)


def roofline(data, sheet, figure):
    axes = figure.subplots()
    peak, slope = data.dice.choice((312.0, 125.0, 62.5)), data.dice.choice((1.555, 0.9, 2.0))
    xs = [0.1, round(peak / slope, 2), 1000.0]
    axes.plot(xs, [xs[0] * slope, peak, peak], color="black")
    dots = [(data.dice.uniform(0.5, 100), name) for name in data.models(4)]
    shown = [(round(x, 2), float(f"{min(peak, slope * x) * data.dice.uniform(0.2, 0.8):.3g}")) for x, _ in dots]
    axes.scatter([x for x, _ in shown], [v for _, v in shown], color="C1")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for x, value in shown:
        sheet.add(axes, "point", "", "", x, value)


def staggered_steps(data, sheet, figure):
    """A curve in steps and one with whiskers across: steps are refused."""
    axes = figure.subplots()
    xs, values = data.xs(6), data.rising(6, 75)
    axes.step(xs, values)
    other = data.rising(6, 75)
    axes.errorbar(xs, other, xerr=[0.4] * 6, yerr=[3] * 6, fmt="s", capsize=2)
    for x, value in zip(xs, other):
        sheet.add(axes, "point", "", "", x, value)


def named_by_arrows(data, sheet, figure):
    """Points whose names stand elsewhere, each at the end of an arrow; the nearest name is often another one's."""
    axes = figure.subplots()
    xs, values, names = data.xs(5), data.values(5, 75), data.models(5)
    colours = [f"C{i}" for i in range(5)] if data.dice.random() < 0.5 else ["C0"] * 5
    axes.scatter(xs, values, c=colours, s=30)
    axes.set_xlim(0, max(xs) * 1.3)
    axes.set_ylim(0, 100)
    look = data.dice.choice((
        {"arrowstyle": "->"}, {"arrowstyle": "-"}, {"arrowstyle": "-|>", "color": "gray"},
        {"arrowstyle": "->", "connectionstyle": "arc3,rad=0.2"}, {"arrowstyle": "-", "lw": 0.5, "shrinkB": 5},
    ))  # fmt: skip
    for name, x, value in zip(names, xs, values):
        away = (data.dice.choice((-45, -25, 30, 50)), data.dice.choice((-40, 25, 45)))
        axes.annotate(name, (x, value), textcoords="offset points", xytext=away, fontsize=8,
                      arrowprops={"color": "black", **look})  # fmt: skip
        sheet.add(axes, "point", "", name, x, value)


def bracketed_bars(data, sheet, figure):
    """Groups of bars over a bracket each, with the name of the group below it."""
    axes = figure.subplots()
    figure.subplots_adjust(bottom=0.25)
    groups, series = data.models(3), data.platforms(3)
    named = data.dice.random() < 0.5
    kept = []
    for index, name in enumerate(series):
        values = data.values(3, 300)
        axes.bar([4 * p + index for p in range(3)], values, 0.8, label=name, color="C0" if named else f"C{index}")
        kept.append((name, values))
    places = [4 * p + i for p in range(3) for i in range(3)]
    axes.set_xticks(places)
    axes.set_xticklabels([series[i] if named else "" for _ in range(3) for i in range(3)], fontsize=5)
    if not named:
        axes.tick_params(bottom=False)
        axes.legend()
    depth = -0.09 if named else -0.02
    bracket = data.dice.choice(("lines", "arrow"))
    for p, group in enumerate(groups):
        ends = (4 * p - 0.4, 4 * p + 2.4)
        if bracket == "lines":
            low = depth - 0.03
            axes.plot([ends[0], ends[0], ends[1], ends[1]], [depth, low, low, depth], color="black", lw=0.8,
                      transform=axes.get_xaxis_transform(), clip_on=False)  # fmt: skip
            axes.text(4 * p + 1, low - 0.02, group, ha="center", va="top", transform=axes.get_xaxis_transform())
        else:
            broad = 2.8 / (axes.get_xlim()[1] - axes.get_xlim()[0]) * axes.bbox.width * 72 / figure.dpi
            axes.annotate(group, (4 * p + 1, depth), (4 * p + 1, depth - 0.1), xycoords=axes.get_xaxis_transform(),
                          ha="center", va="top", fontsize=10, annotation_clip=False,
                          arrowprops={"arrowstyle": f"-[, widthB={broad / 20:.2f}, lengthB=0.4",
                                      "color": "black"})  # fmt: skip
    for name, values in kept:
        for group, value in zip(groups, values):
            sheet.add(axes, "bar", "" if named else name, f"{name} {group}" if named else group, None, value)


def line_end_names(data, sheet, figure):
    """Lines named at their right end; where ends are close together, the names are spread and led to by a stroke."""
    axes = figure.subplots()
    xs, names = [float(x) for x in range(1, 7)], data.platforms(4)
    kept = [(name, data.rising(6, 75)) for name in names]
    for index, (_, values) in enumerate(kept):
        axes.plot(xs, values, color=f"C{index}", marker=data.dice.choice(("o", None)))
    axes.set_xlim(0.5, 9)
    axes.set_ylim(0, 90)
    ends = sorted(values[-1] for _, values in kept)
    led = data.dice.random() < 0.6 or min(b - a for a, b in itertools.pairwise(ends)) < 7
    place = 0.0
    for index, (name, values) in sorted(enumerate(kept), key=lambda item: item[1][1][-1]):
        place = max(values[-1], place + 7)
        colour = f"C{index}" if data.dice.random() < 0.5 else "black"
        if led:
            axes.annotate(name, (6, values[-1]), (7.2, place), va="center", fontsize=8, color=colour,
                          arrowprops={"arrowstyle": "-", "lw": 0.6, "color": "gray", "shrinkB": 3})  # fmt: skip
        else:
            axes.text(6.15, place, name, va="center", fontsize=8, color=colour)
    for name, values in kept:
        for x, value in zip(xs, values):
            sheet.add(axes, "point", name, "", x, value)


def noted_bars(data, sheet, figure):
    """Bars with labels of their own and a note led to one of them: the note is no name."""
    axes = figure.subplots()
    names, values = data.models(5), data.values(5, 300)
    axes.bar(range(5), values, 0.6)
    axes.set_xticks(range(5))
    axes.set_xticklabels(names, fontsize=7)
    axes.set_ylim(0, max(values) * 1.5)
    best = max(range(5), key=lambda i: values[i])
    note = data.dice.choice(("2.4x faster", "this work", "best so far", "+37%"))
    axes.annotate(note, (best, values[best]), (data.dice.choice((0.5, 3)), max(values) * 1.3), arrowprops={
        "arrowstyle": data.dice.choice(("->", "-|>", "fancy")), "color": "black"})  # fmt: skip
    for name, value in zip(names, values):
        sheet.add(axes, "bar", "", name, None, value)


LAYOUTS = (
    small_multiples, broken_axis, clipped_curves, hatched_bars, floating_bars, fitted_line, one_log_label,
    custom_ticks, two_scales, error_bars, short_curves, same_style, cut_bars, lying_groups, noted_points,
    inset, office_panels, histogram, areas, boxes, bars_and_line, dots_with_names, heat_map, negative_bars, roofline,
    staggered_steps, named_by_arrows, bracketed_bars, line_end_names, noted_bars,
)  # fmt: skip


def make(layout, seed: int, path: Path) -> list[Known]:
    """Write one layout as one page; what it shows."""
    data = Data(seed)
    with plt.style.context(data.dice.choice(STYLES)):
        plt.rcParams["pdf.fonttype"] = data.dice.choice((3, 42))
        figure = plt.figure(figsize=data.dice.choice(((6.4, 4.8), (9, 5), (8, 8))))
        sheet = Sheet(layout.__name__, data)
        layout(data, sheet, figure)
        figure.savefig(path)
        plt.close(figure)
    return sheet.marks


def make_all(folder: Path, first: int, count: int) -> None:
    """Write `count` pages of each layout, with what they show beside them."""
    for layout in LAYOUTS:
        for seed in range(first, first + count):
            name = f"layout_{layout.__name__}_{PRODUCER.replace(' ', '_')}_{seed}"
            marks = make(layout, seed, folder / f"{name}.pdf")
            write_marks(marks, folder / f"{name}.marks.csv")
