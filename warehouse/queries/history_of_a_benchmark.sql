-- How did ResNet-50 training throughput change from release to release?
-- Check status: one value of a benchmark is current; the others have the reason why they are not.
select
    vendor,
    platform,
    framework,
    precision,
    batch_size,
    sdk_version,
    value,
    unit,
    status,
    first_published_on,
    benchmark_key
from main.result_history
where model = 'ResNet-50 v1.5' and task = 'training' and metric = 'throughput'
order by vendor, platform, framework, benchmark_key, sdk_order, value
