-- How many images, sequences or tokens (or which rate of them) does a dollar buy?
-- Check price_terms and price_printed_on: hourly and list prices are not comparable, and prices change.
select
    model,
    task,
    platform,
    framework,
    batch_size,
    value,
    unit,
    price_usd,
    price_unit,
    price_terms,
    price_bound,
    price_source,
    price_printed_on,
    round(value_per_usd_low, 3) as value_per_usd_low,
    round(value_per_usd_high, 3) as value_per_usd_high,
    value_per_usd_unit
from main.price_performance
where metric = 'throughput'
order by task asc, model asc, price_terms asc, value_per_usd_high desc, result_id asc
