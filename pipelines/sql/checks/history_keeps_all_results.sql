-- Results, except dropped known errors, whose benchmark, release and value are not in main.result_history.
select r.result_id
from resolved.results as r
left join main.result_history as h
    on r.benchmark_key = h.benchmark_key and r.sdk_order is not distinct from h.sdk_order and r.value = h.value
where h.benchmark_key is null and r.correction_action is distinct from 'drop'
