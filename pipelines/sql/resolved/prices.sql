-- Printed prices: purchase prices of systems and hourly rates.
-- grain: one row per printed price
with printed as (
    select
        document_id,
        line,
        char_start,
        char_end,
        platform_printed,
        null as suite,
        price_usd,
        price_low_usd,
        price_high_usd,
        bound,
        'USD' as unit,
        'list' as terms
    from extracted.prices
    union all
    -- Tables print prices as they print results.
    select
        m.document_id,
        m.line,
        m.char_start,
        m.char_end,
        m.platform_printed,
        m.suite,
        m.value as price_usd,
        m.value_low as price_low_usd,
        m.value_high as price_high_usd,
        m.bound,
        m.unit,
        n.price_terms as terms
    from extracted.measurements as m
    inner join resolved.names as n on n.kind = 'metrics' and m.metric = n.name_printed
    where n.price_terms is not null
)

select
    p.document_id,
    substr(sha256(concat_ws('|', p.document_id, p.line, p.char_start, p.char_end)), 1, 16) as evidence_id,
    p.line,
    coalesce(platform.name, p.platform_printed) as platform,
    p.platform_printed,
    -- Eight systems do not cost what one costs: a price is that of so many accelerators.
    coalesce(platform.multiplier * coalesce(platform.chips, 1), platform.chips) as accelerator_count,
    p.price_usd,
    p.price_low_usd,
    p.price_high_usd,
    p.bound,
    p.unit,
    p.terms
from printed as p
left join resolved.names as platform
    on
    platform.kind = 'platforms'
    and p.platform_printed = platform.name_printed
    and p.suite is not distinct from platform.suite
order by p.document_id, p.line, p.char_start
