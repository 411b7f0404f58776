"""Cost of reading long pages against `pandas.read_html`: `python benchmarks/reading.py`.

One page of 30,000 rows of 8 cells, as HTML. All figures are ratios of CPU time within one process,
the best of several runs; how cost grows is that of a page twice as long.
"""

from __future__ import annotations

import gc
import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path

import pandas as pd

from pipelines.extract.contract import detect_format, formats
from pipelines.extract.results_page import extract
from pipelines.extract.tables.entries import load_entries
from pipelines.read.document import Document
from pipelines.read.files import open_file
from pipelines.sandbox import GARBAGE_THRESHOLDS

SEED = 20240115
ROWS, TABLES, TEXT_BYTES = 30_000, 400, 5_000_000
REPEATS = 3
# The limits the project sets itself; printed beside the figures, never asserted.
READING, EXTRACTION, DETECTION, GROWTH = 0.35, 1.0, 0.3, 2.0

HEADINGS = (
    "Model", "Platform", "Precision", "Batch Size", "Framework", "SDK Version", "Throughput (images/sec)",
    "Latency (ms)",
)  # fmt: skip
MAPPING = """columns:
  Model: model
  Platform: platform
  Precision: precision
  Batch Size: batch_size
  Framework: framework
  SDK Version: sdk_version
  Throughput (images/sec): {metric: throughput, unit: images/s}
  Latency (ms): {metric: latency, unit: ms}
tables:
- constants: {task: inference}
  headings: '^Inference(?:, (?P<part>part \\d+))?'
"""
# What tells the rows of a page apart: as many as there are combinations, the first ones first.
CONDITIONS = (
    ("2.4.0", "2.8.0", "2.10.0"),
    (
        "ResNet-50",
        "BERT-Large",
        "ViT-B/16",
        "GPT-J 6B",
        "Llama 2 70B",
        "DLRM",
        "RetinaNet",
        "Mask R-CNN",
    ),
    tuple(
        f"{count}x {chip}"
        for chip in ("H100", "A100", "L40S", "V100", "T4")
        for count in (1, 2, 4, 8, 16)
    ),
    ("FP16", "BF16", "FP8"),
    ("PyTorch", "TensorFlow"),
    tuple(str(2**power) for power in range(9)),
)
WORDS = "the page shows how fast each model runs on one node while others wait for data and memory as batches become larger"


def table(rows: int, chance: random.Random) -> str:
    """A table of results as a page prints it."""
    parts = [
        f"<table><thead><tr>{''.join(f'<th>{heading}</th>' for heading in HEADINGS)}</tr></thead><tbody>"
    ]
    for release, model, platform, precision, framework, batch_size in islice(
        product(*CONDITIONS), rows
    ):
        rate, latency = f"{chance.uniform(100, 99_999):,.1f}", f"{chance.uniform(0.5, 900):.2f}"
        cells = model, platform, precision, batch_size, framework, release, rate, latency
        parts.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return "\n".join([*parts, "</tbody></table>"])


def long_page(rows: int) -> str:
    """One long table below its title."""
    return f"<!DOCTYPE html><html><body><h1>Inference</h1>\n{table(rows, random.Random(SEED))}\n</body></html>"


def small_tables(count: int) -> str:
    """Many small tables, each below a heading of its own."""
    chance = random.Random(SEED)
    parts = (f"<h2>Inference, part {number}</h2>\n{table(6, chance)}" for number in range(count))
    return f"<!DOCTYPE html><html><body><h1>Inference</h1>{''.join(parts)}</body></html>"


def text(size: int) -> str:
    """Sentences with numbers and names, and no table."""
    chance = random.Random(SEED)
    words = [*WORDS.split(), "H100", "BERT-Large", "1,234", "64", "about"]
    lines, written = [], 0
    while written < size:
        lines.append(" ".join(chance.choices(words, k=18)).capitalize() + ".")
        written += len(lines[-1]) + 1
    return "\n".join(lines)


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Least CPU time of several runs."""
    found = []
    for _ in range(repeats):
        gc.collect()
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def store(folder: Path, name: str, content: str) -> Path:
    """A page as a file."""
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def opened(path: Path) -> Document:
    """A page as the pipeline reads it."""
    return open_file(path, "0" * 64)


def show(what: str, ratio: float, limit: float) -> None:
    """One line of the report."""
    print(f"{what:<58} {ratio:6.2f}  (at most {limit:.2f})", flush=True)


def main() -> None:
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    formats()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mapping = load_entries(store(folder, "mapping.yml", MAPPING))
        page = store(folder, "page.html", long_page(ROWS))
        pandas = seconds(lambda: pd.read_html(page, flavor="lxml"))
        print(
            f"pandas.read_html of {ROWS:,} rows of {len(HEADINGS)} cells: {pandas:.2f} s; shares of that:"
        )
        show("reading", seconds(lambda: opened(page)) / pandas, READING)
        document = opened(page)
        show("detecting the format", seconds(lambda: detect_format(document)) / pandas, DETECTION)
        show(
            "reading and extracting",
            seconds(lambda: extract(opened(page), (), mapping), 1) / pandas,
            EXTRACTION,
        )
        print("cost of a page twice as long:")
        grown = (
            (f"{TABLES} small tables", "tables.html", small_tables, TABLES),
            (f"{ROWS:,} rows", "rows.html", long_page, ROWS),
            (f"{TEXT_BYTES / 1e6:.0f} MB of text without a table", "text.txt", text, TEXT_BYTES),
        )
        for what, file, make, size in grown:
            half, whole = (store(folder, f"{part}-{file}", make(size // part)) for part in (2, 1))
            for step, work in (
                ("read", opened),
                ("detect", lambda path: detect_format(opened(path))),
                ("extract", lambda path: extract(opened(path), (), mapping)),
            ):
                least, most = (seconds(lambda: work(path), 1) for path in (half, whole))  # noqa: B023
                show(f"  {what}, {step} ({most:.2f} s)", most / least, GROWTH)


if __name__ == "__main__":
    sys.exit(main())
