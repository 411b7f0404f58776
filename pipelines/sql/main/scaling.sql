-- Speedup and efficiency of each system over each smaller system of its family.
-- grain: one row per benchmark, pair of sizes and batch size
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=AL05,RF01,RF02,RF03
with measured as (
    select
        r.* replace (c.sdk_version as sdk_version),
        -- What a log or table leaves unnamed is one thing only within its own document.
        coalesce(r.model, r.document_id || coalesce(r.section, '')) as subject
    from resolved.results as r
    inner join main.current_results as c on r.result_id = c.result_id
    where
        r.metric in ('throughput', 'time_to_train', 'epoch_time', 'training_time')
        and r.accelerator_count is not null
        and r.value > 0
        and r.chip is not null
),

systems as (
    select
        *,
        concat_ws(
            '|',
            subject,
            chip,
            metric,
            coalesce(item, '-'),
            list_filter(
                identity_entries(m),
                lambda entry: entry.key not in (
                    'model', 'platform', 'accelerator_count', 'nodes', 'accelerators_per_node', 'batch_size'
                )
                and dimension(entry.key).identity in ('key', 'inference')
            )::varchar
        ) as test,
        min(accelerator_count) over (partition by test) as smallest
    from measured as m
),

paired as (
    select
        a.result_id as result_id_from,
        b.result_id as result_id_to,
        b.model,
        b.task,
        b.stage,
        b.framework,
        b.dataset,
        b.precision,
        b.metric,
        b.unit,
        a.platform as platform_from,
        b.platform as platform_to,
        a.accelerator_count as accelerators_from,
        b.accelerator_count as accelerators_to,
        a.batch_size as batch_size_from,
        b.batch_size as batch_size_to,
        a.sdk_version as sdk_from,
        b.sdk_version as sdk_to,
        a.value as value_from,
        b.value as value_to,
        case when b.higher_is_better then b.value / a.value else a.value / b.value end as speedup,
        a.accelerator_count = a.smallest as is_from_smallest,
        b.accelerator_count / a.accelerator_count as growth,
        coalesce(b.correction, a.correction) as correction,
        -- Where both sizes print one batch size, only that is compared; else the batch grows with the system.
        bool_or(coalesce(a.batch_size, 0) = coalesce(b.batch_size, 0)) over size as has_equal_batch,
        coalesce(a.batch_size, 0) = coalesce(b.batch_size, 0) as is_equal_batch,
        max(b.value) over size as highest_to,
        max(a.value) over size as highest_from
    from systems as a
    inner join systems as b on a.test = b.test and a.accelerator_count < b.accelerator_count
    window size as (partition by b.test, a.accelerator_count, b.accelerator_count, b.platform)
)

select
    result_id_from,
    result_id_to,
    model,
    task,
    stage,
    framework,
    dataset,
    precision,
    metric,
    unit,
    platform_from,
    platform_to,
    accelerators_from,
    accelerators_to,
    batch_size_from,
    batch_size_to,
    sdk_from,
    sdk_to,
    value_from,
    value_to,
    speedup,
    speedup / growth as efficiency,
    is_from_smallest,
    correction
from paired
where case when has_equal_batch then is_equal_batch else value_to = highest_to and value_from = highest_from end
order by model, task, metric, framework, platform_from, accelerators_to, batch_size_to, result_id_from, result_id_to
