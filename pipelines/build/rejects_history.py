"""What was refused, build after build: which rejects are open, since when, and which have closed.

The memory is the published warehouse: a cache that was thrown away, or a build that was broken off, changes nothing.
Rejects never leave the engine; only the text by which one is known again is made in Python, some rows at a time.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pyarrow as pa

from pipelines.build.tables import Tables
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES

# What this build refuses, and what the published warehouse lists, open and closed.
REFUSED_NOW, FORMER_REJECTS = "internal.refused_now", "internal.former_rejects"
OPEN_REJECTS = """
with placed as (
    select r.* replace (coalesce(r.path, d.path) as path)
    from internal.refused_now as r
    left join raw.documents as d on r.document_id = d.document_id
),

worded as (
    select
        *,
        reject_text(coalesce(document_id, path), line, char_start, extractor, rule, row_json) as text
    from placed
),

-- The same thing refused twice at one place, as far as can be told, is counted.
identified as (
    select
        *,
        row_number() over (partition by text order by path, char_end, reason, scope, row_json) as number,
        substr(sha256(text || ' ' || number), 1, 16) as reject_id
    from worded
)

select
    i.reject_id,
    i.document_id,
    i.path,
    i.line,
    i.char_start,
    i.char_end,
    i.extractor,
    i.rule,
    i.reason,
    i.scope,
    i.row_json,
    coalesce(f.first_seen, getvariable('build_time')) as first_seen
from identified as i
left join internal.former_rejects as f on i.reject_id = f.reject_id
order by
    coalesce(i.path, ''),
    coalesce(i.line, 0),
    coalesce(i.char_start, 0),
    i.rule,
    i.reason,
    coalesce(i.row_json, ''),
    i.reject_id
"""
CLOSED_REJECTS = """
select
    f.* replace (
        coalesce(f.closed_at, getvariable('build_time')) as closed_at,
        coalesce(
            f.closed_because,
            case
                when f.extractor <> 'store' and f.document_id is not null and d.document_id is null
                    then 'document_removed'
                else 'no_longer_refused'
            end
        ) as closed_because
    )
from internal.former_rejects as f
left join raw.documents as d on f.document_id = d.document_id
anti join audit.rejects as r on f.reject_id = r.reject_id
order by closed_at, coalesce(f.path, ''), coalesce(f.line, 0), f.reject_id
"""
_REFUSED_BY_READERS = f"""
insert into {REFUSED_NOW} by name
select
    r.document_id, d.path, r.line, r.char_start, r.char_end, r.extractor, r.rule, r.reason, r.scope, r.row_json
from extracted.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
union all
select
    document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json
from extracted.refused
"""


def take_up_refused(tables: Tables, refused: pa.Table, now: datetime, *, by_readers: bool = True) -> None:
    """Let the queries of this module name what this build refuses.

    Args:
        tables: With `internal.former_rejects`.
        refused: What contracts and the store refuse.
        now: The time of this build, UTC.
        by_readers: Whether what the readers refuse is there, and counts, too.
    """
    tables.write(REFUSED_NOW, refused.cast(arrow_schema(TABLES[REFUSED_NOW])))
    if by_readers:
        tables.execute(_REFUSED_BY_READERS)
    tables.define("reject_text", _texts, ["varchar", "bigint", "bigint", "varchar", "varchar", "varchar"], "varchar")
    tables.execute(f"set variable build_time = timestamp '{now.isoformat(sep=' ')}'")


def _texts(
    where: pa.Array, line: pa.Array, char_start: pa.Array, extractor: pa.Array, rule: pa.Array, row_json: pa.Array
) -> pa.Array:
    """What a reject is known again by, the same in every build: its place, its rule and its row."""
    places = zip(*(column.to_pylist() for column in (where, line, char_start, extractor, rule)), strict=True)
    return pa.array(
        [
            json.dumps([*place, _without_nulls(row)], ensure_ascii=False)
            for place, row in zip(places, row_json.to_pylist(), strict=True)
        ],
        pa.string(),
    )


def _without_nulls(row_json: str | None) -> Any:
    """The row as it is compared: a column that is new, and has no value yet, does not make it another row."""
    row = json.loads(row_json) if row_json else None
    return {name: value for name, value in sorted(row.items()) if value is not None} if isinstance(row, dict) else row
