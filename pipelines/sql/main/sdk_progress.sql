-- Gain of a benchmark from one SDK release to the next that prints it.
-- grain: one row per benchmark and consecutive pair of SDK releases
with releases as (
    select
        *,
        lag(sdk_version) over by_release as sdk_before,
        lag(value) over by_release as value_before
    from main.result_history
    where stands_in_release and sdk_version is not null and status <> 'withdrawn'
    window by_release as (partition by benchmark_key order by sdk_order)
)

select
    r.benchmark_key,
    r.model,
    r.platform,
    r.metric,
    r.sdk_before as sdk_from,
    r.sdk_version as sdk_to,
    r.value_before as value_from,
    r.value as value_to,
    case m.better when 'higher' then r.value / r.value_before else r.value_before / r.value end as speedup
from releases as r
inner join resolved.names as m on m.kind = 'metrics' and r.metric = m.name_printed
where r.sdk_before is not null and r.value > 0 and r.value_before > 0
order by r.benchmark_key, r.sdk_order
