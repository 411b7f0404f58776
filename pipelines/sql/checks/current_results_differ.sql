-- Current results that look alike: benchmarks that no shown column of main.result_history tells apart.
select
    source,
    model,
    platform,
    unnamed_platform,
    task,
    metric,
    statistic,
    unit,
    framework,
    framework_version,
    precision,
    weights_precision,
    accelerator_count,
    batch_size,
    batch_size_kind,
    sequence_length,
    input_length,
    output_length,
    concurrency,
    parallelism,
    stage,
    dataset,
    suite,
    submission_id,
    other_conditions,
    sdk_version,
    count(*) as results
from main.result_history
where stands
group by all
having count(*) > 1
order by all
