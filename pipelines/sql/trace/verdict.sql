-- The verdicts on claims, with the printed numbers that they use.
-- grain: one row per claim
with inputs as (
    select claim_id, unnest(inputs) as evidence_id from audit.claim_verdicts
    where claim_id in (select unnest($1))
),

places as (
    select
        i.claim_id,
        list(
            { 'evidence_id': e.evidence_id, 'path': d.path, 'line': e.line, 'text_printed': e.text_printed }
            order by d.path, e.line, e.char_start
        ) as places
    from inputs as i
    inner join resolved.evidence as e on i.evidence_id = e.evidence_id
    inner join raw.documents as d on e.document_id = d.document_id
    group by i.claim_id
)

select
    v.claim_id as traced_id, v.claim_id, v.verdict, v.recomputed_low, v.recomputed_high, v.reason, v.differences,
    v.assumption, v.break_even, v.assumption_unit, v.method_version, coalesce(p.places, []) as inputs
from audit.claim_verdicts as v
left join places as p on v.claim_id = p.claim_id
where v.claim_id in (select unnest($1::varchar[]))
