-- Claims to be traced.
-- grain: one row per claim
select * from resolved.claims
where claim_id in (select unnest($1::varchar[]))
