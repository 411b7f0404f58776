"""Whether a source that answers still prints results, as of the last build.

When a source was seen, and when it is due, is in `ingest/registry.py`.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from pipelines.warehouse.queries import internal_query
from pipelines.warehouse.reader import WarehouseError, query_published

LOST = internal_query("lost_results")


def losses(rows: pa.Table) -> dict[str, str]:
    """What sources have lost, by their names: the rows of `LOST` in words."""
    return {
        row["source"]: f"0 results of {row['results_before']} since {row['lost_at']:%Y-%m-%d}"
        for row in rows.to_pylist()
    }


def published_losses(warehouse: Path) -> dict[str, str]:
    """What sources have lost; nothing where no warehouse is published."""
    try:
        return losses(query_published(warehouse, LOST))
    except WarehouseError:
        return {}
