"""What a made chart shows: kind, data and looks, drawn from a seed."""

from __future__ import annotations

import csv
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MODELS = (
    "ResNet-50", "BERT-Large", "BERT-Base", "EfficientNet-B4", "GPT2-M", "ViT", "DLRM", "UNet", "T5", "MobileNet",
    "Mask R-CNN", "RNN-T", "LSTM", "Wav2Vec2", "Llama", "YOLOv4", "GIN", "TGN", "DeepVoice", "MCMC",
)  # fmt: skip
PLATFORMS = (
    "IPU-M2000",
    "A100",
    "V100",
    "Bow-2000",
    "H100 SXM",
    "TPU v4",
    "CPU",
    "MI250",
    "Gaudi2",
    "DGX A100",
)
AXES = (
    "Throughput (images/sec)",
    "Latency (ms)",
    "Throughput (seq/sec)",
    "Time to train (minutes)",
    "Accuracy (%)",
)
KINDS = ("bar", "grouped", "stacked", "line", "scatter")


@dataclass(frozen=True)
class Plan:
    """One chart to be made.

    Attributes:
        name: Name of its files.
        kind: One of `KINDS`.
        lying: True for bars that grow to the right.
        log: True for a value axis to base ten.
        categories: Labels along the other axis; empty for numbers.
        xs: Numbers along the other axis; empty for categories.
        series: Names in the legend.
        values: Value by series and place.
        printed: True where each bar has its value printed at its end.
        axis_title: Words along the value axis.
        looks: What producers may do each in their own way: grid, ticks, rounded, gradient, colours,
            size.
    """

    name: str
    kind: str
    lying: bool
    log: bool
    categories: tuple[str, ...]
    xs: tuple[float, ...]
    series: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    printed: bool
    axis_title: str
    looks: dict[str, Any] = field(default_factory=dict)

    def truth(self, producer: str) -> dict[str, Any]:
        """What the chart is known to show, as it stands beside the PDF."""
        plain = asdict(self)
        del plain["looks"]
        return {"producer": producer, **plain}


def draw_plan(seed: int, name: str) -> Plan:
    """A plan that depends on the seed alone."""
    dice = random.Random(f"chart {seed}")
    kind = dice.choice(KINDS)
    is_bar = kind in ("bar", "grouped", "stacked")
    lying = is_bar and dice.random() < 0.35
    log = kind in ("bar", "grouped", "line") and dice.random() < 0.2
    count = dice.randint(3, 7) if is_bar else dice.randint(4, 8)
    lines = 1 if kind in ("bar", "scatter") and dice.random() < 0.8 else dice.randint(2, 3)
    categories = (
        tuple(dice.sample(MODELS, count))
        if kind != "scatter" and (is_bar or dice.random() < 0.5)
        else ()
    )
    xs: tuple[float, ...] = ()
    if not categories:
        xs = tuple(sorted(dice.sample([round(0.5 * i, 1) for i in range(1, 60)], count)))
    top = dice.choice((1, 10, 45, 80, 320, 950, 7000, 64000, 2_500_000))
    negative = kind == "bar" and not log and dice.random() < 0.15
    values = []
    for _ in range(lines):
        if log:
            # The first and the last make sure of three decades, as two are no axis.
            shares = [dice.uniform(-3, 0) for _ in range(count)]
            shares[0], shares[-1] = dice.uniform(-3, -2.6), dice.uniform(-0.3, 0)
            row = [float(f"{top * 10**share:.3g}") for share in shares]
        else:
            row = [float(f"{top * dice.uniform(0.08, 1):.3g}") for _ in range(count)]
        values.append(tuple(-v if negative and dice.random() < 0.4 else v for v in row))
    looks = {
        "grid": dice.random() < 0.5,
        "colour": dice.randrange(5),
        "size": dice.choice(("small", "wide", "tall")),
        "rounded": is_bar and not negative and dice.random() < 0.2,
        "gradient": is_bar and dice.random() < 0.15,
        "markers": dice.random() < 0.5,
        "frame": dice.random() < 0.5,
        "font": dice.randrange(3),
        "turned": dice.random() < 0.15,
    }
    return Plan(
        name, kind, lying, log, categories, xs,
        tuple(dice.sample(PLATFORMS, lines)) if lines > 1 else ("",),
        tuple(values), is_bar and kind != "stacked" and dice.random() < 0.5, dice.choice(AXES), looks,
    )  # fmt: skip


COLUMNS = ("producer", "kind", "lying", "log", "printed", "series", "category", "x", "value")


def write_known(truth: dict[str, Any], path: Path) -> None:
    """Keep what a page shows as a table: one row per bar or point; one without a value where there
    is no chart.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        page = {name: truth.get(name, "") for name in COLUMNS[:5]}
        if not truth.get("values"):
            table.writerow(page)
        for series, row in zip(truth.get("series", ()), truth.get("values", ()), strict=True):
            for place, value in enumerate(row):
                category = truth["categories"][place] if truth["categories"] else ""
                x = truth["xs"][place] if truth["xs"] else ""
                table.writerow(
                    page | {"series": series, "category": category, "x": x, "value": value}
                )


def read_known(path: Path) -> dict[str, Any]:
    """What a page shows, as `write_known` keeps it."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    flags = {name: rows[0][name] == "True" for name in ("lying", "log", "printed")}
    series = list(dict.fromkeys(row["series"] for row in rows))
    first = [row for row in rows if row["series"] == series[0]]
    values = [
        [float(row["value"]) for row in rows if row["series"] == name and row["value"]]
        for name in series
    ]
    return {
        "producer": rows[0]["producer"], "kind": rows[0]["kind"], "series": series, "values": values,
        "categories": [row["category"] for row in first if row["category"]],
        "xs": [float(row["x"]) for row in first if row["x"]],
    } | flags  # fmt: skip
