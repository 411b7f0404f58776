-- What has changed from one snapshot of a source to the next, since $1, and what a webhook reports (`is_alert`).
-- grain: one row per change
--
-- An alert is a source that cannot be fetched or has lost its results, a refused file or table, a renamed heading, a
-- contradicted claim, and a current result that is more than 10% worse than the one before.
with results as (
    select
        e.*,
        p.task,
        p.statistic,
        p.batch_size,
        p.vendor,
        p.result_id,
        coalesce(e.value_to / nullif(e.value_from, 0) not between 0.2 and 5, false) as is_outlier,
        coalesce(
            e.value_to = c.value
            and e.value_from > 0
            and if(c.higher_is_better, e.value_to < 0.9 * e.value_from, e.value_to > 1.1 * e.value_from),
            false
        ) as is_worse
    from audit.snapshot_events as e
    left join main.result_history as p on e.benchmark_key = p.benchmark_key and p.stands
    left join main.current_results as c on e.benchmark_key = c.benchmark_key and c.higher_is_better is not null
),

worded as (
    select
        * exclude (from_document_id, to_document_id, is_worse),
        is_worse or event = 'renamed_header' as is_alert,
        case
            when event = 'renamed_header' then format('{} is now {}', heading_from, heading_to)
            else format(
                    '{}: {} {}',
                    concat_ws(
                        ', ',
                        coalesce(model, '') || coalesce(' on ' || platform, ''),
                        trim(coalesce(task, '') || ' ' || replace(metric, '_', ' ') || coalesce(' ' || statistic, '')),
                        'batch ' || batch_size
                    ),
                    concat_ws(
                        ' to ',
                        regexp_replace(value_from::varchar, '\.0$', ''),
                        regexp_replace(value_to::varchar, '\.0$', '')
                    ),
                    unit || coalesce(' (SDK ' || sdk_version_to || ')', '')
                )
                || if(is_worse, format(', {:.0f}% worse', 100 * abs(value_to / value_from - 1)), '')
        end as text,
        concat_ws('|', source, snapshot_at, benchmark_key, sdk_version_to, heading_from, heading_to) as subject
    from results
),

alike as (
    select * from worded
    qualify count(*) over (partition by source, snapshot_at, event, text) > 1
),

printed as (
    select
        benchmark_key,
        min(result_id) as result_id
    from resolved.results
    group by benchmark_key
),

-- Of changes with the same text, the conditions that not all of them have.
conditions as (
    select
        a.subject,
        replace(c.dimension, '_', ' ') || ' ' || c.value as condition
    from alike as a
    inner join printed as p on a.benchmark_key = p.benchmark_key
    inner join resolved.result_conditions as c on p.result_id = c.result_id
    qualify
        count(*) over (partition by a.source, a.snapshot_at, a.event, a.text, c.dimension, c.value)
        < count(distinct a.subject) over (partition by a.source, a.snapshot_at, a.event, a.text)
),

apart as (
    select
        subject,
        string_agg(condition, ', ' order by condition) as conditions
    from conditions
    group by subject
),

compared as (
    select
        w.* exclude (text),
        w.text || coalesce(' [' || d.conditions || ']', '') as text
    from worded as w
    left join apart as d on w.subject = d.subject
),

snapshots as (
    select
        source,
        snapshot_at,
        if(snapshot = 1, 'first_snapshot', 'results_lost') as event,
        snapshot > 1 as is_alert,
        case
            when snapshot > 1 then format('{} of {} results', results_lost, results_before)
            when results = 0 then 'no results'
            else results || if(results = 1, ' result', ' results')
        end as text,
        concat_ws('|', source, snapshot_at) as subject
    from audit.snapshots
    where snapshot = 1 or lost_too_many
),

-- As long as the same snapshots are refused for the same reason, it is one change.
refused as (
    select
        s.source,
        min(s.snapshot_at) as snapshot_at,
        if(x.rule = 'schema_drift', 'schema_drift', 'table_refused') as event,
        true as is_alert,
        if(x.rule = 'schema_drift', '', x.rule || ': ') || x.reason as text,
        concat_ws('|', s.source, x.rule, x.reason) as subject
    from audit.rejects as x
    inner join raw.sightings as s on x.document_id = s.document_id
    where
        x.rule = 'mapping_error'
        or (source_format(x.extractor).takes_mapping and (x.scope = 'table' or x.rule = 'section_gone'))
    group by all
),

looks as (
    select
        *,
        regexp_extract(url, '://([^/?#]+)', 1) as host,
        -- As the reader of pages words it: there was no answer, not even one that refuses.
        outcome = 'failed' and coalesce(contains(reason, 'no complete '), false) as is_unanswered
    from raw.fetches
),

-- Hosts that do not answer while others do fail one by one; where none answers, it is this machine.
tried as (
    select
        *,
        coalesce(
            max(attempted_at) filter (where outcome in ('changed', 'unchanged')) over (partition by source),
            timestamp '0001-01-01'
        ) as seen_at,
        if(
            count(*) filter (where not is_unanswered) over (
                order by attempted_at range between interval 5 minutes preceding and interval 5 minutes following
            ) > 0,
            host || '|' || coalesce(max(attempted_at) filter (where not is_unanswered) over (
                partition by host order by attempted_at
            )::varchar, ''),
            '|' || coalesce(max(attempted_at) filter (where not is_unanswered) over (
                order by attempted_at
            )::varchar, '')
        ) as outage
    from looks
),

unseen as (
    select
        source,
        min(attempted_at) as snapshot_at,
        arg_max(host, (attempted_at, outcome, reason, host)) as host,
        arg_max(outcome || coalesce(': ' || reason, ''), (attempted_at, outcome, reason)) as text,
        if(
            arg_max(is_unanswered, (attempted_at, outcome, reason, is_unanswered)),
            arg_min(outage, (attempted_at, outcome, reason, outage)),
            concat_ws('|', source, min(attempted_at))
        ) as subject
    from tried
    where attempted_at > seen_at
    group by source
),

-- One outage is one change, however many sources it keeps from being fetched.
not_fetched as (
    select
        if(count(*) = 1, min(source), null) as source,
        min(snapshot_at) as snapshot_at,
        'not_fetched' as event,
        true as is_alert,
        if(
            count(*) = 1,
            min(text),
            format('{} sources of {}', count(*), array_to_string(list(distinct host order by host)[:5], ', '))
            || if(count(distinct host) > 5, format(' and {} more hosts', count(distinct host) - 5), '')
            || ': ' || arg_max(text, (snapshot_at, source, text))
        ) as text,
        subject
    from unseen
    group by subject
),

-- What the store itself refuses is known by its path, and since the build that has refused it first.
faulty as (
    select
        array_to_string(string_split(path, '/')[:2], '/') as source,
        first_seen as snapshot_at,
        'file_refused' as event,
        true as is_alert,
        format('{}: {}', path, reason) as text,
        reject_id as subject
    from audit.rejects
    where extractor = 'store'
),

-- The printed places that the verdict rests on: a claim is contradicted since the newest of their documents.
places as (
    select
        c.claim_id,
        unnest(list_append(c.inputs, r.evidence_id)) as evidence_id
    from main.claims as c
    inner join resolved.claims as r on c.claim_id = r.claim_id
    where c.verdict = 'contradicted'
),

dated as (
    select
        p.claim_id,
        max(d.snapshot_at) as snapshot_at
    from places as p
    inner join resolved.evidence as e on p.evidence_id = e.evidence_id
    inner join raw.documents as d on e.document_id = d.document_id
    group by p.claim_id
),

contradicted as (
    select
        c.source,
        d.snapshot_at,
        c.verdict as event,
        true as is_alert,
        coalesce(c.sentence, r.text_printed) || if(c.is_paraphrase, ' [paraphrase]', '') || ': ' || c.reason as text,
        c.model,
        c.subject_platform as platform,
        c.task,
        c.metric,
        n.vendor,
        c.claim_id,
        c.claim_id as subject
    from main.claims as c
    inner join dated as d on c.claim_id = d.claim_id
    inner join resolved.claims as r on c.claim_id = r.claim_id
    left join resolved.names as n
        on n.kind = 'platforms' and r.subject_printed = n.name_printed and r.suite is not distinct from n.suite
),

drifted as (
    select distinct
        source,
        snapshot_at
    from refused
    where event = 'schema_drift'
),

-- What a table with a renamed heading does not give is lost because of that: it is one alert.
counted as (
    select s.* replace (s.is_alert and d.source is null as is_alert)
    from snapshots as s
    left join drifted as d on s.source = d.source and s.snapshot_at = d.snapshot_at
),

changes as (
    select * from compared
    union all by name
    select * from counted
    union all by name
    select * from refused
    union all by name
    select * from not_fetched
    union all by name
    select * from faulty
    union all by name
    select * from contradicted
)

select
    snapshot_at,
    event,
    source,
    text,
    is_alert,
    coalesce(is_outlier, false) as is_outlier,
    model,
    platform,
    vendor,
    task,
    metric,
    statistic,
    batch_size,
    sdk_version_from,
    sdk_version_to,
    value_from,
    value_to,
    unit,
    heading_from,
    heading_to,
    benchmark_key,
    result_id,
    claim_id,
    substr(sha256(event || '|' || subject), 1, 16) as change_id
from changes
where snapshot_at >= $1
order by
    snapshot_at desc,
    source asc,
    is_outlier desc,
    event asc,
    model asc,
    platform asc,
    metric asc,
    benchmark_key asc,
    value_to asc,
    subject asc
