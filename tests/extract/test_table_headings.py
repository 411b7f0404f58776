"""Column headings of result tables: what they measure, and of which epoch."""

from __future__ import annotations

import pytest

from pipelines.extract.tables.headings import read_heading
from pipelines.read.document import Cell


@pytest.mark.parametrize(
    ("text", "metric", "epoch"),
    [
        ("Time spent on 2nd epoch (seconds)", "epoch_time", 2),
        ("Time spent on 11th epoch (seconds)", "epoch_time", 11),
        ("Epoch 3 Time (s)", "epoch_time", 3),
        ("Epoch Time (s)", "epoch_time", None),
        ("Time per epoch (s)", "epoch_time", None),
        ("Throughput (images/sec)", "throughput", None),
    ],
)
def test_an_epoch_that_a_heading_names_is_read(text: str, metric: str, epoch: int | None) -> None:
    heading = read_heading(Cell(text, 1, 0, len(text)))
    assert heading is not None
    assert (heading.metric, heading.epoch) == (metric, epoch)


@pytest.mark.parametrize("text", ["Loss after 2nd epoch", "Time spent on 0th epoch"])
def test_what_is_no_metric_of_an_epoch_stays_unknown(text: str) -> None:
    assert read_heading(Cell(text, 1, 0, len(text))) is None
