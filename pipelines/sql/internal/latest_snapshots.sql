-- The latest snapshot of each source, and what it lost; null where that is within `rows_lost_up_to` of source.yml.
-- grain: one row per source
select
    source,
    strftime(snapshot_at, '%Y-%m-%d') as latest_snapshot,
    snapshot as snapshots,
    results,
    case
        when lost_too_many
            then format(
                    '{} lost {} of {} benchmarks in its snapshot of {}',
                    source, results_lost, results_before, strftime(snapshot_at, '%Y-%m-%d')
                )
    end as reason
from audit.snapshots
where is_latest
order by source
