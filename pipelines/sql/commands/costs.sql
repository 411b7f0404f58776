-- Costs of a million tokens of models whose name contains $1, at prices of chips ($2, $3), otherwise at listed prices.
-- grain: one row per current rate of tokens and price
with given as (
    select
        unnest($2::varchar[]) as name,
        unnest($3::double[]) as usd
),

rates as (
    select
        r.*,
        tokens_counted(r.metric, r.unit) as tokens_counted,
        rate_per_chip(r.metric, r.value, r.chips) as value_per_chip,
        g.usd
    from main.current_results as r
    inner join given as g on r.chip = g.name or r.platform = g.name
    where r.task = 'inference' and r.bound in ('eq', 'approx') and r.value > 0
),

costs as (
    select
        model,
        tokens_counted,
        chip,
        chips,
        precision,
        input_length,
        output_length,
        concurrency,
        value_per_chip as value_per_accelerator,
        unit,
        'given' as price_basis,
        null as price_terms,
        'chip' as price_is_of,
        null as price_platform,
        null as price_source,
        null as price_printed_on,
        usd as usd_per_chip_hour,
        cost_per_million_tokens(value_per_chip, 1, usd) as usd_per_million_tokens,
        last_published_on,
        publisher,
        result_id
    from rates
    where tokens_counted is not null and value_per_chip is not null
    union all by name
    select
        t.model,
        t.tokens_counted,
        t.chip,
        t.chips,
        t.precision,
        t.input_length,
        t.output_length,
        t.concurrency,
        t.value_per_accelerator,
        t.unit,
        t.price_basis,
        t.price_terms,
        t.price_is_of,
        t.price_platform,
        t.price_source,
        t.price_printed_on,
        t.usd_per_chip_hour,
        t.usd_per_million_tokens,
        t.last_published_on,
        t.publisher,
        t.result_id
    from main.token_costs as t
    -- A price of the reader's own replaces the listed ones.
    where t.result_id not in (select n.result_id from rates as n)
)

select
    model,
    tokens_counted,
    usd_per_million_tokens,
    chip,
    chips,
    precision,
    input_length,
    output_length,
    concurrency,
    value_per_accelerator,
    unit,
    usd_per_chip_hour,
    price_basis,
    price_terms,
    price_is_of,
    price_platform,
    price_source,
    price_printed_on,
    last_published_on,
    publisher,
    result_id
from costs
where $1 is null or contains(lower(model), lower($1))
order by model, tokens_counted, usd_per_million_tokens, result_id, price_platform, price_terms, price_source
