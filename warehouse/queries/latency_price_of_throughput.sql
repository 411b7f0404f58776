-- What does a larger batch buy in inference, and what does it cost in latency?
-- Look at batches_in_flight: about 1 on one device, more where several work at once or requests wait.
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
