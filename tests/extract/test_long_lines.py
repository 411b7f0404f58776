"""A line four times as long takes four times the work, whatever stands on it: nothing is tried anew
at each word.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pipelines.extract.reading import StoredDocument, read_document

UNITS = {
    "blanks": " ",
    "digits": "1",
    "commas": "1,",
    "hyphens": "A-",
    "pipes": "| a ",
    "brackets": "(",
    "words": "ResNet-50 on 8 GPUs takes 12 minutes and is 2.5x faster than the A100 with FP16 ",
    "sentences": "The A100 is 2.5x faster. ",
    "fields": "loss=1.5 ",
}
PAGE = "Results\n\nResNet-50 training on A100 gives 5 images/s.\n\nbatch size {}12 images/s on A100\n\nThe end.\n"


def seconds(path: Path, line: str) -> float:
    path.write_text(PAGE.format(line))
    times = []
    for _ in range(2):
        started = time.process_time()
        read_document(StoredDocument("0" * 64, path, None))
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("name", UNITS)
def test_a_longer_line_takes_so_much_longer(name: str, tmp_path: Path) -> None:
    short, long = (
        seconds(tmp_path / "page.txt", UNITS[name] * (size // len(UNITS[name])))
        for size in (2_500, 10_000)
    )
    assert long < 8 * max(short, 0.03)
