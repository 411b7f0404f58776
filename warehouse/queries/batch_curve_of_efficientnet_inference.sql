-- How do throughput and latency of EfficientNet-B0 inference change with the batch size?
-- Check batches_in_flight (throughput x latency / batch size): if it rises, more batches overlap and wait.
with standing as (
    select r.*
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
),

throughputs as (
    select *
    from standing
    where metric = 'throughput'
),

latencies as (
    select *
    from standing
    where metric = 'latency' and statistic is null
),

-- Throughput and latency of the same printed row are joined.
points as (
    select
        t.platform,
        t.framework,
        t.configuration,
        t.sdk_version,
        t.batch_size,
        t.value as throughput_items_per_second,
        l.value as latency_ms
    from throughputs as t
    inner join latencies as l on t.document_id = l.document_id and t.row_line = l.row_line
    where t.model = 'EfficientNet-B0' and t.task = 'inference'
)

select
    platform,
    framework,
    sdk_version,
    batch_size,
    configuration,
    throughput_items_per_second,
    latency_ms,
    round(throughput_items_per_second * latency_ms / 1000 / batch_size, 2) as batches_in_flight
from points
order by platform, framework, batch_size, latency_ms, sdk_version, configuration, throughput_items_per_second
