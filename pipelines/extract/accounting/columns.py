"""The accounting of documents as the tables `audit.line_ledger` and `audit.numerals`, column by column."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import pyarrow as pa

from pipelines.extract.accounting.ledger import Accounting
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES

LINE_LEDGER, NUMERALS = TABLES["audit.line_ledger"], TABLES["audit.numerals"]


def line_ledger(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per line of these documents, given as (document_id, accounting)."""
    schema = arrow_schema(LINE_LEDGER)
    parts = [
        pa.table(
            [
                pa.repeat(document_id, len(accounting.roles)),
                pa.array(range(1, len(accounting.roles) + 1), pa.int64()),
                pa.array([role for role, _ in accounting.roles], pa.string()),
                pa.array([rule for _, rule in accounting.roles], pa.string()),
            ],
            schema=schema,
        )
        for document_id, accounting in documents
    ]
    return pa.concat_tables(parts) if parts else schema.empty_table()


def _whole_numbers(column: array[int]) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(column), [None, pa.py_buffer(column)])


def numerals(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per numeral of these documents, given as (document_id, accounting)."""
    schema = arrow_schema(NUMERALS)
    parts = [
        pa.table(
            [
                pa.repeat(document_id, len(accounting.lines)),
                _whole_numbers(accounting.lines),
                _whole_numbers(accounting.starts),
                _whole_numbers(accounting.ends),
                pa.array(accounting.texts, pa.string()),
                pa.array([status for status, _ in accounting.statuses], pa.string()),
                pa.array([rule for _, rule in accounting.statuses], pa.string()),
            ],
            schema=schema,
        )
        for document_id, accounting in documents
    ]
    return pa.concat_tables(parts) if parts else schema.empty_table()
