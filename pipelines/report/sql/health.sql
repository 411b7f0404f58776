-- How each source is: when it was last seen, what its newest snapshot lost, what is refused, and what is kept from a
-- page that prints it no longer; those first that need a look.
-- grain: one row per source
with snapshots as (
    select
        source,
        max(snapshot_at) as last_snapshot_at,
        max(results_before) filter (where is_latest and lost_too_many) as results_before,
        max(results_lost) filter (where is_latest and lost_too_many) as results_lost
    from audit.snapshots
    group by source
),

fetched as (
    select
        source,
        max(attempted_at) as last_tried_at,
        arg_max(outcome || coalesce(': ' || reason, ''), attempted_at) as last_outcome,
        max(attempted_at) filter (where outcome in ('changed', 'unchanged')) as last_answered_at
    from raw.fetches
    group by source
),

refused as (
    select
        d.source,
        count(*) filter (where x.scope = 'table') as tables_refused,
        count(*) filter (where x.scope = 'document') as documents_refused,
        count(*) as rejects
    from audit.rejects as x
    inner join raw.documents as d on x.document_id = d.document_id
    group by d.source
),

kept as (
    select
        d.source,
        count(distinct c.result_id) as kept
    from main.current_results as c
    inner join resolved.results as r on c.result_id = r.result_id
    inner join raw.documents as d on r.document_id = d.document_id
    inner join snapshots as s on d.source = s.source
    where d.snapshot_at < s.last_snapshot_at
    group by d.source
),

withdrawn as (
    select
        source,
        count(*) as withdrawn
    from main.result_history
    where status = 'withdrawn'
    group by source
)

select
    s.source,
    s.title,
    s.publisher,
    p.last_snapshot_at,
    f.last_answered_at,
    f.last_tried_at,
    f.last_outcome,
    p.results_before,
    p.results_lost,
    coalesce(r.tables_refused, 0) as tables_refused,
    coalesce(r.documents_refused, 0) as documents_refused,
    coalesce(r.rejects, 0) as rejects,
    coalesce(k.kept, 0) as kept,
    coalesce(w.withdrawn, 0) as withdrawn,
    p.results_lost is not null as is_degraded,
    coalesce(f.last_tried_at > f.last_answered_at or f.last_answered_at is null and f.last_tried_at is not null, false)
        as is_unreachable
from raw.sources as s
left join snapshots as p on s.source = p.source
left join fetched as f on s.source = f.source
left join refused as r on s.source = r.source
left join kept as k on s.source = k.source
left join withdrawn as w on s.source = w.source
order by
    is_degraded desc, is_unreachable desc, coalesce(r.rejects, 0) > 0 desc, coalesce(k.kept, 0) > 0 desc,
    s.publisher asc, s.source asc
