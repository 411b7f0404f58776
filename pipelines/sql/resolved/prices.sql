-- Printed prices: purchase prices of systems and hourly rates.
-- grain: one row per printed price
select
    document_id,
    evidence_id,
    line,
    platform,
    platform_printed,
    accelerator_count,
    value as price_usd,
    value_low as price_low_usd,
    value_high as price_high_usd,
    bound,
    unit,
    terms
from resolved.platform_facts
where terms is not null
order by document_id, line, evidence_id
