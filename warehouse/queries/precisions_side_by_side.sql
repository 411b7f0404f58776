-- How fast is a benchmark in each number format that the page prints?
-- Check formats and rates together: both are sorted from the slowest to the fastest.
select
    vendor,
    model,
    task,
    platform,
    accelerator_count,
    framework,
    batch_size,
    sequence_length,
    input_length,
    output_length,
    sdk_version,
    other_conditions,
    list(precision order by value, precision) as formats,
    list(value order by value, precision) as rates,
    round(max(value) / min(value), 2) as gain,
    unit
from main.current_results
where metric = 'throughput' and precision is not null
group by all
having count(distinct precision) > 1
order by gain desc, vendor asc, model asc, platform asc, batch_size asc, other_conditions asc, rates asc
