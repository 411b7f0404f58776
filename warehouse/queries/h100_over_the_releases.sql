-- How have the numbers of the H100 changed from release to release of its software?
-- Check value_from and value_to: gain is above 1 where the newer one is better, for times, too.
select
    p.model,
    h.chip,
    h.chips,
    p.metric,
    h.precision,
    h.input_length,
    h.output_length,
    p.sdk_from,
    p.sdk_to,
    p.value_from,
    p.value_to,
    h.unit,
    round(p.speedup, 3) as gain,
    h.last_published_on
from main.sdk_progress as p
inner join main.result_history as h on p.benchmark_key = h.benchmark_key and p.sdk_to = h.sdk_version
where h.chip like 'H100%' and h.status <> 'restated'
order by p.model, p.metric, p.benchmark_key, h.last_published_on, p.sdk_to, h.result_id
