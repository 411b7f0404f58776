-- Which results were current on 1 January 2023, and what is the value of the same benchmark now?
-- Check value_now: null if no page prints the benchmark any more.
select
    o.vendor,
    o.model,
    o.platform,
    o.metric,
    o.statistic,
    o.unit,
    o.sdk_version as sdk_then,
    o.value as value_then,
    c.sdk_version as sdk_now,
    c.value as value_now
from main.results_as_of(date '2023-01-01') as o
left join main.current_results as c on o.benchmark_key = c.benchmark_key
order by o.vendor, o.model, o.platform, o.metric, o.benchmark_key
