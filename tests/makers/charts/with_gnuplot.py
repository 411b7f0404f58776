"""Charts drawn by gnuplot's cairo terminal; needs the program `gnuplot`."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from makers.charts.plans import Plan

PROGRAM = "gnuplot"
KINDS = ("bar", "grouped", "stacked", "line", "scatter")


def adapt(plan: Plan) -> Plan:
    """The plan as gnuplot draws it: its bars stand, and print no values."""
    return replace(plan, lying=False, printed=False)


def make(plan: Plan, path: Path) -> None:
    """Write the plan as one page."""
    subprocess.run(["gnuplot"], input=script(plan, path), text=True, check=True, capture_output=True)


def script(plan: Plan, path: Path) -> str:
    """The commands that draw the plan."""
    lines = [
        f"set terminal pdfcairo size 6in,4in font 'DejaVu Sans,{(8, 10, 9)[plan.looks['font']]}'",
        f"set output '{path}'",
        f"set ylabel '{plan.axis_title}'",
        "set style fill solid 0.9" + (" border -1" if plan.looks["frame"] else " noborder"),
        "set key " + ("top left" if len(plan.series) > 1 else "off"),
    ]
    if plan.looks["grid"]:
        lines.append("set grid ytics")
    if not plan.looks["frame"]:
        lines.append("set border 3\nset tics nomirror")
    if plan.log:
        lines.append("set logscale y\nset format y '10^{%T}'")
    count = len(plan.values[0])
    rows = []
    for place in range(count):
        label = plan.categories[place] if plan.categories else str(plan.xs[place])
        rows.append(" ".join([f'"{label}"' if plan.categories else label, *(str(row[place]) for row in plan.values)]))
    lines.append("$data << EOD\n" + "\n".join(rows) + "\nEOD")
    if plan.kind in ("bar", "grouped", "stacked"):
        style = "rowstacked" if plan.kind == "stacked" else "clustered gap 1"
        lines.append(f"set style data histograms\nset style histogram {style}\nset boxwidth 0.8 relative")
        if not plan.log and all(v >= 0 for row in plan.values for v in row):
            lines.append("set yrange [0:*]")
        columns = [f"$data using {i + 2}:xtic(1) title '{name}'" for i, name in enumerate(plan.series)]
    else:
        is_marked = plan.categories or plan.looks["markers"]
        how = "points pt 7 ps 0.5" if plan.kind == "scatter" else "linespoints" if is_marked else "lines"
        place, label = ("0", ":xtic(1)") if plan.categories else ("1", "")
        columns = [f"$data using {place}:{i + 2}{label} with {how} title '{n}'" for i, n in enumerate(plan.series)]
    lines.append("plot " + ", ".join(columns))
    return "\n".join(lines) + "\n"
