"""Rows of a log held against the CSV file beside its fixture; BENCHLEDGER_UPDATE_GOLDEN=1 writes
the file anew.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pipelines.extract.rows import Row


def check_golden(
    path: Path,
    columns: Sequence[str],
    rows: Iterable[Row],
    more: Mapping[int, Mapping[str, Any]] | None = None,
) -> None:
    """`more` are further columns by the position of the row."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writeheader()
    for at, row in enumerate(rows):
        place = {
            "kind": type(row).__name__,
            **{name: getattr(row.cell, name) for name in ("line", "start", "end", "text")},
        }
        writer.writerow(asdict(row) | place | dict((more or {}).get(at, {})))
    expected = path.with_name(f"{path.stem}.expected.csv")
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        expected.write_text(out.getvalue(), "utf-8")
    assert out.getvalue() == expected.read_text("utf-8")
