"""Arrow doubts the rows that pandera refuses, and no others."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest

from pipelines.extract.rows import EXTRACTED_TABLES
from pipelines.schemas.columns import Column
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.validate.quarantine import part
from pipelines.validate.screening import repeated_keys, suspects

# Together they have every type, limit and relation.
TABLES_TESTED = ("extracted.claims", "extracted.prices", "resolved.results")
ROWS = 20
OF_A_TYPE: dict[str, list[Any]] = {
    "text": ["a" * 64, "b" * 16, "acme/results", "v1.0", "a_b", "", "a\n", "a" * 64 + "\n", "é"],
    "integer": [-1, 0, 1, 10**12],
    "number": [-1.5, -0.0, 0.0, 2.0, float("nan"), float("inf"), float("-inf")],
    "flag": [True, False],
    "date": [date(2024, 1, 1)],
    "timestamp": [datetime(2024, 1, 1)],
    "texts": [[], ["a"], [None]],
    "integers": [[], [1]],
    "map": [[], [("a", "b")]],
}


def value(column: Column, chance: random.Random, damage: float) -> Any:
    """A value that the column may have, or any of its type, or null."""
    if chance.random() < damage:
        return chance.choice([None, *OF_A_TYPE[column.type]])
    if column.one_of:
        return chance.choice([*column.one_of])
    if column.pattern:
        return "acme/results" if "/" in column.pattern else "a" * 64
    return 2 if column.type in ("integer", "number") else chance.choice(OF_A_TYPE[column.type])


def row(table: Table, chance: random.Random, damage: float) -> dict[str, Any]:
    found = {column.name: value(column, chance, damage) for column in table.columns}
    if "text_printed" in found and chance.random() > damage:
        found |= {"char_start": 1, "char_end": 3, "text_printed": "ab"}
    return found


@pytest.mark.parametrize("name", TABLES_TESTED)
def test_pandera_refuses_what_is_doubtful_and_nothing_else(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, chance = (TABLES | EXTRACTED_TABLES)[name], random.Random(name)
    shares = (0, 0.02, 0.3)
    rows = [row(table, chance, damage) for damage in shares for _ in range(ROWS)]
    frame = pa.Table.from_pylist(rows, schema=arrow_schema(table))
    doubtful = suspects(frame, table)
    assert ROWS < len(doubtful) < len(rows)
    expected = part(frame, table)
    monkeypatch.setattr(
        "pipelines.validate.quarantine.suspects", lambda rows, table: [*range(rows.num_rows)]
    )
    found = part(frame, table)
    # A number that is none is not equal to itself.
    assert found.rejects == expected.rejects
    assert str(found.valid.to_pylist()) == str(expected.valid.to_pylist())
    refused = frame.num_rows - found.valid.num_rows
    assert refused == len({*doubtful, *repeated_keys(frame, table.key)})


def test_a_row_repeats_a_key_that_stands_before_it() -> None:
    rows = pa.table({"a": [None, 1, None, 1, 2], "b": ["x", "y", "x", "z", "y"]})
    assert repeated_keys(rows, ("a", "b")) == [2]
    assert repeated_keys(rows, ("a",)) == [2, 3]
    assert repeated_keys(rows, ()) == []


def test_right_rows_are_checked_without_pandera(monkeypatch: pytest.MonkeyPatch) -> None:
    table = EXTRACTED_TABLES["extracted.prices"]
    frame = pa.Table.from_pylist([row(table, random.Random(1), 0)], schema=arrow_schema(table))
    monkeypatch.setitem(sys.modules, "pandera.errors", None)
    assert part(frame, table).valid == frame


def test_a_list_is_taken_without_pandas_and_a_frame_made_with_it() -> None:
    code = (
        "import sys; from pipelines.validate.screening import leave_pandas_out; leave_pandas_out()\n"
        "import pyarrow as pa; rows = pa.Table.from_pylist([{'a': 1}, {'a': None}])\n"
        "assert 'pandas' not in sys.modules\n"
        "frame = rows.to_pandas(); assert pa.Table.from_pandas(frame)['a'].null_count == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
