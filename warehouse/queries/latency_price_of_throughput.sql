-- How much throughput does a larger inference batch gain, and how much latency does it cost?
-- Check batches_in_flight: about 1 on one device, more if several devices work at once or requests wait.
select
    model,
    platform,
    batch_size,
    throughput_items_per_second,
    latency_ms,
    round(batches_in_flight, 2) as batches_in_flight
from main.batch_curves
where latency_ms is not null
order by model, platform, curve_id, batch_size
