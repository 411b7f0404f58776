-- Sources whose latest snapshot no longer prints any result, as of the last build.
-- grain: one row per source
with numbered as (
    select *, max(case when results > 0 then snapshot end) over (partition by source) as last_with_results
    from audit.snapshots
)

select
    source,
    arg_max(results_before, (snapshot, results_before)) as results_before,
    min(snapshot_at) filter (where snapshot > last_with_results) as lost_at
from numbered
group by source
having arg_max(results, (snapshot, results)) = 0 and count(last_with_results) > 0
order by source
