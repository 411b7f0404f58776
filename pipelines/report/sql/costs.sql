-- What a million output tokens costs at listed prices on demand: the least of each vendor, for the newest models.
-- grain: one row per family and vendor
with best as (
    select *
    from main.token_costs
    where tokens_counted = 'output' and price_terms = 'on demand' and model_family is not null and vendor is not null
    qualify
        row_number() over (
            partition by model_family, vendor
            order by usd_per_million_tokens asc, result_id asc, price_evidence_id asc
        ) = 1
)

select
    n.*,
    dense_rank() over (order by n.newest desc, n.model_family asc) as place
from (
    select
        b.*,
        max(b.last_published_on) over (partition by b.model_family) as newest
    from best as b
) as n
qualify place <= 8
order by place, n.usd_per_million_tokens, n.result_id
