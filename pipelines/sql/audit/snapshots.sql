-- Every snapshot of every source, with what it still prints of the one before.
-- grain: one row per snapshot of a source
with numbered as (
    select
        source,
        snapshot_at,
        row_number() over (partition by source order by snapshot_at) as snapshot,
        count(*) as documents,
        list(document_id order by path) as document_ids
    from raw.sightings
    group by source, snapshot_at
),

printed as (
    select distinct
        n.source,
        n.snapshot,
        r.benchmark_key
    from raw.sightings as d
    inner join numbered as n on d.source = n.source and d.snapshot_at = n.snapshot_at
    inner join resolved.results as r on d.document_id = r.document_id
),

counted as (
    select
        source,
        snapshot,
        count(*) as results
    from printed
    group by source, snapshot
),

lost as (
    select
        a.source,
        a.snapshot + 1 as snapshot,
        count(*) as results
    from printed as a
    anti join printed as b
        on a.source = b.source and a.snapshot + 1 = b.snapshot and a.benchmark_key = b.benchmark_key
    group by a.source, a.snapshot
),

compared as (
    select
        n.*,
        s.rows_lost_up_to,
        coalesce(c.results, 0) as results,
        case when n.snapshot > 1 then coalesce(b.results, 0) end as results_before,
        case when n.snapshot > 1 then coalesce(l.results, 0) end as results_lost
    from numbered as n
    inner join raw.sources as s on n.source = s.source
    left join counted as c on n.source = c.source and n.snapshot = c.snapshot
    left join counted as b on n.source = b.source and n.snapshot = b.snapshot + 1
    left join lost as l on n.source = l.source and n.snapshot = l.snapshot
)

select
    source,
    snapshot_at,
    snapshot,
    documents,
    document_ids,
    results,
    results_before,
    results_lost,
    case when results_before > 0 then results_lost / results_before when results_before = 0 then 0 end as share_lost,
    rows_lost_up_to,
    snapshot = max(snapshot) over (partition by source) as is_latest,
    coalesce(results_before > 0 and results_lost / results_before > rows_lost_up_to, false) as lost_too_many
from compared
order by source, snapshot
