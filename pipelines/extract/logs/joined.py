"""Lines of a log that were joined into one by tabs. A row of a table beside the log is none."""

from __future__ import annotations

import re

from pipelines.extract.logs.bars import read_bar
from pipelines.extract.logs.headings import (
    read_batch_size,
    read_device,
    read_epoch_header,
    read_parameters,
    read_training_time,
)
from pipelines.read.document import Line

# ` ``` ` between two runs
_FENCE = re.compile(r"`{3,}\w*|~{3,}")


def is_joined(line: Line) -> bool:
    """True where a part between tabs is a bar, a header, a time or a count, or where all parts are lines of a log."""
    if "\t" not in line.text.strip():
        return False
    parts = [Line(line.number, part) for part in line.text.split("\t")]
    if any(read_bar(p) or read_epoch_header(p) or read_training_time(p) or read_parameters(p) for p in parts):
        return True
    parts = [part for part in parts if not part.is_blank and not _FENCE.fullmatch(part.text.strip())]
    # `A100 GPU` alone, without a count, may be a cell of a table.
    counted = [bool(read_batch_size(p)) or bool((device := read_device(p)) and device.count) for p in parts]
    return any(counted) and all(counted)
