-- How fast do platforms serve large language models, at which lengths and with how many devices?
-- Look at lengths, concurrency and parallelism: rates of different lengths are not comparable.
select
    vendor,
    model,
    platform,
    accelerator_count,
    precision,
    input_length,
    output_length,
    concurrency,
    parallelism,
    metric,
    statistic,
    value,
    value_per_accelerator,
    unit
from main.current_results
where task = 'inference' and (metric in ('ttft', 'tpot') or unit = 'tokens/s')
order by model, input_length, output_length, metric, statistic, vendor, platform, value, benchmark_key
