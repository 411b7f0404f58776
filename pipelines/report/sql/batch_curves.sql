-- Throughput and latency over batch size.
-- grain: one row per curve and batch size
select
    b.*,
    r.vendor,
    r.unit
from main.batch_curves as b
inner join resolved.results as r on b.throughput_result_id = r.result_id
order by b.model, b.curve_id, b.batch_size
