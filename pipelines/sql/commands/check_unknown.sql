-- What a checked file does not state and the nearest published results do, and how to give it.
-- grain: one row per condition
with unstated as (
    select unnest(unknown, recursive := true)
    from measurements
)

select
    condition,
    array_to_string(list_sort(list(distinct published)), ', ') as published,
    '--set ' || if(condition = 'SDK', 'sdk_version', condition) || '=...' as give
from unstated
group by condition
order by condition
