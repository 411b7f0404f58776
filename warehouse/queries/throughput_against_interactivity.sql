-- How much throughput per chip is left at each interactivity or time per output token?
-- Check source and conditions: a frontier has equal conditions in one source; two frontiers may differ in many.
select
    model,
    chip,
    framework,
    precision,
    input_length,
    output_length,
    latency_metric,
    latency_statistic,
    round(latency_value, 1) as latency_value,
    latency_unit,
    round(throughput_per_chip, 1) as throughput_per_chip,
    unit,
    points,
    concurrency,
    parallelism,
    source,
    frontier_id
from main.frontier
where latency_metric in ('throughput_per_user', 'tpot') and tokens_counted is not null
order by model, latency_metric, latency_statistic, chip, frontier_id, latency_value, throughput_per_chip
