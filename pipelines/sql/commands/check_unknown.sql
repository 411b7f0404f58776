-- What a checked file does not state and the nearest results of its chip do; what decides about a verdict comes first.
-- grain: one row per condition
with unstated as (
    select unnest(unknown, recursive := true)
    from measurements
    where verdict <> 'nothing comparable' or starts_with(reason, 'the nearest is other work')
)

select
    condition,
    array_to_string(list_sort(list(distinct published)), ', ') as published,
    if(bool_or(decides), 'yes', '') as needed,
    '--set ' || if(condition = 'SDK', 'sdk_version', condition) || '=...' as give
from unstated
group by condition
order by needed desc, condition asc
