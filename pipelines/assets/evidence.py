"""The check that every piece of evidence holds: nothing below `resolved.evidence` is made before it has passed."""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import asset_key
from pipelines.made_from import forget
from pipelines.validate.evidence.check import (
    DOCUMENT_COLUMNS,
    EVIDENCE,
    EVIDENCE_COLUMNS,
    KINDS,
    Checked,
    check_evidence,
)
from pipelines.validate.evidence.proofs import Digests, proven, remember_proofs
from pipelines.warehouse import SQL_FOLDER, Tables, run_sql

HOLDS = "holds"
_DIGESTS = SQL_FOLDER / "commands" / "evidence_digests.sql"


@dg.asset_check(
    name=HOLDS,
    asset=asset_key(EVIDENCE),
    additional_deps=[asset_key(name) for name in (DOCUMENTS.full_name, *KINDS)],
    blocking=True,
    description="Every stored document, opened again at the evidence, prints the text, and the text gives the value. "
    "A document whose bytes and rows have held before, under the same code, is opened again by `build --again` only.",
)
def evidence_holds(folders: Folders) -> dg.AssetCheckResult:
    """Read the evidence again in the stored documents, where it has not held before."""
    started = time.perf_counter()
    tables = folders.tables
    known = proven(tables.folder)
    digests: Digests = {
        row["document_id"]: row["digest"] for row in run_sql(_DIGESTS.read_text("utf-8"), tables).to_pylist()
    }
    unproven = [document for document, digest in digests.items() if known.get(document) != digest]
    checked = check_tables(tables, folders.raw_path, unproven)
    if checked.faults:
        forget((EVIDENCE, *KINDS), tables)
    elif digests != known:
        remember_proofs(tables.folder, digests)
    metadata: dict[str, Any] = {
        **({"reason": checked.reason} if checked.faults else {}),
        "places": tables.row_count(EVIDENCE),
        "places opened now": checked.places,
        "documents opened now": checked.documents,
        **{f"rows of {name} read now": rows for name, rows in checked.rows.items()},
        "seconds": round(time.perf_counter() - started, 4),
    }
    return dg.AssetCheckResult(passed=not checked.faults, metadata=metadata)


def check_tables(tables: Tables, raw: Path, documents: Collection[str | None] | None = None) -> Checked:
    """Check the evidence of the tables as they were written.

    Args:
        tables: Where the rows are.
        raw: Folder of the stored documents.
        documents: Documents to open; by default all. Rows that point at no evidence are found in any case.
    """
    evidence = pq.read_table(tables.path(EVIDENCE), columns=list(EVIDENCE_COLUMNS))
    all_places, chosen = evidence["evidence_id"], evidence
    if documents is not None:
        chosen = evidence.filter(pc.is_in(evidence["document_id"], pa.array([*documents], pa.string())))
    places = chosen["evidence_id"]
    rows = {}
    for name, kind in KINDS.items():
        found = pq.read_table(tables.path(name), columns=list(kind.columns))
        at = found["evidence_id"]
        is_concerned = pc.or_(pc.is_in(at, places), pc.invert(pc.is_in(at, all_places)))
        concerned = found.filter(is_concerned)
        rows[name] = (concerned.group_by([*kind.columns]).aggregate([]) if kind.is_repeated else concerned).to_pylist()
    stored = pq.read_table(tables.path(DOCUMENTS.full_name), columns=list(DOCUMENT_COLUMNS)).to_pylist()
    return check_evidence(chosen.to_pylist(), rows, stored, raw)


CHECKS = [evidence_holds]
