"""Rows that fail their contract are set aside with the reason; a frame that fails stops the build."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd
import pandera.errors
import pyarrow as pa

from pipelines.schemas.tables import Table
from pipelines.validate.contracts import KEY, contract, requirements

# Failures of the frame as a whole, by pandera's names for them.
_FRAME_CHECKS = frozenset(
    {"column_in_schema", "column_in_dataframe", "column_ordered", "field_name", "multiindex_unique"}
)


# In a small frame a share says little: so many rows may be refused in any table that may refuse some.
_FEW = 3


class ContractError(Exception):
    """A frame that breaks its table's contract as a whole; the message names table and reason.

    Attributes:
        reasons: By name of the broken requirement, a reason for each row; empty where it is not about single rows.
    """

    def __init__(self, message: str, reasons: dict[str, list[str]] | None = None) -> None:
        super().__init__(message)
        self.reasons = reasons or {}


class _Failure(NamedTuple):
    requirement: str
    reason: str


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A frame parted by its contract.

    Attributes:
        valid: The rows that may enter the table.
        rejects: One row per refused row: document, place, `extractor`, `rule`, `reason`, `scope`, `row_json`.
        reasons: By name of the requirement that was broken, a reason for each row that breaks it.
    """

    valid: pa.Table
    rejects: list[dict[str, Any]] = field(default_factory=list)
    reasons: dict[str, list[str]] = field(default_factory=dict)


def quarantine(rows: pa.Table, table: Table, *, inputs_have_rows: bool = False) -> Quarantined:
    """Part the rows of a frame by the contract of its table.

    Args:
        rows: The frame, with the Arrow schema of the table.
        table: Whose contract it shall meet.
        inputs_have_rows: Whether the table it is made from has rows; an empty frame is then a fault.

    Raises:
        ContractError: A column is missing or of another type, the frame is empty though its input is not, or more than
            `table.rejects_up_to` of the rows fail.
    """
    if rows.num_rows == 0:
        if inputs_have_rows:
            raise ContractError(f"{table.full_name} has no rows although {table.filled_with} has some")
        return Quarantined(rows)
    frame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    failures = _failures(frame, table)
    for row in _repeated_keys(frame, table):
        failures[row].append(_Failure(KEY, f"{' + '.join(table.key)}: another row has the same key"))
    if not failures:
        return Quarantined(rows)
    reasons = _by_requirement(failures)
    allowed = max(_FEW, table.rejects_up_to * rows.num_rows) if table.rejects_up_to else 0
    if len(failures) > allowed or (len(failures) == rows.num_rows > _FEW):
        first = next(iter(failures.values()))[0].reason
        raise ContractError(
            f"{table.full_name}: {len(failures)} of {rows.num_rows} rows break the contract, "
            f"more than the {table.rejects_up_to:.0%} allowed; the first: {first}",
            reasons,
        )
    kept = [index for index in range(rows.num_rows) if index not in failures]
    refused = [
        _reject(rows.slice(index, 1).to_pylist()[0], table, [failure.reason for failure in failed])
        for index, failed in sorted(failures.items())
    ]
    return Quarantined(rows.take(pa.array(kept, pa.int64())), refused, reasons)


def _by_requirement(failures: dict[int, list[_Failure]]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for _, failed in sorted(failures.items()):
        for requirement, reason in failed:
            reasons.setdefault(requirement, []).append(reason)
    return reasons


def _failures(frame: pd.DataFrame, table: Table) -> dict[int, list[_Failure]]:
    """What is wrong with each row, by its number."""
    failures: dict[int, list[_Failure]] = defaultdict(list)
    names = {asked.fault: asked.name for asked in requirements(table) if asked.fault}
    try:
        contract(table).validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as errors:
        for case in errors.failure_cases.to_dict("records"):
            if case["index"] is None or pd.isna(case["index"]) or case["check"] in _FRAME_CHECKS:
                raise ContractError(
                    f"{table.full_name}: {case['column'] or 'the frame'} fails {case['check']}: {case['failure_case']}"
                ) from errors
            row = int(case["index"])
            if case["schema_context"] == "Column":
                found = _Failure(case["column"], f"{case['column']}: {case['failure_case']!r} {case['check']}")
            else:
                found = _Failure(names[case["check"]], f"row: {case['check']}")
            if found not in failures[row]:
                failures[row].append(found)
    return failures


def _repeated_keys(frame: pd.DataFrame, table: Table) -> list[int]:
    """Numbers of the rows whose key an earlier row has; pandera would name them all, the first one too."""
    if not table.key:
        return []
    repeated = frame.duplicated(subset=list(table.key), keep="first")
    return [int(row) for row in repeated.to_numpy().nonzero()[0]]


def _reject(row: dict[str, Any], table: Table, reasons: list[str]) -> dict[str, Any]:
    return {
        "document_id": row.get("document_id"),
        "line": row.get("line"),
        "char_start": row.get("char_start"),
        "char_end": row.get("char_end"),
        "extractor": row.get("extractor") or table.full_name,
        "rule": f"contract:{table.full_name}",
        "reason": "; ".join(reasons),
        "scope": "row",
        "row_json": json.dumps(row, ensure_ascii=False, default=str),
    }
