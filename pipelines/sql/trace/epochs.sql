-- The epochs of runs.
-- grain: one row per run and epoch
select
    run_id as traced_id,
    *
from resolved.training_epochs
where run_id in (select unnest($1::varchar[]))
order by run_id, epoch
