-- How does ResNet-50 training scale from 16 accelerators to 256?
-- Check efficiency: throughput per accelerator relative to 16 accelerators. Batch size and SDK may differ.
with pods as (
    select
        regexp_replace(r.platform, '\d+$', '') as generation,
        r.framework,
        r.accelerator_count,
        r.batch_size,
        r.sdk_version,
        r.result_id,
        r.value as throughput_items_per_second,
        r.value / r.accelerator_count as items_per_second_per_accelerator
    from main.current_results as r
    where
        r.model = 'ResNet-50 v1.5'
        and r.task = 'training'
        and r.metric = 'throughput'
        and r.accelerator_count >= 16
),

based as (
    select
        *,
        first_value(items_per_second_per_accelerator) over curve as items_per_second_per_accelerator_at_first,
        count(*) over (partition by generation, framework) as points
    from pods
    window curve as (partition by generation, framework order by accelerator_count, result_id)
)

select
    generation,
    framework,
    accelerator_count,
    batch_size,
    sdk_version,
    throughput_items_per_second,
    round(items_per_second_per_accelerator, 1) as items_per_second_per_accelerator,
    round(items_per_second_per_accelerator / items_per_second_per_accelerator_at_first, 3) as efficiency
from based
where points > 1
order by generation, framework, accelerator_count, result_id
