-- How much faster is FP8 than BF16 for one model on one chip, everything else equal?
-- Check the release: both numbers are the current ones, which may be of two releases.
with rates as (
    select
        *,
        concat_ws(
            '|', model, chip, chips, task, metric, statistic, unit, batch_size, sequence_length, input_length,
            output_length, concurrency, scenario, tensor_parallel, pipeline_parallel, data_parallel, expert_parallel,
            framework, publisher
        ) as test
    from main.current_results
    where metric in ('throughput', 'throughput_per_device', 'tflops_per_device')
)

select
    f.model,
    f.chip,
    f.chips,
    f.task,
    f.metric,
    f.batch_size,
    f.input_length,
    f.output_length,
    b.value as bf16_value,
    f.value as fp8_value,
    f.unit,
    round(f.value / b.value, 3) as gain,
    b.sdk_version as bf16_release,
    f.sdk_version as fp8_release,
    f.publisher
from rates as f
inner join rates as b on f.test = b.test and f.other_conditions is not distinct from b.other_conditions
where f.precision like 'FP8%' and b.precision in ('BF16', 'BF16 mixed')
order by f.model, f.chip, f.task, f.metric, gain, f.result_id, b.result_id
