-- Changes between consecutive snapshots of a source.
-- grain: one row per benchmark or heading that changed between two consecutive snapshots
with placed as (
    select
        s.source,
        s.snapshot,
        s.snapshot_at,
        s.is_latest,
        unnest(s.document_ids) as document_id
    from audit.snapshots as s
),

-- A value that two places of one snapshot print is one; of two values, the first place counts.
printed as (
    select
        p.source,
        p.snapshot,
        r.benchmark_key,
        r.sdk_order,
        min((r.document_id, r.line, r.value, r.sdk_version)) as first_place,
        first_place[1] as document_id,
        first_place[3] as value,
        first_place[4] as sdk_version,
        min(r.value_low) as value_low,
        max(r.value_high) as value_high,
        min(r.model) as model,
        min(r.platform) as platform,
        min(r.metric) as metric,
        min(r.unit) as unit,
        bool_or(len(r.sdk_order) > 1 or coalesce(regexp_matches(r.suite, ' v\d'), false)) as states_release
    from placed as p
    inner join resolved.results as r on p.document_id = r.document_id
    group by p.source, p.snapshot, r.benchmark_key, r.sdk_order
),

-- The release that a snapshot prints of a benchmark; where it prints several, the highest.
latest as (
    select
        source,
        snapshot,
        benchmark_key,
        arg_max(sdk_version, (sdk_order, sdk_version)) filter (where sdk_order is not null) as sdk_version,
        arg_max(value, (sdk_order, value)) filter (where sdk_order is not null) as value
    from printed
    group by source, snapshot, benchmark_key
),

-- Every document of a snapshot is compared with one of the snapshot before.
steps as (
    select
        b.source,
        b.snapshot,
        b.snapshot_at,
        a.document_ids[1] as from_document_id,
        b.document_ids[1] as to_document_id
    from audit.snapshots as b
    inner join audit.snapshots as a on b.source = a.source and b.snapshot = a.snapshot + 1
),

appeared as (
    select
        t.source,
        t.snapshot_at,
        t.from_document_id,
        n.document_id as to_document_id,
        -- A benchmark that the snapshot before printed under an older release is no new one.
        case when l.benchmark_key is null then 'added' else 'new_release' end as event,
        n.benchmark_key,
        n.model,
        n.platform,
        n.metric,
        l.sdk_version as sdk_version_from,
        n.sdk_version as sdk_version_to,
        l.value as value_from,
        n.value as value_to,
        n.unit
    from steps as t
    inner join printed as n on t.source = n.source and t.snapshot = n.snapshot
    anti join printed as o
        on
        n.source = o.source
        and n.snapshot = o.snapshot + 1
        and n.benchmark_key = o.benchmark_key
        and n.sdk_order is not distinct from o.sdk_order
    left join latest as l on n.source = l.source and n.snapshot = l.snapshot + 1 and n.benchmark_key = l.benchmark_key
),

disappeared as (
    select
        t.source,
        t.snapshot_at,
        o.document_id as from_document_id,
        t.to_document_id,
        'removed' as event,
        o.benchmark_key,
        o.model,
        o.platform,
        o.metric,
        o.sdk_version as sdk_version_from,
        null as sdk_version_to,
        o.value as value_from,
        null as value_to,
        o.unit
    from steps as t
    inner join printed as o on t.source = o.source and t.snapshot = o.snapshot + 1
    -- A newer release takes the place of an older one; an older one that is left over does not.
    anti join printed as n
        on
        o.source = n.source
        and o.snapshot + 1 = n.snapshot
        and o.benchmark_key = n.benchmark_key
        and coalesce(o.sdk_order <= n.sdk_order, true)
),

restated as (
    select
        t.source,
        t.snapshot_at,
        o.document_id as from_document_id,
        n.document_id as to_document_id,
        -- Without a printed release nobody can tell a correction from a newer measurement.
        case when n.states_release then 'restated' else 'replaced' end as event,
        n.benchmark_key,
        n.model,
        n.platform,
        n.metric,
        o.sdk_version as sdk_version_from,
        n.sdk_version as sdk_version_to,
        o.value as value_from,
        n.value as value_to,
        n.unit
    from steps as t
    inner join printed as n on t.source = n.source and t.snapshot = n.snapshot
    inner join printed as o
        on
        n.source = o.source
        and n.snapshot = o.snapshot + 1
        and n.benchmark_key = o.benchmark_key
        and n.sdk_order is not distinct from o.sdk_order
    where n.value <> o.value
),

-- The headings above a benchmark, one row per column.
headed as (
    select distinct
        p.source,
        p.snapshot,
        p.document_id,
        r.benchmark_key,
        string_split(m.headings_printed, ' | ') as headings
    from placed as p
    inner join resolved.results as r on p.document_id = r.document_id
    inner join resolved.evidence as e on r.evidence_id = e.evidence_id
    inner join extracted.measurements as m
        on
        e.document_id = m.document_id
        and e.line = m.line
        and e.char_start = m.char_start
        and r.metric = m.metric
        and r.statistic is not distinct from m.statistic
    where m.headings_printed is not null
),

-- Tables with as many columns before and after, above the same benchmark: a heading that differs was renamed.
tables_compared as (
    select distinct
        t.source,
        t.snapshot_at,
        o.document_id as from_document_id,
        n.document_id as to_document_id,
        o.headings as headings_from,
        n.headings as headings_to
    from steps as t
    inner join headed as n on t.source = n.source and t.snapshot = n.snapshot
    inner join headed as o
        on n.source = o.source and n.snapshot = o.snapshot + 1 and n.benchmark_key = o.benchmark_key
    where len(o.headings) = len(n.headings) and o.headings <> n.headings
),

compared as (
    select
        source,
        snapshot_at,
        from_document_id,
        to_document_id,
        unnest(headings_from) as heading_from,
        unnest(headings_to) as heading_to
    from tables_compared
),

-- Several documents of a snapshot may show the heading; the first is named.
renamed as (
    select
        source,
        snapshot_at,
        min((from_document_id, to_document_id)) as documents,
        heading_from,
        heading_to
    from compared
    where heading_from <> heading_to
    group by source, snapshot_at, heading_from, heading_to
),

events as (
    select * from appeared
    union all by name
    select * from disappeared
    union all by name
    select * from restated
    union all by name
    select
        source,
        snapshot_at,
        documents[1] as from_document_id,
        documents[2] as to_document_id,
        heading_from,
        heading_to,
        'renamed_header' as event
    from renamed
)

select
    source,
    snapshot_at,
    from_document_id,
    to_document_id,
    event,
    benchmark_key,
    model,
    platform,
    metric,
    sdk_version_from,
    sdk_version_to,
    value_from,
    value_to,
    unit,
    heading_from,
    heading_to
from events
order by source, snapshot_at, event, benchmark_key, sdk_version_to, heading_from, heading_to, to_document_id
