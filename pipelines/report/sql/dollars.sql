-- What a dollar buys on platforms with a known price, the most first.
-- grain: one row per current throughput and price of its platform
select
    p.model,
    p.vendor,
    p.platform,
    p.task,
    p.value,
    p.unit,
    p.framework,
    p.precision,
    p.batch_size,
    p.price_usd,
    p.price_unit,
    p.price_bound,
    p.price_terms,
    p.price_publisher,
    p.price_printed_on,
    p.price_evidence_id,
    p.value_per_usd_low,
    p.value_per_usd_high,
    p.value_per_usd_unit,
    p.result_id
from main.price_performance as p
where p.value_per_usd_unit is not null
order by
    p.price_unit asc, p.task asc, p.value_per_usd_unit asc, p.value_per_usd_low desc, p.result_id asc, p.price_terms asc
