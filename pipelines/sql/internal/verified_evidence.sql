-- Evidence with what confirms the values at it: those that are drawn are confirmed with their bar or point.
-- grain: one row per printed place
with drawn as (
    select
        document_id,
        page,
        x0,
        top,
        x1,
        bottom,
        min(verified_by) as verified_by
    from resolved.chart_values
    group by all
)

select e.* replace (coalesce(e.verified_by, d.verified_by) as verified_by)
from resolved.evidence as e
left join drawn as d
    on
    e.text_printed = ''
    and e.document_id = d.document_id
    and e.page = d.page
    and e.x0 = d.x0
    and e.top = d.top
    and e.x1 = d.x1
    and e.bottom = d.bottom
order by e.document_id, e.line, e.char_start, e.char_end
