"""What the lines of a log say. Rows are made in `training_log`, `program_log` and `mlperf_training`."""

from __future__ import annotations

import json

from pipelines.extract.rows import Reject
from pipelines.read.document import Cell


def rejected(cell: Cell, rule: str, reason: str, scope: str = "row") -> Reject:
    """What of a log gives no row: its place, the rule, and the sentence a user reads; `scope` is what is lost."""
    return Reject(
        cell=cell, rule=rule, reason=reason, scope=scope, row_json=json.dumps({"text": cell.text}, ensure_ascii=False)
    )
