-- The printed places that claims were checked with.
-- grain: one row per claim and place
with inputs as (
    select
        claim_id,
        unnest(inputs) as evidence_id
    from audit.claim_verdicts
)

select
    i.claim_id,
    i.evidence_id
from inputs as i
semi join resolved.evidence as e on i.evidence_id = e.evidence_id
order by i.claim_id, i.evidence_id
