-- Snapshots of each source, with the number of results that each one lost.
-- grain: one row per snapshot of a source
with numbered as (
    select
        source,
        snapshot_at,
        row_number() over (partition by source order by snapshot_at) as snapshot,
        count(*) as documents,
        list(document_id order by path, document_id) as document_ids
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

-- A page that prints nothing twice, with other words, has still lost what it printed before.
paired as (
    select
        n.*,
        coalesce(c.results, 0) as results,
        max(case when c.results > 0 then n.snapshot end)
            over (
                partition by n.source
                order by n.snapshot
                rows between unbounded preceding and 1 preceding
            )
            as before
    from numbered as n
    left join counted as c on n.source = c.source and n.snapshot = c.snapshot
),

lost as (
    select
        p.source,
        p.snapshot,
        count(*) as results
    from paired as p
    inner join printed as a on p.source = a.source and p.before = a.snapshot
    anti join printed as b on a.source = b.source and p.snapshot = b.snapshot and a.benchmark_key = b.benchmark_key
    group by p.source, p.snapshot
),

compared as (
    select
        n.*,
        s.rows_lost_up_to,
        case when n.snapshot > 1 then coalesce(b.results, 0) end as results_before,
        case when n.snapshot > 1 then coalesce(l.results, 0) end as results_lost
    from paired as n
    inner join raw.sources as s on n.source = s.source
    left join counted as b on n.source = b.source and n.before = b.snapshot
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
