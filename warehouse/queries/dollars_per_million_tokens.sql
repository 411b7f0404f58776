-- What does a million tokens cost on rented chips, at the cheapest listed price under each terms?
-- Check tokens_counted (output, input and total tokens do not compare), price_is_of and both days.
select
    model,
    tokens_counted,
    chip,
    chips,
    precision,
    input_length,
    output_length,
    concurrency,
    unit,
    round(value_per_accelerator, 1) as rate_per_chip,
    last_published_on,
    price_platform,
    price_is_of,
    price_terms,
    price_publisher,
    price_printed_on,
    round(usd_per_chip_hour, 3) as usd_per_chip_hour,
    round(usd_per_million_tokens, 3) as usd_per_million_tokens,
    publisher,
    result_id
from main.token_costs
qualify
    row_number() over (
        partition by result_id, price_terms order by usd_per_million_tokens, price_platform, price_evidence_id
    ) = 1
order by model, tokens_counted, usd_per_million_tokens, price_terms, result_id
