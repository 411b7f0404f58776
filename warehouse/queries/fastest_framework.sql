-- Which framework trains a model fastest on a given platform?
-- Check lead: the advantage over the second fastest. Precision and batch size may differ between frameworks.
with contests as (
    select
        r.model,
        r.variant_printed,
        r.platform,
        r.dataset,
        r.framework,
        r.sdk_version,
        r.precision,
        r.batch_size,
        r.value,
        row_number() over contest as place,
        lead(r.framework) over contest as next_framework,
        lead(r.value) over contest as next_value
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    where r.task = 'training' and r.metric = 'throughput' and r.framework is not null and r.model is not null
    window contest as (
        partition by r.model, r.stage, r.phase, r.sequence_length, r.is_packed, r.platform, r.dataset
        order by r.value desc, r.framework asc
    )
)

select
    model,
    variant_printed,
    platform,
    framework as fastest_framework,
    sdk_version,
    precision,
    batch_size,
    value as throughput_items_per_second,
    next_framework,
    next_value as next_throughput_items_per_second,
    round(value / next_value, 2) as lead
from contests
where place = 1 and next_framework <> framework
order by model, variant_printed, platform, dataset
