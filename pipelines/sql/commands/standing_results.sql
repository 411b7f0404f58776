-- The results of a build, or of the day $1, for comparing two of them.
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
where
    r.result_id in (
        select c.result_id from main.current_results as c
        where $1::date is null
    )
    or r.result_id in (select o.result_id from main.results_as_of($1::date) as o)
order by r.benchmark_key
