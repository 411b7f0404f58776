-- Where each printed place that the audit speaks of is shown: with its result, its claim, or by itself.
-- grain: one row per place
with spoken_of as (
    select unnest(inputs) as evidence_id from audit.claim_verdicts
    union
    select evidence_id from audit.discrepancies
    union
    select left_evidence_id from audit.conflicts
    union
    select right_evidence_id from audit.conflicts
    union
    select evidence_id from resolved.prices
    union
    select evidence_id from resolved.platform_facts
),

results as (
    select
        evidence_id,
        min(result_id) as result_id
    from resolved.results
    group by evidence_id
),

claims as (
    select
        evidence_id,
        min(claim_id) as claim_id
    from resolved.claims
    group by evidence_id
)

select
    e.evidence_id,
    e.document_id,
    case
        when r.result_id is not null then 'result'
        when c.claim_id is not null then 'claim'
        else 'evidence'
    end as kind,
    coalesce(r.result_id, c.claim_id, e.evidence_id) as id
from resolved.evidence as e
semi join spoken_of as s on e.evidence_id = s.evidence_id
left join results as r on e.evidence_id = r.evidence_id
left join claims as c on e.evidence_id = c.evidence_id
order by e.document_id, e.line, e.char_start, e.evidence_id
