"""Columns about relations between printed numbers, and those that do not hold."""

from __future__ import annotations

from pipelines.schemas.column import ID, Column

COLUMNS = (
    Column("relation_id", "text", "identifier of the relation at its place", pattern=ID),
    Column("check_name", "text", "which relation between printed numbers is meant"),
    Column(
        "holds", "flag", "true where the printed number lies within the expected ones, rounding and tolerance allowed"
    ),
    Column("expected_low", "number", "least number that the other printed numbers allow at this place"),
    Column("expected_high", "number", "greatest number that the other printed numbers allow at this place"),
    Column("printed", "number", "number printed at this place, in the unit of the column unit"),
    Column(
        "inputs", "texts", "what it was compared with: places (evidence_id) of numbers, or a drawn bar (chart_value_id)"
    ),
    Column("known_error", "text", "known error of the source that names this number, by its name in corrections.yml"),
)
