-- What changed between the last two snapshots of each source?
-- Check event: restated means that the value changed under the same release, replaced that no release is stated.
select
    e.source,
    e.snapshot_at::date as snapshot_on,
    e.event,
    e.model,
    e.platform,
    e.metric,
    e.sdk_version_from,
    e.sdk_version_to,
    e.value_from,
    e.value_to,
    e.unit
from audit.snapshot_events as e
inner join audit.snapshots as s on e.source = s.source and e.snapshot_at = s.snapshot_at and s.is_latest
order by e.source, e.event, e.model, e.platform, e.metric, e.value_to, e.value_from
