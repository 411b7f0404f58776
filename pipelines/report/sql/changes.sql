-- What the snapshots of sources have changed, the newest first: counts by event, and the largest of the outlier gains
-- and losses.
-- grain: one row per snapshot with changes
with counted as (
    select
        source,
        snapshot_at,
        event,
        count(*) as changed
    from audit.snapshot_events
    group by source, snapshot_at, event
),

outliers as (
    select
        source,
        snapshot_at,
        {
            'model': model,
            'platform': platform,
            'metric': metric,
            'value_from': value_from,
            'value_to': value_to,
            'unit': unit,
            'outliers': count(*) over (partition by source, snapshot_at)
        } as outlier
    from audit.snapshot_events
    where coalesce(value_to / nullif(value_from, 0) not between 0.2 and 5, false)
    qualify row_number() over (
            partition by source, snapshot_at
            order by event, model, platform, metric, benchmark_key, value_to
        ) = 1
)

select
    c.source,
    c.snapshot_at,
    list({ 'event': c.event, 'changed': c.changed } order by c.event) as events,
    min(o.outlier) as outlier
from counted as c
left join outliers as o on c.source = o.source and c.snapshot_at = o.snapshot_at
group by c.source, c.snapshot_at
order by c.snapshot_at desc, c.source desc
