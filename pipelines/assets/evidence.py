"""The check that every piece of evidence holds: nothing below `resolved.evidence` is made before it has passed."""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import asset_key, seconds_since
from pipelines.tables import Tables
from pipelines.validate.evidence.check import (
    DOCUMENT_COLUMNS,
    EVIDENCE,
    EVIDENCE_COLUMNS,
    KINDS,
    Checked,
    check_evidence,
)

HOLDS = "holds"
# Documents whose rows are in memory at once.
_AT_ONCE = 200


@dg.asset_check(
    name=HOLDS,
    asset=asset_key(EVIDENCE),
    additional_deps=[asset_key(name) for name in (DOCUMENTS.full_name, *KINDS)],
    blocking=True,
    description="Every stored document, opened again at the evidence, prints the text, and the text gives the value. "
    "A build opens the documents that are new or have changed, and all of them when the code has, or with --again; "
    "executed alone the check opens all.",
)
def evidence_holds(folders: Folders) -> dg.AssetCheckResult:
    """Read the evidence again in the stored documents, of those that stand since it has held."""
    started = time.perf_counter()
    working = folders.working
    opened = working.waiting if working and working.store else None
    checked = check_tables(folders.tables, folders.raw_path, opened)
    if checked.faults and working:
        working.is_broken = True
    metadata: dict[str, Any] = {
        **({"reason": checked.reason} if checked.faults else {}),
        "places": folders.tables.row_count(EVIDENCE),
        "places opened now": checked.places,
        "documents opened now": checked.documents,
        **{f"rows of {name} read now": rows for name, rows in checked.rows.items()},
        "seconds": seconds_since(started),
    }
    return dg.AssetCheckResult(passed=not checked.faults, metadata=metadata)


def check_tables(tables: Tables, raw: Path, documents: Collection[str] | None = None) -> Checked:
    """Check the evidence of the tables as they were written.

    Args:
        tables: Where the rows are.
        raw: Folder of the stored documents.
        documents: Documents to open; by default all that are stored.
    """
    stored = tables.read(DOCUMENTS.full_name, DOCUMENT_COLUMNS).to_pylist()
    wanted = sorted({row["document_id"] for row in stored} if documents is None else documents)
    checked = Checked(rows=dict.fromkeys(KINDS, 0))
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        rows = {}
        for name, kind in KINDS.items():
            found = tables.read(name, kind.columns, some)
            rows[name] = (found.group_by([*kind.columns]).aggregate([]) if kind.is_repeated else found).to_pylist()
        checked += check_evidence(tables.read(EVIDENCE, EVIDENCE_COLUMNS, some).to_pylist(), rows, stored, raw)
    return checked


CHECKS = [evidence_holds]
