"""Every regular expression takes time that grows as its text does: no line can hold a build up."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from patterns import offences

from pipelines.settings import PROJECT


def test_patterns_take_time_that_grows_with_the_text() -> None:
    looked = subprocess.run(
        [sys.executable, "benchmarks/patterns.py", "--quick"],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert looked.returncode in (0, 1), looked.stderr
    assert looked.stdout == ""
    assert int(looked.stderr.split()[0]) > 200


def test_a_pattern_that_does_not_would_be_seen() -> None:
    for text, method in ((r"(?:a+)+b", "match"), (r"(.+?)\s*\d", "fullmatch")):
        assert list(offences(re.compile(text), [method], 0.2)), text
    assert not list(offences(re.compile(r"(?<!\s)\s+,\s*"), ["search"], 0.2))
