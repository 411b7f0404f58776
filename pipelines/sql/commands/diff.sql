-- Differences between the current results before and after.
-- grain: one row per benchmark that differs
select
    case
        when b.benchmark_key is null then 'added'
        when a.benchmark_key is null then 'removed'
        when a.sdk_order < b.sdk_order then 'earlier release'
        when (a.sdk_order is distinct from b.sdk_order) then 'new release'
        else 'restated'
    end as event,
    coalesce(a.model, b.model) as model,
    coalesce(a.platform, b.platform) as platform,
    coalesce(a.task, b.task) as task,
    coalesce(a.metric, b.metric) as metric,
    b.sdk_version as sdk_from,
    a.sdk_version as sdk_to,
    b.value as value_from,
    a.value as value_to,
    coalesce(a.unit, b.unit) as unit,
    round(a.value / nullif(b.value, 0), 4) as ratio,
    coalesce(a.value / nullif(b.value, 0) not between 0.2 and 5, false) as is_outlier,
    coalesce(a.benchmark_key, b.benchmark_key) as benchmark_key
from after as a
full outer join before as b on a.benchmark_key = b.benchmark_key
where
    a.benchmark_key is null
    or b.benchmark_key is null
    or a.value <> b.value
    or a.sdk_order is distinct from b.sdk_order
order by event, model, platform, metric, benchmark_key
