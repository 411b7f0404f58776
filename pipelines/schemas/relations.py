"""The tables of relations between printed numbers: all of them, and those that do not hold."""

from __future__ import annotations

from pipelines.schemas.table import Table

RELATION = "check_name document_id evidence_id line holds expected_low? expected_high? printed unit? inputs reason"


TABLES = (
    Table(
        "audit",
        "relations",
        "Relations between printed numbers that were checked, those that hold and those that do not.",
        "one row per relation and printed number",
        f"relation_id {RELATION}",
        key=("relation_id",),
    ),
    Table(
        "audit",
        "discrepancies",
        "Relations between printed numbers that do not hold.",
        "one row per relation and printed number",
        f"relation_id {RELATION.replace(' holds', '')} known_error?",
        key=("relation_id",),
    ),
)
