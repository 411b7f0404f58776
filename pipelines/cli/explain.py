"""The rejects by rule, each with an example and what to do about it. The rejects one by one: `audit.rejects`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from pipelines.build.warehouse import query_published
from pipelines.validate.rules import advice_for

# The first reject of each rule is its example; of a whole document the reason says more than its row.
_BY_RULE = """
with numbered as (
    select
        rule,
        concat_ws(', line ', path, line) as place,
        case when scope = 'document' then reason else coalesce(row_json, reason) end as text,
        row_number() over (partition by rule order by path nulls last, line, text) as number,
        count(*) over (partition by rule) as rejects
    from audit.rejects
)

select
    rule,
    rejects,
    place as example,
    case when length(text) > 120 then text[:117] || '...' else text end as text
from numbered
where number = 1
order by rejects desc, rule asc
"""


def explain_rejects(warehouse: Path) -> pa.Table:
    """One row per rule: how many rejects, place and text of the first, and what to do.

    Raises:
        WarehouseError: There is no warehouse yet.
    """
    rows = query_published(warehouse, _BY_RULE)
    return rows.append_column("advice", pa.array([advice_for(rule) for rule in rows["rule"].to_pylist()], pa.string()))
