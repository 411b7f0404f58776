"""Pages that show no chart, drawn by matplotlib: tables, slides with boxes, logos; and a picture of a chart."""

from __future__ import annotations

import io
import random
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.image
import matplotlib.pyplot as plt
from makers.charts import with_matplotlib
from makers.charts.plans import MODELS, PLATFORMS, draw_plan
from matplotlib.patches import FancyBboxPatch, Rectangle

KINDS = ("ruled_table", "filled_table", "numbered_table", "boxes", "timeline", "logo")


def make(seed: int, kind: str, path: Path) -> None:
    """Write a page of this kind."""
    dice = random.Random(f"page {seed} {kind}")
    plt.rcParams.update(matplotlib.rcParamsDefault)
    figure = plt.figure(figsize=(10, 5.6))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 56)
    axes.text(4, 51, f"{dice.choice(MODELS)}: results", fontsize=20)
    _DRAW[kind](axes, dice)
    figure.savefig(path)
    plt.close(figure)


def make_picture(seed: int, path: Path) -> None:
    """Write a page with a picture of a chart and a caption."""
    plan = draw_plan(seed, "picture", ("bar", "grouped"))
    picture = Path(path).with_suffix(".png")
    with_matplotlib.make(plan, picture)
    image = matplotlib.image.imread(io.BytesIO(picture.read_bytes()))
    picture.unlink()
    plt.rcParams.update(matplotlib.rcParamsDefault)
    figure = plt.figure(figsize=(8, 6))
    figure.text(0.1, 0.92, "Throughput of the new release")
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.75))
    axes.set_axis_off()
    axes.imshow(image)
    figure.savefig(path)
    plt.close(figure)


def _rows(dice: random.Random) -> list[list[str]]:
    names = dice.sample(MODELS, 8)
    return [
        [str(i + 1), name, dice.choice(PLATFORMS), f"{dice.uniform(10, 9000):,.0f}"] for i, name in enumerate(names)
    ]


def _table(axes, dice, filled, numbered):
    rows = _rows(dice) if numbered else [row[1:] for row in _rows(dice)]
    for index, row in enumerate(rows):
        y = 44 - index * 5
        if filled and index % 2 == 0:
            axes.add_patch(Rectangle((5, y - 1.5), 90, 5, color="#dde6f0"))
        for column, text in enumerate(row):
            if filled and column == len(row) - 1:
                axes.add_patch(Rectangle((70, y - 1.5), 25, 5, color=dice.choice(("#bcd", "#cdb", "#fff"))))
            axes.text(8 + 90 / len(row) * column, y, text)
        axes.plot([5, 95], [y - 1.5, y - 1.5], color="black", lw=0.6)


def _boxes(axes, dice):
    axes.add_patch(Rectangle((0, 49), 100, 7, color="#224"))
    for index in range(3):
        high = dice.uniform(15, 35)
        axes.add_patch(FancyBboxPatch((6 + index * 31, 8), 26, high, color=dice.choice(("#e66", "#6ae", "#8c6"))))
        axes.text(10 + index * 31, 10 + high / 2, dice.choice(PLATFORMS), fontsize=14)
        axes.text(10 + index * 31, 4, f"{2019 + index}", fontsize=12)


def _timeline(axes, dice):
    for index in range(6):
        axes.add_patch(Rectangle((6 + index * 15, 20), 14, dice.uniform(3, 9), color="#6ae"))
        axes.text(8 + index * 15, 16, f"Q{index % 4 + 1} {2020 + index // 4}")
    axes.plot([5, 95], [20, 20], color="black")


def _logo(axes, dice):
    axes.imshow([[0, 1, 0], [1, 0, 1], [0, 1, 0]], extent=(4, 12, 40, 48), aspect="auto")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 56)
    for index in range(4):
        axes.text(
            8, 32 - 6 * index, f"The {dice.choice(PLATFORMS)} trains {dice.choice(MODELS)} {index + 2}.5x faster."
        )


_DRAW = {
    "ruled_table": lambda axes, dice: _table(axes, dice, False, False),
    "filled_table": lambda axes, dice: _table(axes, dice, True, False),
    "numbered_table": lambda axes, dice: _table(axes, dice, True, True),
    "boxes": _boxes,
    "timeline": _timeline,
    "logo": _logo,
}
