"""Time of reading JSON with places, as a ratio to `json.loads` and `pandas.json_normalize`.

python benchmarks/json_places.py
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pandas as pd

from pipelines.read.files import read_bytes

ROW = {
    "model": "Llama 3 8B",
    "platform": "H100",
    "concurrency": 64,
    "metrics": {"ttft": {"mean": 12.5, "p99": 20.25}, "rate": 1234.5},
}
ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    """The shortest of some rounds, in CPU time."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    text = json.dumps([ROW] * 15_000)
    usual = seconds(lambda: pd.json_normalize(json.loads(text)))
    own = seconds(lambda: read_bytes(text.encode(), "results.json", "0" * 64))
    print(
        f"{len(text) / 1e6:.1f} MB: {own:.2f} s, {own / usual:.1f} times as long as pandas ({usual:.2f} s)"
    )


if __name__ == "__main__":
    main()
