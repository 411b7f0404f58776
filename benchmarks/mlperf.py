"""Cost of scoring logs of MLPerf Training against the official summarizer:
`python benchmarks/mlperf.py FOLDER`.

FOLDER holds submissions with their whole logs
(`<submitter>/results/<system>/<benchmark>/result_N.txt` and `<submitter>/systems/*.json`); those of
each system are copied until there are 300. Both read the same files, each in a process of its own,
and the CPU time that its imports take is left out. `mlperf-logging` has to be installed; the
project itself does not need it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LOGS, MOST = 300, 0.1
RULESET = "1.0.0"
SUMMARIZER = "mlperf_logging.result_summarizer"
# What benchledger does with the same folder: the events, the runs, the scores; with `all` every row
# and the accounting of every line and numeral.
OURS = """
import json, sys, time
from pathlib import Path
from pipelines.extract.logs.mllog import benchmarks
from pipelines.extract.mlperf_training import TrainingLogs
from pipelines.extract.reading import StoredDocument, formats, read_document
from pipelines.read.files import open_file
formats(), benchmarks()
started = time.process_time()
scores = {}
for folder in map(Path, sys.argv[2:]):
    if sys.argv[1] == "all":
        read_document(StoredDocument("0" * 64, folder, "mlperf_training"))
    else:
        logs = TrainingLogs(open_file(folder, "0" * 64))
        scores |= {f"{folder.name}/{score.section}": score.value / 60 for score in logs.scores}
print(json.dumps([time.process_time() - started, scores]))
"""


def multiply(source: Path, target: Path, copies: int) -> int:
    """Each system of each submission so many times, under names of their own; returns the number of
    logs.
    """
    for submitter in sorted(path for path in source.iterdir() if (path / "results").is_dir()):
        for copy in range(copies):
            for system in sorted((submitter / "results").iterdir()):
                name = f"{system.name}-{copy}"
                shutil.copytree(system, target / submitter.name / "results" / name)
                systems = target / submitter.name / "systems"
                systems.mkdir(exist_ok=True)
                shutil.copyfile(
                    submitter / "systems" / f"{system.name}.json", systems / f"{name}.json"
                )
    return sum(1 for _ in target.glob("*/results/*/*/result_*.txt"))


def cpu_of(command: list[str], folder: Path) -> float:
    """CPU time of a process, in s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(folder: Path) -> tuple[float, dict[str, float]]:
    """CPU time of the summarizer beyond its imports, in s, and its scores in minutes."""
    imports = cpu_of([sys.executable, "-c", f"import {SUMMARIZER}.result_summarizer"], folder)
    spent, scores = 0.0, {}
    for submitter in sorted(path for path in folder.iterdir() if path.is_dir()):
        out = folder / f"{submitter.name}.csv"
        command = [
            sys.executable,
            "-m",
            SUMMARIZER,
            submitter.name,
            "training",
            RULESET,
            "--csv",
            str(out),
        ]
        spent += cpu_of(command, folder) - imports
        for row in csv.DictReader(out.open()):
            system = row["details_url"].rsplit("/", 1)[-1].removesuffix(".json")
            for benchmark in ("bert", "resnet"):
                if row[benchmark]:
                    scores[f"{submitter.name}/results/{system}/{benchmark}"] = float(row[benchmark])
    return spent, scores


def ours(folder: Path, what: str) -> tuple[float, dict[str, float]]:
    """CPU time beyond the imports, in s, and the scores in minutes."""
    submitters = [str(path) for path in sorted(folder.iterdir()) if path.is_dir()]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    found = subprocess.run(
        [sys.executable, "-c", OURS, what, *submitters],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    spent, scores = json.loads(found.stdout)
    return spent, scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--copies", type=int, help=f"of each system; by default as many as make {LOGS} logs"
    )
    options = parser.parse_args()
    logs = sum(1 for _ in options.folder.glob("*/results/*/*/result_*.txt"))
    copies = options.copies or -(-LOGS // logs)
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary)
        total = multiply(options.folder, target, copies)
        size = sum(path.stat().st_size for path in target.glob("*/results/*/*/result_*.txt"))
        # The summarizer comes last: it writes a scaling.json into the folders of logs.
        our_time, our_scores = ours(target, "scores")
        all_time, _ = ours(target, "all")
        their_time, their_scores = theirs(target)
    print(f"{total} logs, {size / 1e6:.0f} MB")
    print(f"summarizer, beyond its imports  {their_time:.2f} s")
    for name, spent in (("runs and scores", our_time), ("all rows and the accounting", all_time)):
        print(f"{name:32}{spent:.2f} s, ratio {spent / their_time:.3f} (at most {MOST})")
    differing = {name: (score, our_scores.get(name)) for name, score in their_scores.items()}
    differing = {
        name: both
        for name, both in differing.items()
        if both[1] is None or abs(both[0] - both[1]) > 1e-6
    }
    print(f"scores: {len(their_scores) - len(differing)} of {len(their_scores)} equal")
    for name, (their_score, our_score) in sorted(differing.items())[:: max(1, copies)]:
        shown = (
            "none"
            if our_score is None
            else f"{our_score:.3f}, scaled {their_score / our_score:.4f} times"
        )
        print(f"  {name}: summarizer {their_score:.3f}, here {shown}")
    return int(our_time > MOST * their_time)


if __name__ == "__main__":
    sys.exit(main())
