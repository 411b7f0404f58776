-- Which benchmarks became more than 10% slower with a newer SDK release?
-- Check the gain: below 1 is a loss, for times and latencies too. The next columns are the old and new value.
select
    p.model,
    p.platform,
    p.metric,
    r.batch_size,
    r.other_conditions,
    p.sdk_from,
    p.sdk_to,
    p.value_from,
    p.value_to,
    round(p.speedup, 3) as gain
from main.sdk_progress as p
inner join main.current_results as r on p.benchmark_key = r.benchmark_key and p.sdk_to = r.sdk_version
where p.speedup < 0.9
order by p.speedup asc, p.model asc, p.metric asc, p.benchmark_key asc, p.sdk_to asc
