-- How many tokens does a chip give for a joule, at its rated power?
-- Check rated_power_w: a data sheet's limit of the chip, without its host; a chip below its limit does better.
with rated as (
    select
        chip,
        min(value) as rated_power_w,
        count(distinct value) as different_ratings,
        arg_min(source, (value, source)) as rated_by
    from resolved.platform_facts
    where fact = 'rated_power' and platform = chip and accelerator_count = 1
    group by chip
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
    p.rated_power_w,
    p.different_ratings,
    p.rated_by,
    round(rate_per_chip / p.rated_power_w, 3) as tokens_per_joule,
    r.publisher,
    r.result_id
from main.current_results as r
inner join rated as p on r.chip = p.chip
where
    r.task = 'inference'
    and r.metric in ('throughput', 'throughput_per_device')
    and r.unit in ('tokens/s', 'output tokens/s')
order by r.model, r.unit, tokens_per_joule, r.chip, r.result_id
