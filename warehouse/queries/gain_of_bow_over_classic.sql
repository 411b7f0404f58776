-- How much faster is the Bow generation than the Classic generation in the same benchmark, with the same chips?
-- Check gain and both SDK releases: if the releases differ, part of the gain is software.
with throughputs as (
    select r.*
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    where r.metric = 'throughput' and r.extractor = 'results_page'
),

bow as (
    select *
    from throughputs
    where platform like 'Bow%'
),

classic as (
    select *
    from throughputs
    where platform like 'IPU%' or platform like 'GC200%'
)

select
    b.task,
    b.model,
    b.stage,
    b.phase,
    b.sequence_length,
    b.image_size,
    b.configuration,
    b.framework,
    b.accelerator_count,
    c.platform as classic_platform,
    b.platform as bow_platform,
    c.sdk_version as classic_sdk_version,
    b.sdk_version as bow_sdk_version,
    c.batch_size as classic_batch_size,
    b.batch_size as bow_batch_size,
    c.value as classic_throughput_items_per_second,
    b.value as bow_throughput_items_per_second,
    round(b.value / c.value, 2) as gain
from bow as b
inner join classic as c
    on b.task = c.task
    and b.model = c.model
    and b.framework = c.framework
    and b.accelerator_count = c.accelerator_count
    and b.dataset is not distinct from c.dataset
    and b.precision is not distinct from c.precision
    and b.stage is not distinct from c.stage
    and b.phase is not distinct from c.phase
    and b.sequence_length is not distinct from c.sequence_length
    and b.is_packed is not distinct from c.is_packed
    and b.image_size is not distinct from c.image_size
    and b.conditions = c.conditions
    and b.configuration is not distinct from c.configuration
-- In inference the batch size is part of the test.
where b.task = 'training' or b.batch_size = c.batch_size
order by
    b.task,
    b.model,
    b.variant_printed,
    b.framework,
    b.accelerator_count,
    b.batch_size,
    b.value,
    b.result_id,
    c.result_id
