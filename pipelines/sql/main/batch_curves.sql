-- Throughput and latency by batch size in inference, with the implied concurrency.
-- grain: one row per curve (benchmark without batch size) and batch size
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with printed as (
    select
        r.* replace (c.sdk_version as sdk_version),
        coalesce(r.statistic = 'mean', true) as is_usual,
        substr(
            sha256(
                concat_ws(
                    '|',
                    d.source,
                    coalesce(r.model, r.document_id),
                    list_filter(
                        map_entries(identity_of(r)),
                        lambda entry: entry.key <> 'batch_size'
                        and dimension(entry.key).identity in ('key', 'inference')
                    )::varchar
                )
            ),
            1,
            16
        ) as curve_id
    from resolved.results as r
    inner join main.current_results as c on r.result_id = c.result_id
    inner join raw.documents as d on r.document_id = d.document_id
    where r.task = 'inference' and r.batch_size is not null
),

points as (
    select
        curve_id,
        batch_size,
        min(model) as model,
        min(platform) as platform,
        min(accelerator_count) as accelerator_count,
        min(framework) as framework,
        min(precision) as precision,
        min(dataset) as dataset,
        min(configuration) as configuration,
        min(sequence_length) as sequence_length,
        max(sdk_version) as sdk_version,
        max(value) filter (where metric = 'throughput') as throughput_items_per_second,
        coalesce(
            min(value) filter (where metric = 'latency' and is_usual),
            min(value) filter (where metric = 'latency' and statistic = 'p50')
        ) as latency_ms,
        min(value) filter (where metric = 'latency' and statistic = 'p99') as latency_p99_ms,
        min(result_id) filter (where metric = 'throughput') as throughput_result_id,
        coalesce(
            min(result_id) filter (where metric = 'latency' and is_usual),
            min(result_id) filter (where metric = 'latency' and statistic = 'p50')
        ) as latency_result_id
    from printed
    group by curve_id, batch_size
    -- Two values at one point are two tests that their rows do not tell apart.
    having
        count(*) filter (where metric = 'throughput') = 1
        and count(*) filter (where metric = 'latency' and is_usual) <= 1
        and count(*) filter (where metric = 'latency' and statistic = 'p50') <= 1
)

select
    curve_id,
    batch_size,
    model,
    platform,
    accelerator_count,
    framework,
    precision,
    dataset,
    configuration,
    sequence_length,
    sdk_version,
    throughput_items_per_second,
    latency_ms,
    latency_p99_ms,
    throughput_items_per_second * latency_ms / 1000 as items_in_flight,
    throughput_items_per_second * latency_ms / 1000 / batch_size as batches_in_flight,
    throughput_result_id,
    latency_result_id
from points
qualify count(*) over (partition by curve_id) > 1
order by model, platform, curve_id, batch_size
