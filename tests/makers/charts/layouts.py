"""Charts that are laid out in other ways than one plot with plain bars or lines, each with what it is known to show.

A layout is drawn from a seed by one of the producers. What one page shows is a list of marks, so that small multiples,
broken axes and clipped curves are known in the same way as a single plot. `python -m makers.charts.layouts FOLDER
FIRST_SEED COUNT` writes those of matplotlib alone, for interpreters that have another version of it.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from makers.charts.plans import MODELS, PLATFORMS


@dataclass(frozen=True)
class Known:
    """One bar or point that a reader can see.

    Attributes:
        producer: Program that drew it.
        layout: Name of the layout.
        panel: Number of its plot on the page, from 1.
        mark: `bar` or `point`.
        series: Name that the legend gives it; empty without one.
        category: Label at its place; empty for a number.
        x: Number on the other axis; None for a label.
        value: What it shows.
        low: Lower end of its value axis.
        high: Upper end of its value axis.
        log: True for a value axis to base ten.
        x_range: Length of the other axis where it is a scale; 0 elsewhere.
    """

    producer: str
    layout: str
    panel: int
    mark: str
    series: str
    category: str
    x: float | None
    value: float
    low: float
    high: float
    log: bool = False
    x_range: float = 0.0


def write_marks(marks: Sequence[Known], path: Path) -> None:
    """Keep what a page shows as a table, one row per mark."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Known)], lineterminator="\n")
        table.writeheader()
        for mark in marks:
            table.writerow(asdict(mark) | {"x": "" if mark.x is None else mark.x})


def read_marks(path: Path) -> list[Known]:
    """What a page shows, as `write_marks` keeps it."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Known(
                row["producer"], row["layout"], int(row["panel"]), row["mark"], row["series"], row["category"],
                float(row["x"]) if row["x"] else None, float(row["value"]), float(row["low"]), float(row["high"]),
                row["log"] == "True", float(row["x_range"]),
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip


class Data:
    """Data for one plot, drawn from a seed: names, places and rounded values as publications print them."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(f"layout {seed}")

    def models(self, count: int) -> list[str]:
        return self.dice.sample(MODELS, count)

    def platforms(self, count: int) -> list[str]:
        return self.dice.sample(PLATFORMS, count)

    def values(self, count: int, top: float | None = None) -> list[float]:
        top = top or self.dice.choice((1, 12, 75, 430, 5200, 81_000))
        return [float(f"{top * self.dice.uniform(0.1, 1):.3g}") for _ in range(count)]

    def rising(self, count: int, top: float | None = None) -> list[float]:
        return sorted(self.values(count, top))

    def xs(self, count: int) -> list[float]:
        if self.dice.random() < 0.5:
            return [float(2**i) for i in range(count)]
        return sorted(self.dice.sample([0.5 * i for i in range(1, 70)], count))


def main() -> int:
    from makers.charts import layouts_matplotlib

    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    layouts_matplotlib.make_all(folder, first, count)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
