"""What changed between two builds, or between two days of one ledger. How it is printed does not belong here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa

from pipelines.publication import PREVIOUS_FILE, STANDING_RESULTS
from pipelines.warehouse import FILE_NAME, SQL_FOLDER, WarehouseError, query_file, query_frames

_STANDING_ON = STANDING_RESULTS.replace("main.current_results", "main.results_as_of($1)")


@dataclass(frozen=True)
class Standing:
    """The results that stood once.

    Attributes:
        name: Which they are: `previous.duckdb of 2026-11-20 10:03 UTC`, `the day 2023-07-04`.
        rows: One row per benchmark.
    """

    name: str
    rows: pa.Table


def differences(before: Standing, after: Standing) -> pa.Table:
    """The benchmarks whose standing result differs, one row each."""
    query = (SQL_FOLDER / "commands" / "diff.sql").read_text("utf-8")
    return query_frames(query, {"before": before.rows, "after": after.rows})


def standing(warehouse: Path, which: str | None, default: str) -> Standing:
    """The results of a build or a day.

    Args:
        warehouse: Folder of the published warehouse.
        which: A day such as `2023-07-04`, or a warehouse file.
        default: The file in the folder where neither is given: the published one, or the one before its last change.

    Raises:
        WarehouseError: A file is not there, or what is given is neither a day nor a file.
    """
    if which is None:
        path = warehouse / default
        if default == PREVIOUS_FILE and not path.exists():
            raise WarehouseError("there is no earlier build to compare with yet; give a day, or a warehouse file")
        return _of_file(path)
    try:
        day = date.fromisoformat(which)
    except ValueError:
        if not Path(which).is_file():
            raise WarehouseError(f"{which} is neither a day such as 2023-07-04 nor a warehouse file") from None
        return _of_file(Path(which))
    return Standing(f"the day {day}", query_file(warehouse / FILE_NAME, _STANDING_ON, [day]))


def _of_file(path: Path) -> Standing:
    rows = query_file(path, STANDING_RESULTS)
    built = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return Standing(f"{path.name} of {built:%Y-%m-%d %H:%M} UTC", rows)
