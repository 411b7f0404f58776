-- What throughput does a thousand dollars of list price buy?
-- Look at price_bound: an approximate price carries its whole interval into the result. Host and network are left out.
with prices as (
    select
        p.platform,
        p.bound as price_bound,
        min(p.price_low_usd) as price_low_usd,
        max(p.price_high_usd) as price_high_usd
    from resolved.prices as p
    group by p.platform, p.bound
),

throughputs as (
    select *
    from main.current_results
    where metric = 'throughput'
)

select
    t.task,
    t.model,
    t.variant_printed,
    t.platform,
    t.framework,
    t.dataset,
    t.sdk_version,
    t.value as throughput_items_per_second,
    p.price_low_usd,
    p.price_high_usd,
    p.price_bound,
    round(t.value_low * 1000 / p.price_high_usd, 2) as items_per_second_per_1000_usd_low,
    round(t.value_high * 1000 / p.price_low_usd, 2) as items_per_second_per_1000_usd_high
from throughputs as t
inner join prices as p on t.platform = p.platform
order by t.task, t.model, t.variant_printed, t.framework, t.platform, t.dataset, t.value
