"""Cost of a large ledger: `python benchmarks/scale.py [SOURCES] [SNAPSHOTS]`, by default 200 sources of 10 snapshots.

The pages are made from the rows of the shipped result page: each source has systems of its own, and from snapshot to
snapshot values change and half of the rows move on to a newer release. Measured are a full build, a build after one
more snapshot, the same on a ledger of one source (what any build costs), a build without any change, peak memory, and
rows per second in each layer of the full build.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

from build import BUILD, START_UP, layers, run

from pipelines.settings import PROJECT
from pipelines.warehouse import query_published

SEED = 20230704
ROWS_PER_PAGE = 30
# The limits the project sets itself; printed beside the figures.
ONE_SNAPSHOT_PER_START_UP = 3.0
MEMORY_LIMIT_MIB = 700

HEADINGS = (
    "Model", "Variant", "Platform", "SDK Version", "Framework", "Dataset", "Batch Size", "Precision",
    "Throughput (items/sec)",
)  # fmt: skip
_ROWS = """
select model_printed, variant_printed, framework_printed, dataset_printed, batch_size, precision, value
from resolved.results
semi join main.current_results using (result_id)
where extractor = 'results_page' and task = 'training' and metric = 'throughput' and framework_printed is not null
    and model is not null and batch_size is not null and unit_printed = 'items/sec'
order by result_id
"""
_COUNTS = """
select
    (select count(*) from resolved.evidence) as extracted,
    (select count(*) from resolved.results) as resolved,
    (select count(*) from main.result_history) as main
"""


def pages(rows: list[dict[str, object]], number: int, snapshots: int) -> list[str]:
    """The snapshots of one source."""
    chance = random.Random(SEED + number)
    chosen = chance.sample(rows, min(ROWS_PER_PAGE, len(rows)))
    texts = []
    for snapshot in range(snapshots):
        lines = [f"Results {number}", "", "Systems - Training", "", f"| {' | '.join(HEADINGS)} |"]
        for index, row in enumerate(chosen):
            release = snapshot if index % 2 else 0
            value = float(str(row["value"])) * (1 + 0.05 * release) * (1 + 0.0001 * number)
            cells = (
                row["model_printed"], row["variant_printed"] or "", f"{number + 1}x H100", f"SDK 3.{release}",
                row["framework_printed"], row["dataset_printed"] or "", row["batch_size"], row["precision"],
                f"{value:,.1f}",
            )  # fmt: skip
            lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
        texts.append("\n".join([*lines, "", f"Snapshot {snapshot}.", ""]))
    return texts


def store(raw: Path, number: int, snapshot: int, text: str) -> None:
    """Put a page where the store expects it, as a file dropped in by hand."""
    day = date(2023, 1, 1) + timedelta(days=30 * snapshot)
    folder = raw / "acme" / f"source-{number:03}" / day.isoformat()
    folder.mkdir(parents=True)
    (folder / "page.txt").write_text(text)


def main() -> None:
    sources = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    snapshots = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {"DAGSTER_HOME": str(PROJECT), "BENCHLEDGER_STATE": f"{folder}/state"}

        def build(raw: Path, warehouse: Path) -> tuple[float, float]:
            return run(BUILD, "build", "--raw", str(raw), "--warehouse", str(warehouse), environment=environment)

        build(PROJECT / "raw", folder / "shipped")
        rows = query_published(folder / "shipped", _ROWS).to_pylist()
        raw, warehouse = folder / "raw", folder / "warehouse"
        made = [pages(rows, number, snapshots + 1) for number in range(sources)]
        for number, texts in enumerate(made):
            for snapshot, text in enumerate(texts[:snapshots]):
                store(raw, number, snapshot, text)
        start_up, _ = run(START_UP, environment=environment)
        full, memory = build(raw, warehouse)
        seconds = layers(f"{folder}/state")
        [counts] = query_published(warehouse, _COUNTS).to_pylist()
        store(raw, 0, snapshots, made[0][snapshots])
        one_more, peak = build(raw, warehouse)
        unchanged, _ = build(raw, warehouse)
        smallest, only = folder / "smallest", folder / "only"
        for snapshot, text in enumerate(made[0][:snapshots]):
            store(smallest, 0, snapshot, text)
        build(smallest, only)
        store(smallest, 0, snapshots, made[0][snapshots])
        least, _ = build(smallest, only)
        allowed = ONE_SNAPSHOT_PER_START_UP * start_up
        print(f"{sources * snapshots} snapshots of {sources} sources, {counts['resolved']} results")
        print(f"start-up             {start_up:7.2f} s CPU")
        print(f"full build           {full:7.2f} s CPU")
        print(f"one more snapshot    {one_more:7.2f} s CPU  (at most {allowed:.2f})")
        print(f"  of one source      {least:7.2f} s CPU")
        print(f"nothing has changed  {unchanged:7.2f} s CPU  (at most {start_up:.2f})")
        print(f"peak memory          {max(memory, peak):7.0f} MiB    (at most {MEMORY_LIMIT_MIB})")
        print("rows per second in each layer of the full build:")
        for layer in ("extracted", "resolved", "main"):
            print(
                f"  {layer:<10} {counts[layer] / seconds[layer]:9,.0f}  ({counts[layer]} rows, {seconds[layer]:.2f} s)"
            )


if __name__ == "__main__":
    main()
