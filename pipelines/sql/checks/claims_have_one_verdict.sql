-- Claims without a verdict or with several, and verdicts without inputs.
select
    c.claim_id,
    count(v.claim_id) as verdicts
from resolved.claims as c
left join audit.claim_verdicts as v on c.claim_id = v.claim_id
group by c.claim_id
having
    count(v.claim_id) <> 1
    or bool_or(v.reason is null)
    or bool_or(
        v.verdict <> 'not_checkable'
        and (v.recomputed_low is null or v.recomputed_high is null or len(v.inputs) < 2)
    )
order by c.claim_id
