"""Charts drawn by matplotlib."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from makers.charts.plans import Plan
from matplotlib.patches import FancyBboxPatch

STYLES = ("default", "ggplot", "seaborn-v0_8-whitegrid", "bmh", "fivethirtyeight")
SIZES = {"small": (4.2, 3), "wide": (8, 3.6), "tall": (5, 6)}


def make(plan: Plan, path: Path) -> None:
    """Write the plan as one page."""
    plt.rcParams.update(matplotlib.rcParamsDefault)
    plt.rcParams["pdf.fonttype"] = (3, 42, 3)[plan.looks["font"]]
    with plt.style.context(STYLES[plan.looks["colour"]]):
        width, height = SIZES[plan.looks["size"]]
        width = max(width, 1.1 * len(plan.categories) + 1) if not plan.lying else width + 1
        figure, axes = plt.subplots(figsize=(width, height))
        _draw(plan, axes)
        if plan.looks["grid"]:
            axes.grid(True, axis="x" if plan.lying else "y")
        if not plan.looks["frame"]:
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        if len(plan.series) > 1:
            axes.legend()
        figure.tight_layout()
        figure.savefig(path)
        plt.close(figure)


def _draw(plan, axes):
    count, lines = len(plan.values[0]), len(plan.values)
    places = list(range(count)) if plan.categories else list(plan.xs)
    if plan.kind in ("line", "scatter"):
        looks = (
            {"s": 30}
            if plan.kind == "scatter"
            else {"marker": "o" if plan.looks["markers"] else None}
        )
        for name, row in zip(plan.series, plan.values, strict=True):
            (axes.scatter if plan.kind == "scatter" else axes.plot)(
                places, row, label=name, **looks
            )
    else:
        _bars(plan, axes, places, lines)
    set_scale, title, set_ticks = (
        (axes.set_xscale, axes.set_xlabel, axes.set_yticks)
        if plan.lying
        else (axes.set_yscale, axes.set_ylabel, axes.set_xticks)
    )
    if plan.log:
        set_scale("log")
    title(plan.axis_title)
    if plan.categories:
        turned = {"rotation": 45, "ha": "right"} if plan.looks["turned"] and not plan.lying else {}
        set_ticks(places, plan.categories, **turned)


def _bars(plan, axes, places, lines):
    width = 0.7 / lines if plan.kind != "stacked" else 0.6
    ground = [0.0] * len(places)
    for index, (name, row) in enumerate(zip(plan.series, plan.values, strict=True)):
        at = (
            [p + (index - (lines - 1) / 2) * width for p in places]
            if plan.kind != "stacked"
            else places
        )
        start = ground if plan.kind == "stacked" else None
        if plan.lying:
            bars = axes.barh(at, row, width, left=start, label=name)
        else:
            bars = axes.bar(at, row, width, bottom=start, label=name)
        if plan.printed:
            axes.bar_label(bars, fmt="%g", fontsize=7)
        if plan.kind == "stacked":
            ground = [a + b for a, b in zip(ground, row, strict=True)]
        if plan.looks["rounded"] and plan.kind != "stacked" and not plan.log:
            for bar in bars:
                box = FancyBboxPatch(
                    bar.get_xy(), bar.get_width(), bar.get_height(), color=bar.get_facecolor(), lw=0,
                    boxstyle=f"round,pad=0,rounding_size={0.2 * width}",
                    mutation_aspect=max(row) / len(row) * 0.5 if not plan.lying else len(row) / max(row),
                )  # fmt: skip
                bar.remove()
                axes.add_patch(box)
