"""Deliberate slips in the mappings of shipped pages: which does the preview ask about?
`python benchmarks/slips.py`.

Each slip changes one line of a mapping so that something wrong would be stored. The ledger that
values are compared with is the published warehouse without the source, as for a page that nobody
has mapped before. `asked` lists the questions that the right mapping does not raise, `refused` the
rules that refuse what the right mapping reads. With `--shipped`, the questions about all shipped
documents with the mappings as they are.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb

from benchledger.source_preview import SourcePreview, newest_documents, preview_source
from pipelines.ingest.store import read_store
from pipelines.settings import MAPPING_FILE, PROJECT
from pipelines.warehouse.reader import published_file

RAW = PROJECT / "raw"


class Slip(NamedTuple):
    """A slip: what is wrong, in which mapping, and the text that takes the place of the right one."""

    name: str
    source: str
    right: str
    wrong: str


SLIPS = (
    Slip(
        "s for ms",
        "sophgo/sophon-demo-resnet",
        "{metric: latency, unit: ms}",
        "{metric: latency, unit: s}",
    ),
    Slip("ms for s", "meta/vitdet", "{metric: latency, unit: s,", "{metric: latency, unit: ms,"),
    Slip(
        "s for ms in a heading",
        "tencent/tnn-benchmark",
        "{metric: latency, unit: ms}",
        "{metric: latency, unit: s}",
    ),
    Slip(
        "MB for GB",
        "meta/detectron2-model-zoo",
        "{metric: memory, unit: GB,",
        "{metric: memory, unit: MB,",
    ),
    Slip(
        "% as a share",
        "sophgo/sophon-demo-resnet",
        "accuracy, unit: '%'",
        "accuracy, unit: fraction",
    ),
    Slip(
        "thousands",
        "hailo/hailo-8-classification",
        "unit: frames/s, task",
        "unit: k frames/s, task",
    ),
    Slip(
        "GFLOPS for TFLOPS", "google/maxtext-tpu-v5e", "unit: TFLOPS/device", "unit: GFLOPS/device"
    ),
    Slip(
        "maximum for mean",
        "nvidia/resnet50-pytorch",
        "Latency Avg: {metric: latency, unit: ms, statistic: mean}",
        "Latency Avg: {metric: latency, unit: ms, statistic: max}",
    ),
    Slip(
        "p99.9 for mean",
        "nvidia/resnet50-tensorflow",
        "Avg latency: {metric: latency, unit: ms, statistic: mean}",
        "Avg latency: {metric: latency, unit: ms, statistic: p99.9}",
    ),
    Slip("TPOT for TTFT", "aws/neuron-inf2-performance", "{metric: ttft,", "{metric: tpot,"),
    Slip(
        "throughput of a device for the system",
        "nvidia/megatron-bridge",
        "{metric: throughput_per_device, unit: tokens/s/GPU}",
        "{metric: throughput, unit: tokens/s}",
    ),
    Slip(
        "per device for global batch",
        "nvidia/megatron-bridge",
        "batch_size_kind: global",
        "batch_size_kind: per_device",
    ),
    Slip(
        "sequence length for batch size",
        "nvidia/resnet50-pytorch",
        "'/batch.size/': batch_size",
        "'/batch.size/': sequence_length",
    ),
    Slip(
        "RK3588 for RK3568",
        "rockchip/rknn-model-zoo",
        "platform: '!RK3566/RK3568'",
        "platform: '!RK3588'",
    ),
    Slip(
        "INT8 for FP32",
        "axelera/model-zoo",
        "{metric: accuracy, unit: '%', precision: FP32}",
        "{metric: accuracy, unit: '%', precision: INT8}",
    ),
)


def main() -> int:
    """Print the table of slips, or with `--shipped` the questions about the shipped pages."""
    warehouse = published_file(PROJECT / "warehouse")
    asked = 0
    with TemporaryDirectory() as name:
        if "--shipped" in sys.argv[1:]:
            return _shipped(warehouse)
        known: dict[str, Counter[str]] = {}
        numbers: dict[str, list[str]] = {}
        for number, slip in enumerate(SLIPS):
            folder = Path(name) / str(number)
            raw = folder / "raw"
            shutil.copytree(RAW / slip.source, raw / slip.source)
            ledger = _ledger_without(slip.source, warehouse, folder)
            mapping = raw / slip.source / MAPPING_FILE
            if slip.source not in known:
                shown = preview_source(raw, slip.source, mapping, ledger)
                known[slip.source], numbers[slip.source] = _found(shown), _numbers(shown)
            text = mapping.read_text("utf-8")
            if slip.right not in text:
                raise SystemExit(f"{slip.source}: the mapping has no {slip.right!r}")
            mapping.write_text(text.replace(slip.right, slip.wrong), "utf-8")
            shown = preview_source(raw, slip.source, mapping, ledger)
            found = _found(shown) - known[slip.source]
            asked += bool(found)
            is_same = not found and _numbers(shown) == numbers[slip.source]
            nothing = "nothing" if not is_same else "nothing, and stores the same"
            words = (
                "; ".join(f"{what} ({count})" for what, count in sorted(found.items())) or nothing
            )
            print(f"{slip.name:<32} {slip.source:<32} {words}", flush=True)
    print(f"{asked} of {len(SLIPS)} slips are asked about or refused")
    return 0


def _found(shown: SourcePreview) -> Counter[str]:
    """Places of each question, and numbers that each rule refuses."""
    found = Counter(f"refused: {refusal.rule}" for refusal in shown.refusals())
    for _, _, key, places, *_ in shown.questions:
        found[f"asked: {key}"] += places
    return found


def _numbers(shown: SourcePreview) -> list[str]:
    """The numbers that would be stored, each with all that is stated of it."""
    return [str(number) for table in shown.tables() for number in table.numbers]


def _ledger_without(source: str, warehouse: Path, folder: Path) -> Path:
    path = folder / warehouse.name
    shutil.copyfile(warehouse, path)
    with duckdb.connect(path) as connection:
        connection.execute("delete from raw.documents where source = ?", [source])
    return path


def _shipped(warehouse: Path) -> int:
    keys = [*_questions(warehouse)]
    for line in keys:
        print(line)
    print(f"{len(keys)} questions")
    return 0


def _questions(warehouse: Path) -> Iterator[str]:
    for source in sorted({row["source"] for row in read_store(RAW).documents}):
        mapping = RAW / source / MAPPING_FILE
        if mapping.is_file() and newest_documents(RAW, source):
            for path, line, key, places, words, answer in preview_source(
                RAW, source, mapping, warehouse
            ).questions:
                print(f"  {path} line {line}, {places} places: {words}: {answer or 'not answered'}")
                yield f"{source} {key}"


if __name__ == "__main__":
    raise SystemExit(main())
