-- The values of benchmarks that two releases or more print, as gain over the first of them.
-- grain: one row per benchmark and release
with released as (
    select
        h.benchmark_key,
        h.model,
        h.platform,
        h.vendor,
        h.task,
        h.metric,
        h.statistic,
        h.framework,
        h.batch_size,
        h.sdk_version,
        h.sdk_order,
        h.value,
        h.unit,
        h.result_id,
        first_value(h.value) over (partition by h.benchmark_key order by h.sdk_order) as first_value,
        count(*) over (partition by h.benchmark_key) as releases
    from main.result_history as h
    where h.sdk_version is not null and h.stands_in_release and h.value > 0
),

metrics as (
    select
        metric,
        bool_and(higher_is_better) as higher_is_better
    from main.current_results
    group by metric
)

select
    r.*,
    dense_rank() over (order by r.sdk_order) as release,
    case when m.higher_is_better then r.value / r.first_value else r.first_value / r.value end as gain
from released as r
inner join metrics as m on r.metric = m.metric
where r.releases > 1 and m.higher_is_better is not null
order by r.model, r.benchmark_key, r.sdk_order
