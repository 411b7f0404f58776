-- Macros of costs, for the queries of a build and for those of readers.
-- `tokens_counted` is null for what is no rate of tokens. A prefill reads the tokens of the prompt.
create or replace temp macro tokens_counted(metric, unit) as case
    when unit not in ('tokens/s', 'output tokens/s', 'input tokens/s', 'total tokens/s') then null
    when unit = 'output tokens/s' then 'output'
    when unit = 'input tokens/s' or metric = 'prefill_throughput' then 'input'
    when unit = 'total tokens/s' or metric = 'total_token_throughput' then 'total'
    else 'not stated'
end;
create or replace temp macro cost_per_million_tokens(tokens_per_second, chips, usd_per_chip_hour) as
usd_per_chip_hour * chips / 3600 / tokens_per_second * 1e6;
create or replace temp macro rate_per_chip(metric, value, chips) as
if(ends_with(metric, '_per_device'), value, value / chips);
