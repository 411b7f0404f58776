-- Relations between printed numbers that do not hold.
-- grain: one row per relation and printed number
with known as (
    select
        evidence_id,
        min(correction) as correction
    from resolved.results
    where correction is not null
    group by evidence_id
)

select
    r.relation_id,
    r.check_name,
    r.document_id,
    r.evidence_id,
    r.line,
    r.expected_low,
    r.expected_high,
    r.printed,
    r.unit,
    r.inputs,
    r.reason,
    known.correction as known_error
from audit.relations as r
left join known on r.evidence_id = known.evidence_id
where not r.holds
order by r.document_id, r.line, r.check_name, r.evidence_id, r.inputs
