-- Throughput per chip against latency or interactivity: points that no other point of equal conditions dominates.
-- grain: one row per frontier and point on it
select
    frontier_id,
    model_family,
    model,
    vendor,
    platform,
    metric,
    statistic,
    throughput_per_chip,
    unit,
    latency_metric,
    latency_statistic,
    latency_value,
    latency_unit,
    points,
    framework,
    precision,
    batch_size,
    input_length,
    output_length,
    concurrency,
    accelerator_count,
    parallelism,
    dataset,
    sdk_version,
    last_published_on,
    source,
    throughput_result_id,
    latency_result_id
from main.frontier
where model_family is not null
order by
    model_family, latency_metric, latency_statistic, unit, platform, frontier_id, latency_value, throughput_result_id
