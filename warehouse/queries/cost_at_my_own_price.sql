-- What does a million tokens of a 70B model cost on H100 SXM at 2.10 USD per chip and hour?
-- Check tokens_counted, and put in your own price: output, input and total tokens do not compare.
select
    model,
    main.tokens_counted(metric, unit) as tokens_counted,
    chip,
    chips,
    precision,
    input_length,
    output_length,
    concurrency,
    round(value / chips, 1) as rate_per_chip,
    round(main.cost_per_million_tokens(value, chips, 2.10), 3) as usd_per_million_tokens,
    publisher,
    last_published_on,
    result_id
from main.current_results
where
    task = 'inference'
    and chip = 'H100 SXM'
    and contains(model, '70B')
    and not ends_with(metric, '_per_device')
    and main.tokens_counted(metric, unit) is not null
order by model, tokens_counted, usd_per_million_tokens, result_id
