-- What changed from one snapshot of a source to the next, newest first.
-- grain: one row per benchmark or heading that changed
select
    e.source,
    s.publisher,
    e.snapshot_at,
    e.event,
    e.model,
    e.platform,
    p.task,
    e.metric,
    p.statistic,
    p.batch_size,
    e.sdk_version_from,
    e.sdk_version_to,
    e.value_from,
    e.value_to,
    e.unit,
    e.heading_from,
    e.heading_to,
    e.benchmark_key,
    coalesce(e.value_to / nullif(e.value_from, 0) not between 0.2 and 5, false) as is_outlier,
    p.vendor,
    p.result_id
from audit.snapshot_events as e
inner join raw.sources as s on e.source = s.source
left join main.result_history as p
    on e.benchmark_key = p.benchmark_key and p.stands
order by
    e.snapshot_at desc,
    e.source asc,
    is_outlier desc,
    e.event asc,
    e.model asc,
    e.platform asc,
    e.metric asc,
    e.benchmark_key asc,
    e.value_to asc
