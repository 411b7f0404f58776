-- Values of the history whose status does not follow from what the snapshots of their sources print.
with printed as (
    select
        r.benchmark_key,
        r.sdk_order,
        r.value,
        r.value_low,
        r.value_high,
        r.document_id,
        d.publisher,
        s.source,
        s.snapshot_at,
        s.snapshot_at = max(s.snapshot_at) over (partition by s.source) as is_latest
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    inner join raw.sightings as s on r.document_id = s.document_id
    where r.correction_action is distinct from 'drop'
),

history as (
    select
        h.*,
        r.suite,
        r.value_low,
        r.value_high,
        d.publisher
    from main.result_history as h
    inner join resolved.results as r on h.result_id = r.result_id
    inner join raw.documents as d on r.document_id = d.document_id
),

-- The values of a benchmark and release in each snapshot of a source.
snapshots as (
    select
        benchmark_key,
        sdk_order,
        source,
        snapshot_at,
        list(distinct value order by value) as snapshot_values
    from printed
    group by benchmark_key, sdk_order, source, snapshot_at
),

-- Whether a source still prints a value in the last snapshot that prints the release.
last_printed as (
    select
        p.benchmark_key,
        p.sdk_order,
        p.value,
        list_contains(max_by(s.snapshot_values, (s.snapshot_at, s.snapshot_values)), p.value) as is_kept
    from printed as p
    inner join snapshots as s
        on
        p.benchmark_key = s.benchmark_key
        and p.sdk_order is not distinct from s.sdk_order
        and p.source = s.source
    group by p.benchmark_key, p.sdk_order, p.value, p.source
),

-- A value is given up when no source that has printed it still does.
kept as (
    select
        benchmark_key,
        sdk_order,
        value,
        bool_or(is_kept) as is_kept
    from last_printed
    group by benchmark_key, sdk_order, value
),

faults as (
    select
        h.benchmark_key,
        h.value,
        h.status,
        'its page prints it last of its release, or has not printed another value' as reason
    from history as h
    inner join kept as k
        on h.benchmark_key = k.benchmark_key and h.sdk_order is not distinct from k.sdk_order and h.value = k.value
    where k.is_kept and h.status in ('restated', 'replaced')
    union all
    select
        h.benchmark_key,
        h.value,
        h.status,
        'its page prints another value of the release' as reason
    from history as h
    inner join kept as k
        on h.benchmark_key = k.benchmark_key and h.sdk_order is not distinct from k.sdk_order and h.value = k.value
    where not k.is_kept and h.status not in ('restated', 'replaced')
    union all
    select
        benchmark_key,
        value,
        status,
        'a correction has a release, and what replaces a value has none' as reason
    from history
    where
        status in ('restated', 'replaced')
        and (status = 'restated') <> (len(sdk_order) > 1 or coalesce(regexp_matches(suite, ' v\d'), false))
    union all
    select
        h.benchmark_key,
        h.value,
        h.status,
        'the latest snapshot of its publisher prints it' as reason
    from history as h
    semi join printed as p
        on
        h.benchmark_key = p.benchmark_key
        and h.sdk_order is not distinct from p.sdk_order
        and h.value = p.value
        and h.publisher = p.publisher
        and p.is_latest
    where h.status in ('withdrawn', 'moved')
    union all
    select
        h.benchmark_key,
        h.value,
        h.status,
        'the document prints another value of the benchmark and release' as reason
    from history as h
    inner join printed as a
        on h.benchmark_key = a.benchmark_key and h.sdk_order is not distinct from a.sdk_order and h.value = a.value
    semi join printed as b
        on
        h.benchmark_key = b.benchmark_key
        and h.sdk_order is not distinct from b.sdk_order
        and a.document_id = b.document_id
        and a.snapshot_at = b.snapshot_at
        and a.is_latest
        and (a.value_high < b.value_low or a.value_low > b.value_high)
    where h.status = 'current'
    union all
    select
        h.benchmark_key,
        h.value,
        h.status,
        'no current row is the same result' as reason
    from history as h
    anti join history as s
        on
        h.same_as = s.benchmark_key
        and s.stands
        and h.model = s.model
        and h.platform = s.platform
        and h.metric = s.metric
        and h.statistic is not distinct from s.statistic
        and coalesce(h.accelerator_count = s.accelerator_count, true)
        and coalesce(h.precision = s.precision, true)
        and h.value_low <= s.value_high
        and h.value_high >= s.value_low
    where h.status in ('moved', 'repeated')
)

select
    benchmark_key,
    value,
    status,
    reason
from faults
order by benchmark_key, value, status, reason
