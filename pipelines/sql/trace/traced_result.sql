-- Results to be traced.
-- grain: one row per result
select * from resolved.results
where result_id in (select unnest($1::varchar[]))
