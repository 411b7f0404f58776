-- How much faster is a GB300 than a GB200 at equal parallelism?
-- Check precision and release: equal parallelism does not make them equal.
with tests as (
    select
        *,
        concat_ws(
            '|', model, task, metric, statistic, unit, input_length, output_length, concurrency, tensor_parallel,
            pipeline_parallel, data_parallel, expert_parallel, sequence_length, batch_size, precision, publisher
        ) as test
    from main.current_results
    where chip in ('GB200', 'GB300')
)

select
    n.model,
    n.task,
    n.metric,
    n.precision,
    n.parallelism,
    n.chips,
    n.input_length,
    n.output_length,
    o.value as gb200_value,
    n.value as gb300_value,
    n.unit,
    round(n.value / o.value, 3) as gb300_to_gb200,
    o.sdk_version as gb200_release,
    n.sdk_version as gb300_release,
    n.publisher
from tests as n
inner join tests as o
    on
    n.test = o.test
    and n.chips is not distinct from o.chips
    and n.other_conditions is not distinct from o.other_conditions
where n.chip = 'GB300' and o.chip = 'GB200'
order by n.model, n.task, n.metric, n.precision, n.chips, gb300_to_gb200, n.result_id, o.result_id
