-- Documents whose lines are not all in audit.line_ledger exactly once.
with ledgers as (
    select
        document_id,
        count(*) as rows_found,
        count(distinct line) as lines_found,
        max(line) as last_line
    from audit.line_ledger
    group by document_id
)

select
    c.document_id,
    c.lines,
    l.rows_found,
    l.lines_found,
    l.last_line
from audit.coverage as c
full outer join ledgers as l on c.document_id = l.document_id
where
    c.document_id is null
    or coalesce(l.rows_found, 0) <> c.lines
    or coalesce(l.lines_found, 0) <> c.lines
    or coalesce(l.last_line, 0) <> c.lines
