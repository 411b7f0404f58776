-- How much did each release of a vendor's software gain, over all benchmarks that two releases print?
-- Look at benchmarks beside the median: a release that few benchmarks were printed for says little.
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
