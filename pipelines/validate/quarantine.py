"""Rows that fail their contract are set aside with the reason; a frame that fails stops the build."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.exceptions import BenchledgerError
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.validate.screening import repeated_keys, suspects

# Failures of the frame as a whole, by pandera's names for them.
_FRAME_CHECKS = frozenset(
    {"column_in_schema", "column_in_dataframe", "column_ordered", "field_name", "multiindex_unique"}
)

# What a table refuses: a reject before it has an identifier and a day (`run/rejects.py`).
_ADDED_LATER = ("reject_id", "first_seen")
REFUSED = pa.schema(
    [one for one in arrow_schema(TABLES["audit.rejects"]) if one.name not in _ADDED_LATER]
)

# In a small table a share means little: this many rows may always be refused.
_FEW = 3


class ContractError(BenchledgerError):
    """A frame that breaks its table's contract as a whole; the message names table and reason.

    Attributes:
        table: Full name of the table.
    """

    def __init__(self, table: Table, message: str) -> None:
        super().__init__(f"{table.full_name}{message}")
        self.table = table.full_name


class Quarantined(NamedTuple):
    """A frame parted by its contract.

    Attributes:
        valid: The rows that may enter the table.
        rejects: One row per refused row: document, place, `extractor`, `rule`, `reason`, `scope`,
            `row_json`.
    """

    valid: pa.Table
    rejects: list[dict[str, Any]]


def quarantine(rows: pa.Table, table: Table, *, inputs_have_rows: bool = False) -> Quarantined:
    """Part all rows of a table by its contract.

    Args:
        rows: The frame, with the Arrow schema of the table.
        table: Whose contract it shall meet.
        inputs_have_rows: Whether the table it is made from has rows; an empty frame is then a
            fault.

    Raises:
        ContractError: A column is missing or of another type, the frame is empty though its input
            is not, or more than `table.rejects_up_to` of the rows fail.
    """
    parted = part(rows, table)
    refuse_share(table, parted.rejects, rows.num_rows)
    if rows.num_rows == 0 and inputs_have_rows:
        raise ContractError(table, f" has no rows although {table.filled_with} has some")
    return parted


def part(rows: pa.Table, table: Table) -> Quarantined:
    """Part some rows of a table by its contract, however many fail.

    Raises:
        ContractError: A column is missing or of another type.
    """
    failures: dict[int, list[str]] = defaultdict(list)
    doubtful = suspects(rows, table)
    if doubtful:
        for place, reasons in _faults(rows.take(doubtful), table).items():
            failures[doubtful[place]] += reasons
    for number in repeated_keys(rows, table.key):
        failures[number].append(f"{' + '.join(table.key)}: another row has the same key")
    if not failures:
        return Quarantined(rows, [])
    broken = sorted(failures)
    refused = []
    for number, row in zip(broken, rows.take(broken).to_pylist(), strict=True):
        refused.append(_reject(row, table, failures[number]))
    is_kept = [number not in failures for number in range(rows.num_rows)]
    return Quarantined(rows.filter(is_kept), refused)


def _faults(rows: pa.Table, table: Table) -> dict[int, list[str]]:
    """What is wrong with each row, by its number.

    Raises:
        ContractError: A column is missing or of another type.
    """
    # Imported where a row is doubtful, which few are.
    import pandas as pd
    from pandera.errors import SchemaErrors

    from pipelines.validate.contracts import contract

    failures: dict[int, list[str]] = defaultdict(list)
    try:
        contract(table).validate(rows.to_pandas(types_mapper=pd.ArrowDtype), lazy=True)
    except SchemaErrors as errors:
        for case in errors.failure_cases.to_dict("records"):
            if case["index"] is None or pd.isna(case["index"]) or case["check"] in _FRAME_CHECKS:
                raise ContractError(
                    table,
                    f": {case['column'] or 'the frame'} fails {case['check']}: {case['failure_case']}",
                ) from errors
            row = int(case["index"])
            reason = case["check"]
            if case["schema_context"] == "Column":
                reason = f"{case['column']}: {case['failure_case']!r} {reason}"
            if reason not in failures[row]:
                failures[row].append(reason)
    return failures


def valid_and_refused(rows: pa.Table, table: Table) -> tuple[pa.Table, pa.Table]:
    """The rows of a table that meet its contract, and a reject for each other one; see `part`."""
    parted = part(rows, table)
    return parted.valid, pa.Table.from_pylist(parted.rejects, schema=REFUSED)


def refuse_share(table: Table, rejects: Sequence[dict[str, Any]], rows: int) -> None:
    """Refuse a table of which too many rows fail: `rejects` of all its `rows`.

    Raises:
        ContractError: More than `table.rejects_up_to` of the rows fail.
    """
    if len(rejects) > allowed_rejects(table, rows) or (len(rejects) == rows > _FEW):
        raise ContractError(
            table,
            f": {len(rejects)} of {rows} rows fail the contract, "
            f"more than the {table.rejects_up_to:.0%} allowed; the first: {rejects[0]['reason']}",
        )


def allowed_rejects(table: Table, rows: int) -> float:
    """How many of so many rows of a table may fail its contract."""
    return max(_FEW, table.rejects_up_to * rows) if table.rejects_up_to else 0


def rule_of(table: Table) -> str:
    """The rule under which rows are rejected that break the contract of a table."""
    return f"contract:{table.full_name}"


def _reject(row: dict[str, Any], table: Table, reasons: list[str]) -> dict[str, Any]:
    place = {name: row.get(name) for name in ("document_id", "line", "char_start", "char_end")}
    return place | {
        "extractor": row.get("extractor") or table.full_name,
        "rule": rule_of(table),
        "reason": "; ".join(reasons),
        "scope": "row",
        "row_json": json.dumps(row, ensure_ascii=False, default=str),
    }
