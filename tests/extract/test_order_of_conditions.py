"""The rows of a document are the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys

from pipelines.settings import PROJECT

SOURCE = PROJECT / "raw" / "unknown" / "mk2-a100-training-log"
READ = """
import sys
from pathlib import Path
from pipelines.extract.results_page import extract
from pipelines.extract.tables.entries import load_entries
from pipelines.read.files import open_file
source = Path(sys.argv[1])
log = open_file(next(source.glob("*/*.txt")), "0" * 64)
print(extract(log, (), load_entries(source / "mapping.yml")))
"""


def test_conditions_are_numbered_alike_in_every_process() -> None:
    command = [sys.executable, "-c", READ, str(SOURCE)]
    seeds = ("0", "7")
    printed = [subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": seed}) for seed in seeds]
    assert b"batch_size_kind" in printed[0]
    assert printed[0] == printed[1]
