-- Values of drawn charts without those that a second reading refuses, with what confirms them.
-- grain: one row per bar or point of a drawn chart
select
    c.* replace (
        coalesce(c.verified_by, case when r.is_confirmed and c.method = 'geometry' then 'axis' end) as verified_by
    )
from resolved.chart_values as c
left join internal.chart_readings as r on c.chart_value_id = r.chart_value_id
where r.fault is null
order by c.document_id, c.page, c.chart_number, c.mark_number
