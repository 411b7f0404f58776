"""The check that every piece of evidence holds: nothing below `resolved.evidence` is made before it has passed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import asset_key
from pipelines.validate.evidence.check import (
    DOCUMENT_COLUMNS,
    EVIDENCE,
    EVIDENCE_COLUMNS,
    KINDS,
    Checked,
    check_evidence,
)
from pipelines.warehouse import Tables

HOLDS = "holds"


@dg.asset_check(
    name=HOLDS,
    asset=asset_key(EVIDENCE),
    additional_deps=[asset_key(name) for name in (DOCUMENTS.full_name, *KINDS)],
    blocking=True,
    description="Every stored document, opened again at the evidence, prints the text, and the text gives the value.",
)
def evidence_holds(folders: Folders) -> dg.AssetCheckResult:
    """Read all evidence again in the stored documents."""
    started = time.perf_counter()
    checked = check_tables(folders.tables, folders.raw_path)
    metadata: dict[str, Any] = {
        **({"reason": checked.reason} if checked.faults else {}),
        "places": checked.places,
        "documents": checked.documents,
        **{f"rows of {name}": rows for name, rows in checked.rows.items()},
        "seconds": round(time.perf_counter() - started, 4),
    }
    return dg.AssetCheckResult(passed=not checked.faults, metadata=metadata)


def check_tables(tables: Tables, raw: Path) -> Checked:
    """Check the evidence of the tables as they were written."""
    return check_evidence(
        _rows(tables, EVIDENCE, EVIDENCE_COLUMNS),
        {name: _rows(tables, name, kind.columns) for name, kind in KINDS.items()},
        _rows(tables, DOCUMENTS.full_name, DOCUMENT_COLUMNS),
        raw,
    )


def _rows(tables: Tables, name: str, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(tables.path(name), columns=list(columns)).to_pylist()
    return rows


CHECKS = [evidence_holds]
