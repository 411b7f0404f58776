-- Conditions of a preview that a text above or below a table states.
-- grain: one row per condition and line
select
    dimension,
    value,
    line::varchar as line,
    array_to_string(list(distinct table_line order by table_line), ', ') as tables_at_line
from conditions
where level in ('caption', 'heading', 'sentence')
group by all
order by min(number)
