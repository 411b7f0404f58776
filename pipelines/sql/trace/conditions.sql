-- The conditions of results in reading order; conditions that no document prints come last.
-- grain: one row per result and condition
select
    c.result_id as traced_id, c.dimension, c.value, c.level, c.text_printed, c.evidence_id, e.page, e.line,
    e.char_start, e.char_end
from resolved.result_conditions as c
left join resolved.evidence as e on c.evidence_id = e.evidence_id
where c.result_id in (select unnest($1::varchar[]))
order by c.result_id, e.line nulls last, e.char_start, c.dimension, c.value
