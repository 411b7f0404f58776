-- Numbers of published documents that are stated otherwise than before.
-- grain: one row per place of a number with another statement
with compared as (
    select
        coalesce(b.document_id, n.document_id) as document_id,
        coalesce(b.line, n.line) as at_line,
        coalesce(b.char_start, n.char_start) as char_start,
        coalesce(n.text_printed, b.text_printed) as printed,
        coalesce(b.facts, []) as before,
        coalesce(n.facts, []) as after,
        bool_or(b.line is not null) over (partition by coalesce(b.document_id, n.document_id)) as is_published
    from published as b
    full outer join now as n
        on b.document_id = n.document_id and b.line = n.line and b.char_start = n.char_start
)

select
    document_id,
    at_line::varchar as line,
    case when before = [] then 'added' when after = [] then 'removed' else 'changed' end as change,
    printed,
    array_to_string(list_filter(before, lambda fact: not list_contains(after, fact)), ', ') as published,
    array_to_string(list_filter(after, lambda fact: not list_contains(before, fact)), ', ') as now
from compared
where before <> after and is_published
order by at_line, char_start
