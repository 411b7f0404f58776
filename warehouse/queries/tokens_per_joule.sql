-- How many tokens does a chip give for a joule, by measured power and by rated power?
-- Check power_basis: measured is the whole system, rated the chip alone at its limit, so at least so many of the chip.
select
    model,
    tokens_counted,
    chip,
    chips,
    precision,
    input_length,
    output_length,
    concurrency,
    scenario,
    unit,
    round(value_per_accelerator, 1) as rate_per_chip,
    power_basis,
    round(power_w / power_chips, 1) as power_per_chip_w,
    power_source,
    round(joules_per_item, 4) as joules_per_token,
    round(1 / joules_per_item, 3) as tokens_per_joule,
    last_published_on,
    power_printed_on,
    publisher,
    result_id
from main.energy
where tokens_counted is not null
order by model asc, tokens_counted asc, power_basis asc, tokens_per_joule desc, result_id asc
