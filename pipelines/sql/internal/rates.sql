-- Current rates of inference, with the rate of one chip.
-- grain: one row per current result that is a number of items per second
select
    c.result_id,
    r.document_id,
    r.model_family,
    r.item,
    r.request_rate,
    tokens_counted(c.metric, c.unit) as tokens_counted,
    rate_per_chip(c.metric, c.value, c.chips) as rate_per_chip
from main.current_results as c
inner join resolved.results as r on c.result_id = r.result_id
where
    c.task = 'inference'
    and c.unit = r.item || '/s'
    -- Of these nothing says what is counted.
    and r.item <> 'items'
    and c.bound in ('eq', 'approx')
    and c.value > 0
    -- A rate of so many chips that nobody states has no rate per chip.
    and (c.chips is not null or ends_with(c.metric, '_per_device'))
