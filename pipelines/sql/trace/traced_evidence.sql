-- Printed places to be traced.
-- grain: one row per printed place
select * from resolved.evidence
where evidence_id in (select unnest($1::varchar[]))
