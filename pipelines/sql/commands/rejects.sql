-- Rejects: rule, reason, place, first seen, and the refused row.
-- grain: one row per reject
select
    path,
    line,
    scope,
    rule,
    reason,
    first_seen,
    row_json
from audit.rejects
order by path, line, rule
