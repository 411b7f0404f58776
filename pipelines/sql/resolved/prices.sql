-- List prices printed.
-- grain: one row per printed price
select
    p.document_id,
    substr(sha256(concat_ws('|', p.document_id, p.line, p.char_start, p.char_end)), 1, 16) as evidence_id,
    p.line,
    coalesce(platform.name, p.platform_printed) as platform,
    p.platform_printed,
    p.price_usd,
    p.price_low_usd,
    p.price_high_usd,
    p.bound
from extracted.prices as p
left join resolved.names as platform
    on platform.kind = 'platforms' and p.platform_printed = platform.name_printed and platform.suite is null
order by p.document_id, p.line, p.char_start
