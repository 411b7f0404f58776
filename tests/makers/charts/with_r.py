"""Charts drawn by base R; needs the program `Rscript`."""

# ruff: noqa: E501
# Markup and commands stand in one line each, as they are written out.
from __future__ import annotations

import subprocess
from pathlib import Path

from makers.charts.plans import Plan

PROGRAM = "Rscript"
COLOURS = (
    'c("steelblue","orange","grey40")',
    "rainbow(3)",
    "heat.colors(3)",
    'c("#1b9e77","#d95f02","#7570b3")',
    'c("grey20","grey50","grey80")',
)


def make(plan: Plan, path: Path) -> None:
    """Write the plan as one page."""
    subprocess.run(["Rscript", "-e", script(plan, path)], check=True, capture_output=True)


def script(plan: Plan, path: Path) -> str:
    """The commands that draw the plan."""
    device = "cairo_pdf" if plan.looks["font"] == 1 else "pdf"
    lines = [f'{device}("{path}", width=8, height=5)', f"colours <- {COLOURS[plan.looks['colour']]}"]
    values = ",".join(str(v) for row in plan.values for v in row)
    count, series = len(plan.values[0]), len(plan.values)
    lines.append(f"m <- matrix(c({values}), nrow={series}, byrow=TRUE)")
    names = ",".join(f'"{c}"' for c in plan.categories)
    legend = "c(" + ",".join(f'"{s}"' for s in plan.series) + ")"
    # Room for labels of seven digits, which would otherwise be cut off at the edge of the page.
    lines.append("par(mar=c(5,8,2,1), mgp=c(6,1,0))")
    log = 'log="y"' if plan.log else 'log=""'
    if plan.kind in ("bar", "grouped", "stacked"):
        if plan.lying:
            lines.append("par(mar=c(5,9,2,1), mgp=c(3,1,0))")
            log = 'log="x"' if plan.log else 'log=""'
        extra = f", legend.text={legend}, args.legend=list(x='topright')" if series > 1 else ""
        if plan.log:
            low = 10 ** __import__("math").floor(__import__("math").log10(min(v for r in plan.values for v in r)))
            extra += f", {'xlim' if plan.lying else 'ylim'}=c({low}, max(m)*1.3)"
        title = f'{"xlab" if plan.lying else "ylab"}="{plan.axis_title}"'
        beside = "FALSE" if plan.kind == "stacked" else "TRUE"
        las = "1" if plan.lying or plan.looks["frame"] else "0"
        lines.append(
            f"b <- barplot(m, names.arg=c({names}), beside={beside}, horiz={str(plan.lying).upper()}, las={las}, "
            f"col=colours[1:{series}], {title}, {log}, cex.names=0.7{extra})"
        )
        if plan.printed:
            lines.append(
                f"text({'m, b' if plan.lying else 'b, m'}, labels=format(m, trim=TRUE, digits=15), pos={4 if plan.lying else 3}, cex=0.6)"
            )
        if plan.looks["grid"]:
            lines.append("grid(nx=NULL, ny=NULL)")
    else:
        xs = ",".join(map(str, plan.xs)) if plan.xs else f"1:{count}"
        kind = "p" if plan.kind == "scatter" else "o" if plan.looks["markers"] else "l"
        axis = 'xaxt="n"' if plan.categories else 'xaxt="s"'
        lines.append(
            f'x <- c({xs}); plot(x, m[1,], type="{kind}", ylim=range(m), col=colours[1], pch=19, {log}, {axis}, '
            f'xlab="", ylab="{plan.axis_title}", las={int(plan.looks["frame"])})'
        )
        if plan.categories:
            lines.append(f"axis(1, at=x, labels=c({names}), cex.axis=0.6)")
        for index in range(1, series):
            lines.append(f'lines(x, m[{index + 1},], type="{kind}", col=colours[{index + 1}], pch=19)')
        if series > 1:
            lines.append(
                f'legend("topleft", legend={legend}, col=colours[1:{series}], {"pch=19" if kind == "p" else "lty=1"})'
            )
    lines.append("invisible(dev.off())")
    return "\n".join(lines)
