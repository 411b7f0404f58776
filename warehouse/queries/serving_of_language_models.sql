-- How fast do platforms serve large language models, by input and output length and number of devices?
-- Check lengths, concurrency and parallelism: rates at different lengths are not comparable.
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
