"""A large store made of real rows: snapshots of many sources, each with values, platforms and
releases of its own.

The rows are those of the shipped result pages, in training and in inference. Each source prints a
sample of them on a platform of its own; from snapshot to snapshot half of its rows move on to a
newer SDK, with other values. The same seed gives the same bytes. Measuring belongs in `growth.py`
and `peers.py`.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from pipelines.settings import PROJECT
from pipelines.warehouse.reader import query_published

SEED = 20230704
SNAPSHOTS_OF_A_SOURCE = 10
PLATFORMS = (
    "H100", "A100 40GB", "A100 80GB", "V100 32GB", "T4", "L4", "L40S", "A10G", "A30", "A40", "DGX A100", "P100",
    "Bow Pod16", "Bow-2000", "IPU-POD16", "IPU-M2000", "trn1.32xlarge", "inf2.48xlarge", "inf2.xlarge", "RTX 4090",
)  # fmt: skip
# Counts of its platform that one source may print.
_COUNTS = 8
_HEADINGS = (
    "Model",
    "Variant",
    "Platform",
    "SDK Version",
    "Framework",
    "Dataset",
    "Batch Size",
    "Precision",
)
# Table, what it measures, the results in one of its rows.
_TABLES = {
    "training": ("Throughput (items/sec)",),
    "inference": ("Throughput (items/sec)", "Latency (ms)"),
}
# What the tables of these pages mean.
_MAPPING = """columns:
  Model: model
  Variant: variant
  Platform: platform
  SDK Version: {match: 'SDK (?P<sdk_version>.*)'}
  Framework: framework
  Dataset: dataset
  Batch Size: batch_size
  Precision: precision
  Throughput (items/sec): {metric: throughput, unit: items/s}
tables:
- section: Systems - Training
  constants: {task: training}
- section: Systems - Inference
  constants: {task: inference}
  columns:
    Latency (ms): {metric: latency, unit: ms}
"""
# The rows of the pages that print all of these columns.
_ROWS = """
select
    model_printed, variant_printed, framework_printed, dataset_printed, batch_size, precision, task,
    max(value) filter (where metric = 'throughput') as throughput,
    max(value) filter (where metric = 'latency') as latency
from resolved.results
semi join main.current_results using (result_id)
where
    extractor = 'results_page'
    and metric in ('throughput', 'latency')
    and framework_printed is not null
    and model is not null
    and batch_size is not null
    and unit_printed in ('items/sec', 'ms')
group by all
having throughput is not null and (task = 'training' or latency is not null)
order by all
"""


@dataclass(frozen=True)
class Snapshots:
    """A store to make.

    Attributes:
        shipped: Folder of a warehouse that was built from the shipped documents.
        results: Results that each snapshot prints, about: half of them of training.
    """

    shipped: Path
    results: int

    @cached_property
    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        found = query_published(self.shipped, _ROWS).to_pylist()
        return {task: [row for row in found if row["task"] == task] for task in _TABLES}

    def page(self, source: int, snapshot: int) -> str:
        """The text of one snapshot of one source, a page of HTML."""
        parts = [f"<!DOCTYPE html><html><body><h1>Results {source}</h1>"]
        for task, measured in _TABLES.items():
            rows = [_row("td", cells) for cells in self._cells(task, source, snapshot)]
            parts += [
                f"<h2>Systems - {task.capitalize()}</h2>",
                "<table>",
                _row("th", (*_HEADINGS, *measured)),
            ]
            parts += [*rows, "</table>"]
        return "\n".join([*parts, f"<p>Snapshot {snapshot}.</p></body></html>"])

    def _cells(self, task: str, source: int, snapshot: int) -> Iterator[tuple[Any, ...]]:
        chance, rows = random.Random(SEED + source), self._rows[task]
        printed = max(1, self.results // (2 * len(_TABLES[task])))
        chosen = chance.sample(rows, min(printed, len(rows)))
        for index in range(printed):
            row = chosen[index % len(chosen)]
            # Beyond the rows there are, the same on more of them.
            count = source // len(PLATFORMS) * _COUNTS + index // len(chosen) + 1
            release = snapshot if index % 2 else 0
            factor = chance.uniform(0.5, 2) * (1 + 0.05 * release)
            quantities = [f"{row['throughput'] * factor:,.1f}"]
            if task == "inference":
                quantities.append(f"{row['latency'] / factor:.2f}")
            yield (
                row["model_printed"], row["variant_printed"] or "",
                f"{count}x {PLATFORMS[source % len(PLATFORMS)]}", f"SDK 3.{release}", row["framework_printed"],
                row["dataset_printed"] or "", row["batch_size"], row["precision"], *quantities,
            )  # fmt: skip

    def store(self, raw: Path, number: int) -> Path:
        """Put the snapshot of this number and its mapping where the store expects them, as files
        dropped in by hand.
        """
        source, snapshot = divmod(number, SNAPSHOTS_OF_A_SOURCE)
        day = date(2023, 1, 1) + timedelta(days=30 * snapshot)
        path = raw / "acme" / f"source-{source:05}" / day.isoformat() / "page.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.page(source, snapshot), "utf-8")
        mapping = path.parents[1] / "mapping.yml"
        if not mapping.exists():
            mapping.write_text(_MAPPING, "utf-8")
        return path


def copy_shipped(raw: Path) -> None:
    """Put the shipped documents into a store: claims, charts, logs and prices, beside the pages
    that are made.
    """
    shutil.copytree(PROJECT / "raw", raw, dirs_exist_ok=True)


def _row(tag: str, cells: tuple[Any, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
