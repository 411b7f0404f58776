-- How fast do recent chips serve a Llama 70B model at 1k input and 1k output tokens, per chip?
-- Check unit, concurrency and precision: output tokens are fewer than all tokens, and a rate depends on the load.
select
    chip,
    chips,
    model,
    precision,
    concurrency,
    metric,
    statistic,
    if(metric = 'throughput', value_per_accelerator, value) as value_per_chip,
    unit,
    framework,
    sdk_version,
    publisher,
    last_published_on
from main.current_results
where
    regexp_matches(model, '^Llama (2|3|3\.1|3\.3) 70B')
    and task = 'inference'
    and input_length between 1000 and 1024
    and output_length between 1000 and 1024
    and metric in ('throughput', 'throughput_per_device', 'total_token_throughput', 'ttft', 'tpot')
order by metric, unit, statistic, chip, value_per_chip, benchmark_key
