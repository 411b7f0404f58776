-- Conflicts of results whose benchmark has no conflicting row in the history.
select c.benchmark_key
from audit.conflicts as c
left join main.result_history as h on c.benchmark_key = h.benchmark_key and h.status = 'conflicting'
where h.benchmark_key is null and c.kind <> 'of_platform'
