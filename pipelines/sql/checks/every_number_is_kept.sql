-- Measured numbers that are neither a result nor a fact of a platform.
with kept as (
    select evidence_id from resolved.results
    union all
    select evidence_id from resolved.platform_facts
    union all
    select evidence_id from resolved.prices
)

select
    m.document_id,
    m.line,
    m.char_start,
    m.metric
from extracted.measurements as m
anti join kept
    on kept.evidence_id = substr(sha256(concat_ws('|', m.document_id, m.line, m.char_start, m.char_end)), 1, 16)
