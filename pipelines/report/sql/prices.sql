-- List prices and rents that documents print, the newest first.
-- grain: one row per printed price
select
    p.platform,
    p.price_usd,
    p.bound,
    p.unit,
    p.terms,
    p.evidence_id,
    d.source,
    d.published_on
from resolved.prices as p
inner join raw.documents as d on p.document_id = d.document_id
order by
    p.platform asc,
    d.published_on desc nulls last,
    p.price_usd asc,
    p.evidence_id asc
