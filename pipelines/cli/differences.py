"""What changed between two builds, or between two days of one ledger. How it is printed does not
belong here.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.settings import PREVIOUS_FILE
from pipelines.warehouse.queries import command_query, command_rows
from pipelines.warehouse.reader import (
    FILE_NAME,
    WarehouseError,
    query_frames,
)

# In the order in which a reader wants to know.
_TITLES = {
    "restated": "Restated",
    "new release": "Under a new release",
    "earlier release": "Back to an earlier release",
    "added": "New",
    "removed": "Withdrawn",
}


class Standing(NamedTuple):
    """The results that stood once, one row per benchmark, and the claims with their verdicts.

    `name` says when: `previous.duckdb of 2026-11-20 10:03 UTC`, `the day 2023-07-04`.
    """

    name: str
    rows: pa.Table
    claims: pa.Table


def differences(before: Standing, after: Standing) -> pa.Table:
    """The benchmarks whose standing result differs, one row each."""
    return _compared("diff", before.rows, after.rows)


def _compared(query: str, before: pa.Table, after: pa.Table) -> pa.Table:
    text = command_query(query)
    return query_frames(text, {"before": before, "after": after})


def sections(before: Standing, after: Standing) -> dict[str, tuple[str, pa.Table]]:
    """What differs, for reading: title and rows of contradicted claims, other claims, and results
    by event.
    """
    claims = _compared("diff_claims", before.claims, after.claims)
    rows = differences(before, after)
    contradicted = pc.equal(claims["verdict"], "contradicted")
    parts = {
        "Contradicted claims": claims.filter(contradicted),
        "Other claims": claims.filter(pc.invert(contradicted)),
    }
    for event, title in _TITLES.items():
        of_event = rows.filter(pc.equal(rows["event"], event)).drop_columns(["event"])
        outliers = pc.sum(of_event["is_outlier"]).as_py() or 0
        parts[title + (f", {outliers} of them outliers" if outliers else "")] = of_event
    return {title: (f"{title}: {part.num_rows}", part) for title, part in parts.items()}


def standing(warehouse: Path, which: str | None, default: str) -> Standing:
    """The results of a build or a day.

    Raises:
        WarehouseError: A file is not there, or what is given is neither a day nor a file.
    """
    try:
        day = date.fromisoformat(which or "")
    except ValueError:
        day = None
    file = warehouse / (FILE_NAME if day else default)
    if which and not day:
        file = Path(which)
        if not file.is_file():
            words = f"{which} is neither a day such as 2023-07-04 nor a warehouse file"
            raise WarehouseError(words)
    elif file.name == PREVIOUS_FILE and not file.exists():
        raise WarehouseError(
            "there is no earlier build to compare with yet; give a day, or a warehouse file"
        )
    rows, claims = (command_rows(file, f"standing_{what}", [day]) for what in ("results", "claims"))
    if day:
        return Standing(f"the day {day}", rows, claims)
    built = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return Standing(f"{file.name} of {built:%Y-%m-%d %H:%M} UTC", rows, claims)
