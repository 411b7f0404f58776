"""A build without Dagster: nothing is recorded, and what stops it is an outcome.

What Dagster makes of the steps (runs, events, checks in the UI) is tested where a test says
`run_build` itself.
"""

from __future__ import annotations

from pathlib import Path

from benchledger.job import Outcome
from pipelines.run.steps import build


def plain_build(raw_folder: Path, warehouse: Path) -> Outcome:
    """Build a warehouse, and say what stopped it."""
    try:
        built = build(raw_folder, warehouse)
    except Exception as error:
        # As Dagster does with whatever a step raises.
        return Outcome(faults=[str(error)])
    return Outcome(
        success=True,
        warnings=built.warnings,
        documents_read=built.documents_read,
        documents_known=built.documents_known,
    )
