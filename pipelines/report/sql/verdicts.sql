-- How many claims have each verdict.
-- grain: one row per verdict
select
    v.verdict,
    count(c.claim_id) as claims
from (
    select unnest(['contradicted', 'confirmed', 'consistent', 'not_checkable']) as verdict
) as v
left join main.claims as c on v.verdict = c.verdict
group by v.verdict
order by list_position(['contradicted', 'confirmed', 'consistent', 'not_checkable'], v.verdict)
