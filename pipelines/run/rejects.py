"""What a build refuses: rows of this run and of earlier ones, since when a reject is open, and
which have closed.

The memory is the published warehouse: a cache that was thrown away, or a build that was broken off,
changes nothing. Rejects never leave the engine; only the text by which one is known again is made
in Python, some rows at a time.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Any

import pyarrow as pa

from pipelines.run.canonical_rows import DOCUMENTS, EVIDENCE_RULE, resolved_in_order
from pipelines.run.row_cache import ACCOUNTING
from pipelines.run.working_copy import WorkingCopy
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.validate.evidence.check import EVIDENCE
from pipelines.validate.quarantine import REFUSED
from pipelines.warehouse.database import EXTRACTED, Tables
from pipelines.warehouse.queries import internal_query

REJECTS = "audit.rejects"
# What this build refuses, and what the published warehouse lists, open and closed.
REFUSED_NOW, FORMER_REJECTS = "internal.refused_now", "internal.former_rejects"
OPEN_REJECTS, CLOSED_REJECTS = (internal_query(name) for name in ("open_rejects", "closed_rejects"))
# Whose rejects are about the store itself.
STORE = "store"
# Those of readers, and of contracts of what they give, are beside the rows in the printed words.
_REFUSED_BEFORE = f"""
select document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json
from {REJECTS}
where
    extractor = '{STORE}'
    or rule = '{EVIDENCE_RULE}'
    or starts_with(rule, 'contract:') and not starts_with(rule, 'contract:{EXTRACTED}.')
"""
_STORED_OF_THESE = f"select document_id from {DOCUMENTS} semi join {REJECTS} using (document_id)"


@cache
def document_tables() -> tuple[str, ...]:
    """All tables that are made document by document."""
    return (*(table.full_name for table in ACCOUNTING), *resolved_in_order())


def refused_rows(working: WorkingCopy) -> pa.Table:
    """What contracts and the store refuse: in this run, and before it where nothing was made again
    since.
    """
    parts = [*working.refused]
    if working.tables.holds(REJECTS):
        before = working.tables.query(_REFUSED_BEFORE).cast(REFUSED).to_pylist()
        stored = (
            {*working.tables.query(_STORED_OF_THESE)["document_id"].to_pylist()}
            if before
            else set[str]()
        )
        parts.append(
            pa.Table.from_pylist(
                [row for row in before if _is_open(row, working, stored)], schema=REFUSED
            )
        )
    return pa.concat_tables(parts) if parts else REFUSED.empty_table()


def _is_open(row: dict[str, Any], working: WorkingCopy, stored: Collection[str]) -> bool:
    if row["extractor"] == STORE:
        return working.store is None
    full_name = EVIDENCE if row["rule"] == EVIDENCE_RULE else row["rule"].removeprefix("contract:")
    if full_name in document_tables():
        return row["document_id"] in stored and row["document_id"] not in working.made.get(
            full_name, ()
        )
    return full_name not in working.made


def record_rejects(
    tables: Tables, refused: pa.Table, now: datetime, *, by_readers: bool = True
) -> None:
    """Let the queries of open and closed rejects name what contracts, the store and the readers
    refuse.
    """
    tables.write(REFUSED_NOW, refused.cast(arrow_schema(TABLES[REFUSED_NOW])))
    if by_readers:
        tables.execute(f"insert into {REFUSED_NOW} by name {internal_query('refused_by_readers')}")
    tables.define(
        "reject_text",
        _texts,
        ["varchar", "bigint", "bigint", "varchar", "varchar", "varchar"],
        "varchar",
    )
    tables.execute(f"set variable build_time = timestamp '{now.isoformat(sep=' ')}'")


def _texts(
    where: pa.Array,
    line: pa.Array,
    char_start: pa.Array,
    extractor: pa.Array,
    rule: pa.Array,
    row_json: pa.Array,
) -> pa.Array:
    """What a reject is known again by, the same in every build: its place, its rule and its row."""
    texts = []
    for *place, stated in zip(
        *(c.to_pylist() for c in (where, line, char_start, extractor, rule, row_json)), strict=True
    ):
        row = json.loads(stated) if stated else None
        if isinstance(row, dict):
            # A column that is new, and has no value yet, does not make it another row.
            row = {name: value for name, value in sorted(row.items()) if value is not None}
        texts.append(json.dumps([*place, row], ensure_ascii=False))
    return pa.array(texts, pa.string())
