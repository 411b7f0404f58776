-- What two builds are compared by: the current results.
-- grain: one row per benchmark
select benchmark_key, model, platform, task, metric, sdk_version, sdk_order, value, unit
from resolved.results
semi join main.current_results using (result_id)
order by benchmark_key
