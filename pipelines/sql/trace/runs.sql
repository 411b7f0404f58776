-- The runs behind results, fastest first.
-- grain: one row per run
select result_id as traced_id, result_id, run_id, training_time_s, status, scored_as, seed, line, document_id
from resolved.training_runs
where result_id in (select unnest($1::varchar[]))
order by result_id, status <> 'success', training_time_s, line
