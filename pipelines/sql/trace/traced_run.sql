-- Training runs to be traced.
-- grain: one row per run
select * from resolved.training_runs
where run_id in (select unnest($1::varchar[]))
