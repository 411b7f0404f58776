-- Rejects of earlier builds that are no longer refused, with the time they were closed.
-- grain: one row per reject
select path, line, scope, rule, closed_because, first_seen, closed_at, row_json
from audit.closed_rejects
order by closed_at desc, path asc, line asc, rule asc
