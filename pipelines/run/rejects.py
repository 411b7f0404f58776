"""What a build refuses: rows of this run and of earlier ones, since when a reject is open, and
which have closed.

The memory is the published warehouse: a cache that was thrown away, or a build that was broken off,
changes nothing. Rejects never leave the engine; only the text by which one is known again is made
in Python, some rows at a time.
"""

from __future__ import annotations

import json
from datetime import datetime

import pyarrow as pa

from pipelines.run.working_copy import WorkingCopy
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.validate.quarantine import REFUSED
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import internal_query

REJECTS = "audit.rejects"
# What this build refuses, and what the published warehouse lists, open and closed.
REFUSED_NOW, FORMER_REJECTS = "internal.refused_now", "internal.former_rejects"
OPEN_REJECTS, CLOSED_REJECTS = (internal_query(name) for name in ("open_rejects", "closed_rejects"))
# Whose rejects are about the store itself.
STORE = "store"


def refused_rows(working: WorkingCopy) -> pa.Table:
    """What contracts and the store refuse: in this run, and before it of documents whose rows were
    not made again since.
    """
    parts = [REFUSED.empty_table(), *working.refused]
    if working.tables.holds(REJECTS):
        before = working.tables.query(internal_query("refused_before")).cast(REFUSED).to_pylist()
        kept = [row for row in before if row["document_id"] not in working.resolved]
        parts.append(pa.Table.from_pylist(kept, schema=REFUSED))
    return pa.concat_tables(parts)


def record_rejects(
    tables: Tables, refused: pa.Table, now: datetime, *, by_readers: bool = True
) -> None:
    """Let the queries of open and closed rejects name what contracts, the store and the readers
    refuse.
    """
    tables.write(REFUSED_NOW, refused.cast(arrow_schema(TABLES[REFUSED_NOW])))
    if by_readers:
        tables.execute(f"insert into {REFUSED_NOW} by name {internal_query('refused_by_readers')}")
    takes = ["varchar", "bigint", "bigint", "varchar", "varchar", "varchar"]
    tables.define("reject_text", _text, takes, "varchar")
    tables.execute(f"set variable build_time = timestamp '{now.isoformat(sep=' ')}'")


def _text(
    where: str,
    line: int | None,
    char_start: int | None,
    extractor: str,
    rule: str,
    stated: str | None,
) -> str:
    """What a reject is known again by, the same in every build: its place, its rule and its row."""
    row = json.loads(stated) if stated else None
    if isinstance(row, dict):
        # A column that is new, and has no value yet, does not make it another row.
        row = {name: value for name, value in sorted(row.items()) if value is not None}
    return json.dumps([where, line, char_start, extractor, rule, row], ensure_ascii=False)
