-- Which platform has the highest training throughput per accelerator chip, for each benchmark?
-- Check share_of_best: it decreases with system size, and chips of different vendors differ in size and price.
with rates as (
    select
        r.model,
        r.stage,
        r.phase,
        r.sequence_length,
        r.is_packed,
        r.dataset,
        r.platform,
        r.accelerator_count,
        r.framework,
        r.sdk_version,
        r.value / r.accelerator_count as items_per_second_per_accelerator
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    where
        r.metric = 'throughput' and r.task = 'training' and r.model is not null and r.accelerator_count is not null
),

-- The fastest framework of each platform is used.
best as (
    select
        *,
        row_number() over (
            partition by model, stage, phase, sequence_length, is_packed, dataset, platform
            order by items_per_second_per_accelerator desc, framework asc
        ) as place_on_platform
    from rates
),

ranked as (
    select
        *,
        rank() over benchmark as place,
        first_value(items_per_second_per_accelerator) over benchmark as best_items_per_second_per_accelerator,
        count(*) over (partition by model, stage, phase, sequence_length, is_packed, dataset) as platforms
    from best
    where place_on_platform = 1
    window benchmark as (
        partition by model, stage, phase, sequence_length, is_packed, dataset
        order by items_per_second_per_accelerator desc
    )
)

select
    model,
    stage,
    phase,
    sequence_length,
    is_packed,
    dataset,
    place,
    platform,
    accelerator_count,
    framework,
    sdk_version,
    round(items_per_second_per_accelerator, 2) as items_per_second_per_accelerator,
    round(items_per_second_per_accelerator / best_items_per_second_per_accelerator, 3) as share_of_best
from ranked
where platforms > 1
order by model, stage, phase, sequence_length, is_packed, dataset, place, platform
