-- How do throughput and latency of a language model grow with the batch size?
-- Check configuration: a test at batch 1 is tuned for latency, one at batch 8 for throughput.
select
    model,
    platform,
    sequence_length,
    batch_size,
    configuration,
    round(throughput_items_per_second, 1) as tokens_per_second,
    round(ttft_ms, 1) as ttft_ms,
    round(tpot_ms, 2) as tpot_ms
from main.batch_curves
where tpot_ms is not null
order by model, platform, curve_id, batch_size
