-- How much of each document was read, by which format, and what was refused?
-- Look at lines_read against lines, and at rejects: `benchledger rejects` says what and why.
with counts as (
    select 'results_page' as read_as, document_id, lines, lines_read, rows_read, rejects from extracted.results_page
    union all
    select 'chart_deck' as read_as, document_id, lines, lines_read, rows_read, rejects from extracted.chart_deck
    union all
    select 'claim_prose' as read_as, document_id, lines, lines_read, rows_read, rejects from extracted.claim_prose
    union all
    select 'training_log' as read_as, document_id, lines, lines_read, rows_read, rejects from extracted.training_log
),

-- What nothing read, or what the contracts refused later, counts for the document only.
refused as (
    select
        document_id,
        count(*) as rejects_in_all
    from audit.rejects
    group by document_id
)

select
    d.path,
    d.format as stored_as,
    c.read_as,
    c.lines,
    c.lines_read,
    c.rows_read,
    c.rejects,
    coalesce(r.rejects_in_all, 0) as rejects_of_document
from raw.documents as d
left join counts as c on d.document_id = c.document_id
left join refused as r on d.document_id = r.document_id
order by d.path, c.read_as
