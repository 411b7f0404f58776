"""Cost of a build against the start-up alone, and of the smallest one against `import dagster`:
`python benchmarks/build.py [RAW]`.

Start-up is what `benchledger build` does before its run begins: its imports, Dagster's definitions,
opening the instance; pandas and pandera come with the first rows that are checked. All figures are
medians over several runs, each in a process of its own, with the bytecode of the modules kept, as
on any machine in use.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import dagster as dg

from pipelines.settings import PROJECT

REPEATS = 3
# The limits the project sets itself; printed beside the figures, never asserted.
LIMITS = {"first build": 3.0, "second build": 0.3, "forced build": 2.2}
MEMORY_LIMIT_MIB = 600
# Of the smallest builds, as multiples of `import dagster`.
SMALL_LIMITS = {"one page of one row": 4.0, "nothing has changed": 0.6}
PAGE = """# Results

| Model | Platform | Throughput (images/s) |
|---|---|---|
| ResNet-50 | H100 | 100 |
"""
MAPPING = """columns:
  Model: model
  Platform: platform
  Throughput (images/s): {metric: throughput, unit: images/s, task: training}
tables:
- section: Results
"""

START_UP = """
import gc
from pipelines.sandbox import GARBAGE_THRESHOLDS
gc.set_threshold(*GARBAGE_THRESHOLDS)
from benchledger.job import BUILD, benchledger, open_instance
benchledger().resolve_job_def(BUILD)
with open_instance():
    pass
"""
BUILD = "from pipelines.cli.entry_point import main; main()"


def run(code: str, *arguments: str, environment: dict[str, str]) -> tuple[float, float]:
    """CPU seconds and peak memory in MiB of a Python process."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        message = process.stderr.read().decode() if process.stderr else ""
        raise SystemExit(message)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def environment_in(folder: str) -> dict[str, str]:
    """The environment of builds that are recorded in a folder of their own, with bytecode kept."""
    own = {"DAGSTER_HOME": str(PROJECT), "BENCHLEDGER_STATE": f"{folder}/state"}
    return {
        name: value
        for name, value in (os.environ | own).items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }


def show_small_builds() -> None:
    """Print what a build of one page of one row costs in an empty folder, and one without change."""
    unit = statistics.median(
        run("import dagster", environment={**os.environ})[0] for _ in range(REPEATS)
    )
    figures: dict[str, list[float]] = {name: [] for name in SMALL_LIMITS}
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "raw", "acme", "results")
            (source / "2023-01-01").mkdir(parents=True)
            (source / "2023-01-01" / "page.md").write_text(PAGE, "utf-8")
            (source / "mapping.yml").write_text(MAPPING, "utf-8")
            build = ["build", "--raw", f"{folder}/raw", "--warehouse", f"{folder}/warehouse"]
            for seconds in figures.values():
                seconds.append(run(BUILD, *build, environment=environment_in(folder))[0])
    print(f"import dagster        {unit:5.2f} s CPU")
    for name, limit in SMALL_LIMITS.items():
        seconds = statistics.median(figures[name])
        print(f"{name:<21} {seconds:5.2f} s CPU  {seconds / unit:5.2f} x  (at most {limit:g})")


def main() -> None:
    show_small_builds()
    raw = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "raw"
    figures: dict[str, list[float]] = {
        "start-up": [],
        "first build": [],
        "second build": [],
        "forced build": [],
    }
    memory = 0.0
    shares: dict[str, float] = {}
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            environment = environment_in(folder)
            build = ["build", "--raw", str(raw), "--warehouse", f"{folder}/warehouse"]
            run(
                START_UP, environment=environment
            )  # lays the instance's tables once, as on any machine in use
            figures["start-up"].append(run(START_UP, environment=environment)[0])
            for name, options in (
                ("first build", ()),
                ("second build", ()),
                ("forced build", ("--again",)),
            ):
                seconds, peak = run(BUILD, *build, *options, environment=environment)
                figures[name].append(seconds)
                memory = max(memory, peak)
                if name == "first build":
                    shares = layers(f"{folder}/state")
    start_up = statistics.median(figures["start-up"])
    print(f"start-up      {start_up:5.2f} s CPU")
    for name, limit in LIMITS.items():
        seconds = statistics.median(figures[name])
        print(
            f"{name:<13} {seconds:5.2f} s CPU  {seconds / start_up:4.2f} x start-up  (at most {limit:g})"
        )
    print(f"peak memory   {memory:5.0f} MiB  (at most {MEMORY_LIMIT_MIB})")
    total = sum(shares.values())
    print("share of each layer in the time of making its tables, first build:")
    for layer, seconds in shares.items():
        print(f"  {layer:<14} {seconds / total:6.1%}  {seconds:5.2f} s")


def layers(state: str) -> dict[str, float]:
    """Seconds that the latest run took to make and check the tables, by layer."""
    os.environ |= {"DAGSTER_HOME": str(PROJECT), "BENCHLEDGER_STATE": state}
    seconds: dict[str, float] = {}
    with dg.DagsterInstance.get() as instance:
        [run_record] = instance.get_run_records(limit=1)
        for entry in instance.all_logs(run_record.dagster_run.run_id):
            event = entry.dagster_event
            if event and event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION:
                layer, metadata = event.asset_key.path[0], event.materialization.metadata
            elif event and event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
                layer, metadata = "evidence check", event.asset_check_evaluation_data.metadata
            else:
                continue
            if "seconds" in metadata:
                seconds[layer] = seconds.get(layer, 0.0) + float(metadata["seconds"].value)
    return seconds


if __name__ == "__main__":
    main()
