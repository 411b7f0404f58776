"""Cost of a large site: `python benchmarks/report.py [RESULTS]`, by default 10,000 results.

The documents are made: each has a table of its own, with throughput and latency of thirty models
over systems and batch sizes. Measured are the first writing of the site, the second, the largest
page, and what a third writes when one document more was read. Exit status 1 where a limit is
missed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

from build import BUILD, run

from pipelines.report.site import FOLDER
from pipelines.settings import PROJECT
from pipelines.warehouse.reader import query_published

# The limits the project sets itself.
SECONDS = 60.0
PAGE_BYTES = 500_000
ROWS_PER_DOCUMENT = 250
RESULTS_PER_ROW = 2

MODELS = (
    "ResNet-50", "BERT-Large", "BERT-Base", "Llama 2 70B", "Llama 2 7B", "Llama 3 8B", "Llama 3 70B", "Mistral 7B",
    "Stable Diffusion XL", "ViT-Base", "GPT-2", "T5-Base", "EfficientNet-B0", "EfficientNet-B4", "ResNeXt-101",
    "YOLOv4", "DistilBERT", "RoBERTa-Large", "Whisper", "CLIP", "DLRM", "U-Net", "Mask R-CNN", "SSD", "Mixtral 8x7B",
    "Falcon 40B", "Bloom", "GPT-J 6B", "DINO", "Conformer-Small",
)  # fmt: skip
HEADINGS = (
    "Model", "Platform", "SDK Version", "Framework", "Batch Size", "Precision", "Throughput (items/sec)",
    "Latency (ms)",
)  # fmt: skip
PLATFORMS = ("H100", "A100", "MI300X", "Gaudi 2", "L40S")


def page(number: int) -> str:
    """A document with one table: every row a benchmark of its own."""
    lines = [f"Results {number}", "", "Inference", ""]
    lines.append(f"| {' | '.join(HEADINGS)} |")
    lines.append(f"|{' --- |' * len(HEADINGS)}")
    for row in range(ROWS_PER_DOCUMENT):
        model = MODELS[row % len(MODELS)]
        platform = f"{2 ** (number % 4)}x {PLATFORMS[number // 4 % len(PLATFORMS)]}"
        batch = 1 + row // len(MODELS) + 100 * (number // 20)
        rate = 1000.0 + 37 * row + number
        precision = "FP16" if number % 2 else "INT8"
        cells = (
            model,
            platform,
            "SDK 3.1",
            "PyTorch",
            batch,
            precision,
            f"{rate:,.1f}",
            f"{1000 * batch / rate:.3f}",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


def main() -> None:
    results = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    documents = -(-results // (ROWS_PER_DOCUMENT * RESULTS_PER_ROW))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw, warehouse = folder / "raw", folder / "warehouse"
        environment = os.environ | {
            "DAGSTER_HOME": str(PROJECT),
            "BENCHLEDGER_STATE": f"{folder}/state",
        }
        places = ("--raw", str(raw), "--warehouse", str(warehouse))

        def store(number: int) -> None:
            day = date(2023, 1, 1) + timedelta(days=number)
            stored = raw / "acme" / f"source-{number:03}" / day.isoformat()
            stored.mkdir(parents=True)
            (stored / "page.md").write_text(page(number))

        def report() -> tuple[float, float]:
            return run(BUILD, "report", *places, environment=environment)

        def stamps() -> dict[Path, int]:
            files = (path for path in (warehouse / FOLDER).rglob("*") if path.is_file())
            return {path: path.stat().st_mtime_ns for path in files}

        for number in range(documents):
            store(number)
        run(BUILD, "build", *places, environment=environment)
        [counts] = query_published(
            warehouse, "select count(*) as results from resolved.results"
        ).to_pylist()
        first, memory = report()
        written = stamps()
        second, _ = report()
        again = sum(stamp != written[path] for path, stamp in stamps().items())
        largest = max((warehouse / FOLDER).rglob("*.html"), key=lambda path: path.stat().st_size)
        size = largest.stat().st_size
        store(documents)
        run(BUILD, "build", *places, environment=environment)
        report()
        changed = sum(stamp != written.get(path) for path, stamp in stamps().items())
        print(f"{counts['results']:,} results, {len(written):,} files")
        print(f"first writing     {first:7.2f} s CPU  (at most {SECONDS:.0f})")
        print(f"second writing    {second:7.2f} s CPU, {again} files written  (at most 0)")
        own = ROWS_PER_DOCUMENT * RESULTS_PER_ROW
        print(f"one more document {changed:7} files written, {own} of them of its own results")
        print(
            f"largest page      {size:7,} bytes  (at most {PAGE_BYTES:,}): {largest.relative_to(warehouse / FOLDER)}"
        )
        print(f"peak memory       {memory:7.0f} MiB")
        if first > SECONDS or again or size > PAGE_BYTES:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
