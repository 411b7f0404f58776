-- What does a million tokens cost on rented chips, by the latest listed hourly price of each seller?
-- Check terms, unit and day: all tokens or output tokens, and a chip costs its share of the instance.
with rented as (
    select
        platform,
        chip,
        publisher,
        terms,
        arg_max(value / accelerator_count, (valid_from, -value)) as price_per_chip_usd,
        max(valid_from) as listed_on
    from resolved.platform_facts
    where fact = 'hourly_price' and chip is not null and accelerator_count is not null
    group by platform, chip, publisher, terms
)

select
    r.model,
    r.chip,
    r.precision,
    r.input_length,
    r.output_length,
    r.concurrency,
    r.unit,
    round(if(r.metric = 'throughput', r.value_per_accelerator, r.value), 1) as rate_per_chip,
    p.platform as instance,
    p.terms,
    round(p.price_per_chip_usd, 3) as price_per_chip_usd,
    p.listed_on,
    round(p.price_per_chip_usd / 3600 / rate_per_chip * 1e6, 3) as usd_per_million_tokens,
    r.publisher,
    r.result_id
from main.current_results as r
inner join rented as p on r.chip = p.chip
where
    r.task = 'inference'
    and r.metric in ('throughput', 'throughput_per_device')
    and r.unit in ('tokens/s', 'output tokens/s')
order by r.model, usd_per_million_tokens, r.chip, p.terms, p.platform, r.result_id
