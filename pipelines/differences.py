"""What changed between two builds, or between two days of one ledger. How it is printed does not belong here."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa

from pipelines.publication import PREVIOUS_FILE
from pipelines.warehouse import FILE_NAME, SQL_FOLDER, WarehouseError, query_file, query_frames

_COLUMNS = "benchmark_key, model, platform, task, metric, sdk_version, sdk_order, value, unit"
_STANDING = f"select {_COLUMNS} from main.current_results"
_STANDING_ON = f"select {_COLUMNS} from main.results_as_of($1)"


def differences(warehouse: Path, before: str | None = None, after: str | None = None) -> pa.Table:
    """The benchmarks whose standing result differs, one row each.

    Args:
        warehouse: Folder of the published warehouse.
        before: A day such as `2023-07-04`, or a warehouse file; by default the build before the last.
        after: The same; by default the last build.

    Raises:
        WarehouseError: A file is not there, or what is given is neither a day nor a file.
    """
    frames = {
        "before": _standing(warehouse, before, warehouse / PREVIOUS_FILE),
        "after": _standing(warehouse, after, warehouse / FILE_NAME),
    }
    return query_frames((SQL_FOLDER / "commands" / "diff.sql").read_text("utf-8"), frames)


def _standing(warehouse: Path, which: str | None, default: Path) -> pa.Table:
    if which is None:
        if default.name == PREVIOUS_FILE and not default.exists():
            raise WarehouseError("there is no earlier build to compare with yet; give a day, or a warehouse file")
        return query_file(default, _STANDING)
    try:
        day = date.fromisoformat(which)
    except ValueError:
        path = Path(which)
        if not path.is_file():
            raise WarehouseError(f"{which} is neither a day such as 2023-07-04 nor a warehouse file") from None
        return query_file(path, _STANDING)
    return query_file(warehouse / FILE_NAME, _STANDING_ON, [day])
