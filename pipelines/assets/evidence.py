"""The check that every piece of evidence holds: what does not is refused before anything below it is made."""

from __future__ import annotations

import time
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import asset_key, seconds_since
from pipelines.build.canonical_rows import check_evidence_of
from pipelines.validate.evidence.check import EVIDENCE, KINDS, Checked

HOLDS = "holds"


@dg.asset_check(
    name=HOLDS,
    asset=asset_key(EVIDENCE),
    additional_deps=[asset_key(name) for name in (DOCUMENTS.full_name, *KINDS)],
    blocking=True,
    description="Every stored document, opened again at the evidence, prints the text, and the text gives the value. "
    "A build opens the documents that are new or have changed, and all of them when the code has, or with --again; "
    "it refuses those that do not hold, warns, and goes on without them. Executed alone the check opens all.",
)
def evidence_holds(folders: Folders) -> dg.AssetCheckResult:
    """What was found when documents were opened again at their evidence; in a run that has opened none, open all."""
    started = time.perf_counter()
    working = folders.working
    if working and (working.evidence or working.store):
        # Where no document waited, none was opened.
        checked = working.evidence or Checked(rows=dict.fromkeys(KINDS, 0))
    else:
        checked = check_evidence_of(folders.tables, folders.raw_path)
    # A build has refused the documents that do not hold, and goes on without them.
    is_refused = working is not None and working.evidence is not None and None not in checked.by_document
    if checked.faults and working and not is_refused:
        working.is_broken = True
    metadata: dict[str, Any] = {
        **({"reason": checked.reason} if checked.faults else {}),
        "places": folders.tables.row_count(EVIDENCE),
        "places opened now": checked.places,
        "documents opened now": checked.documents,
        **{f"rows of {name} read now": rows for name, rows in checked.rows.items()},
        "seconds": seconds_since(started),
    }
    severity = dg.AssetCheckSeverity.WARN if is_refused else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(passed=not checked.faults, severity=severity, metadata=metadata)


CHECKS = [evidence_holds]
