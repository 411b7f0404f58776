-- How much faster is each SDK release than the one before, over all benchmarks printed for both?
-- Check the number of benchmarks beside the median: with few benchmarks it is not representative.
select
    vendor,
    sdk_from,
    sdk_to,
    task,
    metric,
    count(*) as benchmarks,
    round(median(speedup), 3) as median_speedup,
    round(min(speedup), 3) as least_speedup,
    round(max(speedup), 3) as greatest_speedup
from main.sdk_progress
where not is_beyond_reason
group by vendor, sdk_from, sdk_to, sdk_from_order, sdk_to_order, task, metric
order by vendor, sdk_to_order, sdk_from_order, task, metric
