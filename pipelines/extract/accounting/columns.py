"""The accounting of documents as the tables `audit.line_ledger` and `audit.numerals`, column by column."""

from __future__ import annotations

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


def numerals(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per numeral of these documents, given as (document_id, accounting)."""
    schema = arrow_schema(NUMERALS)
    parts = [
        pa.table(
            [
                pa.repeat(document_id, len(accounting.lines)),
                pa.array(accounting.lines, pa.int64()),
                pa.array([start for start, _ in accounting.spans], pa.int64()),
                pa.array([end for _, end in accounting.spans], pa.int64()),
                pa.array(accounting.texts, pa.string()),
                pa.array([status for status, _ in accounting.statuses], pa.string()),
                pa.array([rule for _, rule in accounting.statuses], pa.string()),
            ],
            schema=schema,
        )
        for document_id, accounting in documents
    ]
    return pa.concat_tables(parts) if parts else schema.empty_table()
