-- Everything that has a page with its printed characters: results, and other places that the audit speaks of.
-- grain: one row per result or place
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
),

places as (
    select e.evidence_id from resolved.evidence as e
    semi join spoken_of as s on e.evidence_id = s.evidence_id
    anti join resolved.results as r on e.evidence_id = r.evidence_id
    anti join resolved.claims as c on e.evidence_id = c.evidence_id
)

select
    'result' as kind,
    r.result_id as id,
    r.evidence_id,
    r.document_id
from resolved.results as r
union all
select
    'claim' as kind,
    c.claim_id as id,
    c.evidence_id,
    c.document_id
from resolved.claims as c
union all
select
    'evidence' as kind,
    e.evidence_id as id,
    e.evidence_id,
    e.document_id
from resolved.evidence as e
semi join places as p on e.evidence_id = p.evidence_id
order by document_id, kind, id
