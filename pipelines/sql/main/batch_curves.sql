-- Throughput and latency by batch size in inference, with the implied concurrency.
-- grain: one row per curve (benchmark without batch size) and batch size
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with printed as (
    select
        r.* replace (c.sdk_version as sdk_version),
        -- The mean, which needs no word, or else the median.
        list_position(['mean', 'p50'], coalesce(r.statistic, 'mean')) as usual,
        list_filter(
            identity_entries(r),
            lambda entry: entry.key <> 'batch_size' and dimension(entry.key).identity in ('key', 'inference')
        ) as test,
        -- What a test is tuned for goes with its batch: `latency optimized` at 1, `throughput optimized` at 8.
        list_filter(
            test,
            lambda entry: not (entry.key = 'configuration' and regexp_matches(entry.value, 'latency|throughput'))
        ) as test_untuned,
        hash(row(d.source, coalesce(r.model, r.document_id), test)) as tuned,
        hash(row(d.source, coalesce(r.model, r.document_id), test_untuned)) as untuned
    from resolved.results as r
    inner join main.current_results as c on r.result_id = c.result_id
    inner join raw.documents as d on r.document_id = d.document_id
    where r.task = 'inference' and r.batch_size is not null
),

-- Where one batch size is tuned in two ways, there are two curves.
counted as (
    select
        *,
        count(*) filter (where metric = 'throughput') over (partition by untuned, batch_size) > 1 as is_tuned_twice
    from printed
),

curves as (
    select
        *,
        substr(
            sha256(if(bool_or(is_tuned_twice) over (partition by untuned), tuned, untuned)::varchar), 1, 16
        ) as curve_id
    from counted
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
        arg_min(value, (usual, value)) filter (where metric = 'latency') as latency_ms,
        min(value) filter (where metric = 'latency' and statistic = 'p99') as latency_p99_ms,
        arg_min(value, (usual, value)) filter (where metric = 'ttft') as ttft_ms,
        arg_min(value, (usual, value)) filter (where metric = 'tpot') as tpot_ms,
        min(result_id) filter (where metric = 'throughput') as throughput_result_id,
        arg_min(result_id, (usual, result_id)) filter (where metric = 'latency') as latency_result_id
    from curves
    group by curve_id, batch_size
    -- Two values at one point are two tests that their rows do not tell apart.
    having
        count(*) filter (where metric = 'throughput') = 1
        and count(usual) filter (where metric = 'latency')
        = count(distinct usual) filter (where metric = 'latency')
        and count(usual) filter (where metric = 'ttft') = count(distinct usual) filter (where metric = 'ttft')
        and count(usual) filter (where metric = 'tpot') = count(distinct usual) filter (where metric = 'tpot')
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
    ttft_ms,
    tpot_ms,
    throughput_items_per_second * latency_ms / 1000 as items_in_flight,
    throughput_items_per_second * latency_ms / 1000 / batch_size as batches_in_flight,
    throughput_result_id,
    latency_result_id
from points
qualify count(*) over (partition by curve_id) > 1
order by model, platform, curve_id, batch_size
