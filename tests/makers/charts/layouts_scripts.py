"""Layouts of charts that other programs draw from a script: gnuplot, ggplot2 (Rscript), pgfplots (pdflatex), Octave."""

# ruff: noqa: E501
# Commands stand in one line each, as they are written out.
from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from makers.charts.layouts import Data, Known, write_marks
from makers.charts.plans import MODELS, PLATFORMS

Layout = Callable[[Data], tuple[str, list[Known]]]


def known(
    layout: str, panel: int, mark: str, at: str | float, value: float, low: float, high: float, *,
    series: str = "", log: bool = False, x_range: float = 0.0,
) -> Known:  # fmt: skip
    """One mark; `at` is its label or its number on the other axis."""
    category, x = (at, None) if isinstance(at, str) else ("", float(at))
    producer = layout.partition("_")[0]
    return Known(producer, layout, panel, mark, series, category, x, value, low, high, log, x_range)


def gnuplot_panels(data: Data) -> tuple[str, list[Known]]:
    """Plots in rows and columns, whose frames are drawn as lines."""
    lines, marks = ["set multiplot layout 3,3", "unset key", "set tics font ',7'"], []
    style = data.dice.choice(("linespoints pt 7 ps 0.4", "lines lw 2", "points pt 5 ps 0.5"))
    for panel in range(1, 10):
        xs, values = data.xs(5), data.values(5)
        high = max(values) * 1.2
        lines += [
            f"set title '{data.models(1)[0]}' font ',8'",
            f"set xrange [0:{max(xs) * 1.1}]\nset yrange [0:{high}]",
        ]
        lines += [f"$d{panel} << EOD", *(f"{x} {v}" for x, v in zip(xs, values, strict=True)), "EOD"]
        lines.append(f"plot $d{panel} using 1:2 with {style}")
        marks += [
            known("gnuplot_panels", panel, "point", x, v, 0, high, x_range=max(xs) * 1.1)
            for x, v in zip(xs, values, strict=True)
        ]
    return "\n".join([*lines, "unset multiplot"]), marks


def gnuplot_clipped(data: Data) -> tuple[str, list[Known]]:
    """Curves that gnuplot cuts at the border: where it cuts is no point."""
    high, marks = 300.0, []
    lines = [f"set yrange [0:{high}]", "set xrange [0:12]", "set key top left"]
    columns = []
    for index, name in enumerate(data.platforms(2)):
        xs, values = [float(x) for x in range(1, 12)], data.rising(11, 500)
        lines += [f"$d{index} << EOD", *(f"{x} {v}" for x, v in zip(xs, values, strict=True)), "EOD"]
        columns.append(f"$d{index} using 1:2 with lines lw 2 title '{name}'")
        marks += [
            known("gnuplot_clipped", 1, "point", x, v, 0, high, series=name, x_range=12)
            for x, v in zip(xs, values, strict=True) if v <= high
        ]  # fmt: skip
    return "\n".join([*lines, "plot " + ", ".join(columns)]), marks


def gnuplot_patterns(data: Data) -> tuple[str, list[Known]]:
    """Bars filled with patterns, as old papers print them."""
    names, series = data.models(4), data.platforms(3)
    rows = [data.values(4, 430) for _ in series]
    lines = [
        "set style data histograms", f"set style fill {data.dice.choice(('pattern 4', 'pattern 1', 'empty'))} border -1",
        "set style histogram clustered gap 1", "set yrange [0:500]", "set key top left", "$d << EOD",
    ]  # fmt: skip
    lines += [f'"{name}" ' + " ".join(str(row[i]) for row in rows) for i, name in enumerate(names)] + ["EOD"]
    colour = data.dice.choice(("", " lc rgb 'black'"))
    lines.append(
        "plot " + ", ".join(f"$d using {i + 2}:xtic(1) title '{name}'{colour}" for i, name in enumerate(series))
    )
    marks = [
        known("gnuplot_patterns", 1, "bar", name, row[i], 0, 500, series=label)
        for label, row in zip(series, rows, strict=True) for i, name in enumerate(names)
    ]  # fmt: skip
    return "\n".join(lines), marks


def gnuplot_log(data: Data) -> tuple[str, list[Known]]:
    """Both axes to base ten or two, with one or two labels and their minor ticks."""
    xs = [float(2**i) for i in range(1, 8)]
    values = sorted(float(f"{data.dice.uniform(12, 900):.3g}") for _ in xs)
    lines = [
        "set logscale y 10",
        "set yrange [11:990]",
        "set logscale x 2",
        "set xrange [1.5:200]",
        "unset key",
        "$d << EOD",
    ]
    lines += [*(f"{x} {v}" for x, v in zip(xs, values, strict=True)), "EOD", "plot $d using 1:2 with linespoints pt 7"]
    return "\n".join(lines), [
        known("gnuplot_log", 1, "point", x, v, 11, 990, log=True, x_range=200) for x, v in zip(xs, values, strict=True)
    ]


def gnuplot_fit(data: Data) -> tuple[str, list[Known]]:
    """Points with the line that was fitted to them."""
    xs = sorted(data.dice.sample([0.5 * i for i in range(1, 70)], 8))
    values = [float(f"{4 * x + 20 + data.dice.uniform(-12, 12):.3g}") for x in xs]
    lines = ["unset key", "set xrange [0:36]", "set yrange [0:180]", "$d << EOD"]
    lines += [*(f"{x} {v}" for x, v in zip(xs, values, strict=True)), "EOD"]
    lines.append("plot $d using 1:2 with points pt 7 ps 0.6, 4*x+20 with lines")
    return "\n".join(lines), [
        known("gnuplot_fit", 1, "point", x, v, 0, 180, x_range=36) for x, v in zip(xs, values, strict=True)
    ]


def gnuplot_boxes(data: Data) -> tuple[str, list[Known]]:
    """Bars at numbers of a scale, and error bars on them."""
    xs = [float(x) for x in range(1, 7)]
    values = data.values(6, 75)
    lines = [
        "unset key",
        "set boxwidth 0.6",
        "set style fill solid 0.5",
        "set yrange [0:100]",
        "set xrange [0:7]",
        "$d << EOD",
    ]
    lines += [*(f"{x} {v} {v * 0.1}" for x, v in zip(xs, values, strict=True)), "EOD"]
    how = data.dice.choice(("boxes", "boxerrorbars"))
    lines.append(f"plot $d using 1:2{':3' if how == 'boxerrorbars' else ''} with {how}")
    return "\n".join(lines), [
        known("gnuplot_boxes", 1, "bar", x, v, 0, 100, x_range=7) for x, v in zip(xs, values, strict=True)
    ]


def _frame(data: list[tuple[str | float, float, str]], factors: str = "") -> str:
    def column(values: list[str | float]) -> str:
        return "c(" + ",".join(f'"{v}"' if isinstance(v, str) else str(v) for v in values) + ")"

    at, value, group = zip(*data, strict=True)
    return f"d <- data.frame(at={column(list(at))}, value={column(list(value))}, group={column(list(group))}){factors}"


THEMES = ("theme_grey()", "theme_bw()", "theme_minimal()", "theme_classic()", "theme_light()")


def ggplot_facets(data: Data) -> tuple[str, list[Known]]:
    """Facets: the scale is labelled at the outer plots alone, or at each one where scales are free."""
    xs, names = data.xs(4), sorted(data.models(4))
    scales = data.dice.choice(("fixed", "free_y", "free"))
    rows = {name: data.values(4, 430 if scales == "fixed" else None) for name in names}
    shape = data.dice.choice(("geom_line() + geom_point()", "geom_line()", "geom_point()"))
    script = _frame([(x, v, name) for name in names for x, v in zip(xs, rows[name], strict=True)])
    script += (
        f"\nggplot(d, aes(at, value)) + {shape} + facet_wrap(~group, scales='{scales}') + {data.dice.choice(THEMES)}"
    )
    whole = [v for row in rows.values() for v in row]
    marks = []
    for panel, name in enumerate(names, start=1):
        ends = whole if scales == "fixed" else rows[name]
        marks += [
            known("ggplot_facets", panel, "point", x, v, min(ends), max(ends), x_range=max(xs) - min(xs))
            for x, v in zip(xs, rows[name], strict=True)
        ]
    return script, marks


def ggplot_smooth(data: Data) -> tuple[str, list[Known]]:
    """Points with a regression and its band of confidence."""
    xs = sorted(data.dice.sample([0.5 * i for i in range(1, 70)], 10))
    values = [float(f"{4 * x + 30 + data.dice.uniform(-20, 20):.3g}") for x in xs]
    script = _frame([(x, v, "a") for x, v in zip(xs, values, strict=True)])
    script += f"\nggplot(d, aes(at, value)) + geom_point() + geom_smooth(method='lm', se={data.dice.choice(('TRUE', 'FALSE'))}) + {data.dice.choice(THEMES)}"
    return script, [
        known("ggplot_smooth", 1, "point", x, v, min(values), max(values), x_range=max(xs) - min(xs))
        for x, v in zip(xs, values, strict=True)
    ]


def ggplot_bars(data: Data) -> tuple[str, list[Known]]:
    """Bars side by side, upright or lying, with the legend beside the plot."""
    names, series = sorted(data.models(4)), sorted(data.platforms(2))
    rows = {name: data.values(4, 430) for name in series}
    lying = data.dice.random() < 0.4
    place = data.dice.choice(("position='dodge'", "position=position_dodge(0.8), width=0.7"))
    script = _frame([(name, v, label) for label in series for name, v in zip(names, rows[label], strict=True)])
    script += f"\nggplot(d, aes(at, value, fill=group)) + geom_col({place}) + {data.dice.choice(THEMES)}{' + coord_flip()' if lying else ''} + labs(x=NULL, y='Throughput (images/sec)', fill=NULL)"
    high = max(max(row) for row in rows.values())
    return script, [
        known("ggplot_bars", 1, "bar", name, v, 0, high, series=label)
        for label in series for name, v in zip(names, rows[label], strict=True)
    ]  # fmt: skip


def ggplot_log(data: Data) -> tuple[str, list[Known]]:
    """Curves on two logarithmic axes."""
    xs = [float(2**i) for i in range(7)]
    series = sorted(data.platforms(2))
    rows = {name: sorted(float(f"{10 ** data.dice.uniform(1, 4.4):.3g}") for _ in xs) for name in series}
    script = _frame([(x, v, name) for name in series for x, v in zip(xs, rows[name], strict=True)])
    script += f"\nggplot(d, aes(at, value, colour=group)) + geom_line() + geom_point() + scale_y_log10() + scale_x_continuous(trans='log2') + {data.dice.choice(THEMES)}"
    whole = [v for row in rows.values() for v in row]
    return script, [
        known("ggplot_log", 1, "point", x, v, min(whole), max(whole), series=name, log=True, x_range=64)
        for name in series for x, v in zip(xs, rows[name], strict=True)
    ]  # fmt: skip


def _pgf(options: str, body: str) -> str:
    return (
        "\\documentclass{article}\\pagestyle{empty}\\usepackage{pgfplots}\\pgfplotsset{compat=1.16}\\usetikzlibrary{patterns}\n"
        f"\\begin{{document}}\\begin{{tikzpicture}}\\begin{{axis}}[{options}]\n{body}\n\\end{{axis}}\\end{{tikzpicture}}\\end{{document}}\n"
    )


def pgfplots_lines(data: Data) -> tuple[str, list[Known]]:
    """Curves with the cycle list of pgfplots, the x axis ticked at the data."""
    xs = sorted(data.dice.sample(range(1, 90), 6)) if data.dice.random() < 0.5 else [3, 5, 7, 9, 33, 66]
    names = data.platforms(3)
    rows = [data.rising(6, data.dice.choice((5, 75, 430))) for _ in names]
    body = "".join(
        "\\addplot coordinates {"
        + "".join(f"({x},{v})" for x, v in zip(xs, row, strict=True))
        + f"}};\\addlegendentry{{{name}}}"
        for name, row in zip(names, rows, strict=True)
    )
    ticks = (
        f"xtick={{{','.join(map(str, xs))}}},x tick label style={{font=\\tiny}}," if data.dice.random() < 0.5 else ""
    )
    script = _pgf(f"legend pos=north west,{ticks}ylabel=Latency (ms)", body)
    whole = [v for row in rows for v in row]
    return script, [
        known("pgfplots_lines", 1, "point", float(x), v, min(whole), max(whole), series=name, x_range=max(xs) - min(xs))
        for name, row in zip(names, rows, strict=True) for x, v in zip(xs, row, strict=True)
    ]  # fmt: skip


def pgfplots_bars(data: Data) -> tuple[str, list[Known]]:
    """Bars at symbolic coordinates, plain or with patterns."""
    names, series = data.models(3), data.platforms(2)
    rows = [data.values(3, 430) for _ in series]
    patterns = data.dice.random() < 0.5
    body = ""
    for name, row, pattern in zip(series, rows, ("north east lines", "crosshatch"), strict=True):
        look = f"[pattern={pattern}]" if patterns else ""
        body += (
            f"\\addplot{look} coordinates {{"
            + "".join(f"({n},{v})" for n, v in zip(names, row, strict=True))
            + f"}};\\addlegendentry{{{name}}}"
        )
    script = _pgf(
        f"ybar,ymin=0,bar width=12pt,width=10cm,enlarge x limits=0.3,symbolic x coords={{{','.join(names)}}},xtick=data,legend style={{at={{(0.5,1.03)}},anchor=south}}", body
    )  # fmt: skip
    return script, [
        known("pgfplots_bars", 1, "bar", n, v, 0, max(max(r) for r in rows), series=name)
        for name, row in zip(series, rows, strict=True) for n, v in zip(names, row, strict=True)
    ]  # fmt: skip


def pgfplots_log(data: Data) -> tuple[str, list[Known]]:
    """A logarithmic axis with one or two labels and the minor ticks between them."""
    xs = [float(2**i) for i in range(1, 8)]
    values = sorted(float(f"{data.dice.uniform(25, 700):.3g}") for _ in xs)
    body = "\\addplot coordinates {" + "".join(f"({x},{v})" for x, v in zip(xs, values, strict=True)) + "};"
    script = _pgf("ymode=log,ymin=20,ymax=800,minor y tick num=9", body)
    return script, [
        known("pgfplots_log", 1, "point", x, v, 20, 800, log=True, x_range=126) for x, v in zip(xs, values, strict=True)
    ]


def gnuplot_leaders(data: Data) -> tuple[str, list[Known]]:
    """Points named at the end of a stroke."""
    xs = sorted(data.dice.sample(range(4, 60, 4), 6))
    values, names = data.values(6, 75), data.models(6)
    lines = ["unset key", "set xrange [0:80]", "set yrange [0:110]", "$d << EOD"]
    lines += [*(f"{x} {v}" for x, v in zip(xs, values, strict=True)), "EOD"]
    head = data.dice.choice(("nohead", "nohead lw 0.5", "head filled size 1,15"))
    for name, x, v in zip(names, xs, values, strict=True):
        right, up = data.dice.choice((6, 10)), data.dice.choice((-9, 9, 16))
        lines.append(f"set arrow from {x + right},{v + up} to {x},{v} {head}")
        lines.append(f"set label '{name}' at {x + right + 0.7},{v + up} left font ',8'")
    lines.append(f"plot $d using 1:2 with points pt {data.dice.choice((7, 5, 9))} ps 0.7")
    return "\n".join(lines), [
        replace(known("gnuplot_leaders", 1, "point", x, v, 0, 110, x_range=80), category=name)
        for name, x, v in zip(names, xs, values, strict=True)
    ]


def gnuplot_brackets(data: Data) -> tuple[str, list[Known]]:
    """Groups of bars over a bracket of strokes, with a legend."""
    groups, series = data.models(3), data.platforms(2)
    rows = [data.values(3, 75) for _ in series]
    lines = [
        "set style fill solid border -1", "set boxwidth 0.8", "set yrange [0:100]", "set xrange [-1:8]", "unset xtics",
        "set bmargin 6", "set key top left",
    ]  # fmt: skip
    plots, marks = [], []
    for index, (name, row) in enumerate(zip(series, rows, strict=True)):
        lines += [f"$d{index} << EOD", *(f"{3 * p + index} {v}" for p, v in enumerate(row)), "EOD"]
        plots.append(f"$d{index} using 1:2 with boxes title '{name}'")
        marks += [
            known("gnuplot_brackets", 1, "bar", group, v, 0, 100, series=name)
            for group, v in zip(groups, row, strict=True)
        ]
    for p, group in enumerate(groups):
        a, b, top, low = 3 * p - 0.4, 3 * p + 1.4, -0.02, -0.05
        for x0, y0, x1, y1 in ((a, top, a, low), (a, low, b, low), (b, low, b, top)):
            lines.append(f"set arrow from first {x0}, graph {y0} to first {x1}, graph {y1} nohead")
        lines.append(f"set label '{group}' at first {3 * p + 0.5}, graph -0.09 center")
    return "\n".join([*lines, "plot " + ", ".join(plots)]), marks


def gnuplot_line_ends(data: Data) -> tuple[str, list[Known]]:
    """Lines with their names at the right end."""
    names, marks, plots = data.platforms(3), [], []
    lines = ["unset key", "set xrange [0:9]", "set yrange [0:100]"]
    ends = sorted(data.dice.sample(range(20, 95, 12), 3))
    for index, (name, end) in enumerate(zip(names, ends, strict=True)):
        values = [*data.rising(5, end), float(end)]
        lines += [f"$d{index} << EOD", *(f"{x} {v}" for x, v in enumerate(values, start=1)), "EOD"]
        lines.append(f"set label '{name}' at 6.15,{end} left font ',9'")
        plots.append(f"$d{index} using 1:2 with {data.dice.choice(('lines lw 2', 'linespoints pt 7'))}")
        marks += [
            known("gnuplot_line_ends", 1, "point", x, v, 0, 100, series=name, x_range=9)
            for x, v in enumerate(values, start=1)
        ]
    return "\n".join([*lines, "plot " + ", ".join(plots)]), marks


def ggplot_repel(data: Data) -> tuple[str, list[Known]]:
    """Points with names pushed apart, and a segment to each."""
    xs = sorted(data.dice.sample([0.5 * i for i in range(1, 70)], 7))
    values, names = data.values(7, 75), data.models(7)
    script = "library(ggrepel)\n" + _frame([(x, v, name) for x, v, name in zip(xs, values, names, strict=True)])
    script += f"\nggplot(d, aes(at, value, label=group)) + geom_point() + geom_text_repel(size=3, min.segment.length=0, box.padding={data.dice.choice((1, 1.6))}, seed=1) + {data.dice.choice(THEMES)}"
    return script, [
        replace(
            known("ggplot_repel", 1, "point", x, v, min(values), max(values), x_range=max(xs) - min(xs)), category=name
        )
        for x, v, name in zip(xs, values, names, strict=True)
    ]


def ggplot_line_ends(data: Data) -> tuple[str, list[Known]]:
    """Lines with names beside their right end, pushed apart and led to by segments."""
    xs, series = [float(x) for x in range(1, 7)], sorted(data.platforms(4))
    rows = {name: data.rising(6, 75) for name in series}
    script = "library(ggrepel)\n" + _frame(
        [(x, v, name) for name in series for x, v in zip(xs, rows[name], strict=True)]
    )
    own = data.dice.choice(("aes(label=group)", "aes(label=group), colour='black'"))
    script += f"\nggplot(d, aes(at, value, colour=group)) + geom_line() + geom_text_repel(data=subset(d, at==6), {own}, size=3, nudge_x=1, direction='y', hjust=0, min.segment.length=0, segment.size=0.3, seed=1) + scale_x_continuous(breaks=1:6, limits=c(1, 9)) + {data.dice.choice(THEMES)} + theme(legend.position='none')"
    whole = [v for row in rows.values() for v in row]
    return script, [
        known("ggplot_line_ends", 1, "point", x, v, min(whole), max(whole), series=name, x_range=8)
        for name in series for x, v in zip(xs, rows[name], strict=True)
    ]  # fmt: skip


def pgfplots_pins(data: Data) -> tuple[str, list[Known]]:
    """Points with their names as pins."""
    xs = sorted(data.dice.sample(range(10, 90, 7), 6))
    values, names = data.values(6, 75), data.models(6)
    body = "\\addplot[only marks] coordinates {" + "".join(f"({x},{v})" for x, v in zip(xs, values, strict=True)) + "};"
    style = data.dice.choice(("", "pin edge={black}, ", "pin edge={thick}, "))
    for x, v, name in zip(xs, values, names, strict=True):
        angle, far = data.dice.choice((40, 90, 140, 320)), data.dice.choice(("5mm", "9mm"))
        body += f"\n\\node[inner sep=1.5pt,{style}pin distance={far},pin={{{angle}:{{\\scriptsize {name}}}}}] at (axis cs:{x},{v}) {{}};"
    script = _pgf("width=11cm,height=8cm,xmin=0,xmax=110,ymin=0,ymax=110,clip=false", body)
    return script, [
        replace(known("pgfplots_pins", 1, "point", float(x), v, 0, 110, x_range=110), category=name)
        for x, v, name in zip(xs, values, names, strict=True)
    ]


def pgfplots_braces(data: Data) -> tuple[str, list[Known]]:
    """Groups of bars over a curly brace."""
    groups, series = data.models(3), data.platforms(2)
    rows = [data.values(3, 75) for _ in series]
    body = ""
    for index, (name, row) in enumerate(zip(series, rows, strict=True)):
        body += "\\addplot coordinates {" + "".join(f"({3 * p + index},{v})" for p, v in enumerate(row))
        body += f"}};\\addlegendentry{{{name}}}\n"
    for p, group in enumerate(groups):
        body += (
            f"\\draw[decorate,decoration={{brace,mirror,amplitude=4pt}}] (axis cs:{3 * p - 0.4},-3) -- (axis cs:{3 * p + 1.4},-3) "
            f"node[midway,below=5pt]{{\\small {group}}};\n"
        )
    script = _pgf(
        "ybar,bar shift=0pt,bar width=12pt,width=11cm,xmin=-1,xmax=8,ymin=0,ymax=100,xtick=\\empty,clip=false,"
        "legend style={at={(0.5,1.03)},anchor=south}", body,
    )  # fmt: skip
    return script.replace("patterns}", "patterns,decorations.pathreplacing}"), [
        known("pgfplots_braces", 1, "bar", group, v, 0, 100, series=name)
        for name, row in zip(series, rows, strict=True) for group, v in zip(groups, row, strict=True)
    ]  # fmt: skip


def _plain(data: Data, count: int, names: Sequence[str] = MODELS) -> list[str]:
    """Names without a hyphen: Octave prints a minus for it."""
    return data.dice.sample([name for name in names if "-" not in name], count)


OCTAVE_LOOKS = ("", "box on; ", "grid on; ", "box off; ")


def octave_bars(data: Data) -> tuple[str, list[Known]]:
    """Bars side by side."""
    names, series = _plain(data, 4), _plain(data, 2, PLATFORMS)
    rows = [data.values(4, 430) for _ in series]
    matrix = "; ".join(" ".join(str(row[i]) for row in rows) for i in range(4))
    cells = ",".join(f"'{name}'" for name in names)
    script = f"bar([{matrix}]); set(gca, 'xticklabel', {{{cells}}}); {data.dice.choice(OCTAVE_LOOKS)}ylabel('Throughput (images/sec)'); ylim([0 500]); legend({','.join(repr(n) for n in series)}, 'location', 'northeastoutside');"
    return script, [
        known("octave_bars", 1, "bar", name, v, 0, 500, series=label)
        for label, row in zip(series, rows, strict=True) for name, v in zip(names, row, strict=True)
    ]  # fmt: skip


def octave_lines(data: Data) -> tuple[str, list[Known]]:
    """Curves, with and without markers, on straight or logarithmic axes."""
    xs, names = data.xs(6), _plain(data, 2, PLATFORMS)
    rows = [sorted(float(f"{10 ** data.dice.uniform(0.3, 2.9):.3g}") for _ in xs) for _ in names]
    log = data.dice.random() < 0.4
    how = data.dice.choice(("'-o'", "'-'", "'-s'"))
    plots = ", ".join(f"[{' '.join(map(str, xs))}], [{' '.join(map(str, row))}], {how}" for row in rows)
    script = f"{'semilogy' if log else 'plot'}({plots}); {data.dice.choice(OCTAVE_LOOKS)}ylim([1 1000]); xlim([0 {max(xs) * 1.1}]); legend({','.join(repr(n) for n in names)}, 'location', 'northeastoutside');"
    return script, [
        known("octave_lines", 1, "point", x, v, 1, 1000, series=name, log=log, x_range=max(xs) * 1.1)
        for name, row in zip(names, rows, strict=True) for x, v in zip(xs, row, strict=True)
    ]  # fmt: skip


def octave_leaders(data: Data) -> tuple[str, list[Known]]:
    """Points named at the end of a stroke."""
    xs, values, names = sorted(data.dice.sample(range(4, 60, 5), 5)), data.values(5, 75), _plain(data, 5)
    script = f"plot([{' '.join(map(str, xs))}], [{' '.join(map(str, values))}], 'o', 'markerfacecolor', 'b'); xlim([0 80]); ylim([0 110]); hold on;"
    for name, x, v in zip(names, xs, values, strict=True):
        right, up = data.dice.choice((6, 10)), data.dice.choice((-9, 9, 16))
        script += f" line([{x} {x + right}], [{v} {v + up}], 'color', 'k', 'linewidth', 0.5); text({x + right + 0.8}, {v + up}, '{name}');"
    return script, [
        replace(known("octave_leaders", 1, "point", x, v, 0, 110, x_range=80), category=name)
        for name, x, v in zip(names, xs, values, strict=True)
    ]


LAYOUTS: tuple[Layout, ...] = (
    gnuplot_panels, gnuplot_clipped, gnuplot_patterns, gnuplot_log, gnuplot_fit, gnuplot_boxes,
    ggplot_facets, ggplot_smooth, ggplot_bars, ggplot_log, pgfplots_lines, pgfplots_bars, pgfplots_log,
    gnuplot_leaders, gnuplot_brackets, gnuplot_line_ends, ggplot_repel, ggplot_line_ends, pgfplots_pins, pgfplots_braces,
    octave_bars, octave_lines, octave_leaders,
)  # fmt: skip
PROGRAMS = {"gnuplot": "gnuplot", "ggplot": "Rscript", "pgfplots": "pdflatex", "octave": "octave-cli"}


def make(layout: Layout, seed: int, path: Path) -> list[Known]:
    """Write one layout as one page; what it shows."""
    data = Data(seed)
    script, marks = layout(data)
    producer = layout.__name__.partition("_")[0]
    with tempfile.TemporaryDirectory() as folder:
        if producer == "gnuplot":
            size = data.dice.choice(("6in,4in", "9in,6in", "7in,7in"))
            head = f"set terminal pdfcairo size {size} font 'DejaVu Sans,10'\nset output '{path}'\n"
            command, text = ["gnuplot"], head + script + "\n"
        elif producer == "ggplot":
            head = f"library(ggplot2)\n{data.dice.choice(('pdf', 'cairo_pdf'))}('{path}', width=7, height=5)\n"
            command, text = (
                ["Rscript", "--vanilla", "-"],
                head + script.replace("\nggplot", "\np <- ggplot") + "\nprint(p)\ninvisible(dev.off())\n",
            )
        elif producer == "octave":
            head = "graphics_toolkit('gnuplot'); figure('visible', 'off'); set(gcf, 'paperposition', [0 0 7 5], 'papersize', [7 5]);\n"
            command, text = ["octave-cli", "--quiet", "--no-init-file"], f"{head}{script}\nprint('{path}', '-dpdf');\n"
        else:
            command, text = ["pdflatex", "-interaction=batchmode", "chart.tex"], ""
            Path(folder, "chart.tex").write_text(script, "utf-8")
        subprocess.run(command, input=text, text=True, check=True, capture_output=True, cwd=folder)
        if producer == "pgfplots":
            shutil.copy(Path(folder, "chart.pdf"), path)
    return marks


def make_all(folder: Path, first: int, count: int) -> None:
    """Write `count` pages of each layout whose program is installed, with what they show beside them."""
    for layout in LAYOUTS:
        program = PROGRAMS[layout.__name__.partition("_")[0]]
        if not shutil.which(program):
            print(f"{layout.__name__}: left out, as the program {program} is not installed")
            continue
        for seed in range(first, first + count):
            name = f"layout_{layout.__name__}_{seed}"
            write_marks(make(layout, seed, folder / f"{name}.pdf"), folder / f"{name}.marks.csv")
