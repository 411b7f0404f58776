-- What the latest snapshot of each source prints, as of the last build.
-- grain: one row per source
with numbered as (
    select *, max(case when results > 0 then snapshot end) over (partition by source) as last_with_results
    from audit.snapshots
)

select
    source,
    arg_max(results, (snapshot, results)) as results,
    arg_max(results_before, (snapshot, results_before)) as results_before,
    max(snapshot_at) as snapshot_at,
    min(snapshot_at) filter (where snapshot > last_with_results) as lost_at
from numbered
group by source
order by source
