-- Current results, for comparing two builds.
-- grain: one row per benchmark
select
    r.benchmark_key,
    r.model,
    r.platform,
    r.task,
    r.metric,
    r.sdk_version,
    r.sdk_order,
    r.value,
    r.unit
from resolved.results as r
where r.result_id in (select c.result_id from main.current_results as c)
order by r.benchmark_key
