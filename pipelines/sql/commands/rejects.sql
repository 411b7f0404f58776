-- What was refused: rule, reason, place, since when, and the row itself.
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
