-- Every value a benchmark has had, by SDK release, and how it stands today.
-- grain: one row per benchmark, SDK release and value
with printed as (
    select
        r.*,
        d.source,
        d.snapshot_at,
        -- Only a result page is republished as a whole: what its latest snapshot leaves out was taken back.
        r.extractor <> 'results_page'
        or d.snapshot_at = max(d.snapshot_at) over (partition by d.source, r.extractor) as is_latest,
        case
            when r.extractor in ('training_log', 'program_log') then 1
            when r.extractor = 'results_page' then 2
            when r.extractor = 'chart_deck' then 3
            when r.extractor = 'claim_prose' then 4
            else 5
        end as distance
    from resolved.results as r
    inner join raw.sightings as d on r.document_id = d.document_id
),

dated as (
    select
        *,
        max(snapshot_at) over (partition by benchmark_key, sdk_order, source) as last_snapshot_at,
        bool_or(is_latest) over (partition by benchmark_key, sdk_order) as is_printed_now
    from printed
    -- Known errors that are dropped stay in resolved.results and in audit.corrections.
    where correction_action is distinct from 'drop'
),

-- A value stands in a release when the last snapshot of a source that prints the release still prints it.
valued as (
    select
        benchmark_key,
        sdk_order,
        value,
        max(sdk_version) as sdk_version,
        min(value_low) as value_low,
        max(value_high) as value_high,
        min(model) as model,
        min(platform) as platform,
        min(metric) as metric,
        min(unit) as unit,
        bool_or(snapshot_at = last_snapshot_at) as holds,
        bool_or(is_printed_now) as is_printed_now,
        max(snapshot_at) filter (where snapshot_at = last_snapshot_at) as held_on,
        min(distance) filter (where snapshot_at = last_snapshot_at) as distance,
        min(snapshot_at)::date as first_published_on,
        max(snapshot_at)::date as last_published_on,
        list(distinct document_id order by document_id) as document_ids,
        arg_min(result_id, (-epoch(snapshot_at), distance, document_id, line, result_id)) as result_id
    from dated
    group by benchmark_key, sdk_order, value
),

disputed as (
    select
        a.*,
        exists(
            select 1
            from valued as b
            where
                a.benchmark_key = b.benchmark_key
                and a.sdk_order is not distinct from b.sdk_order
                and a.holds
                and b.holds
                and (a.value_high < b.value_low or b.value_high < a.value_low)
        ) as is_disputed
    from valued as a
),

-- The latest published, then the most primary, then the first by its place.
placed as (
    select
        *,
        row_number() over (
            partition by benchmark_key, sdk_order
            order by holds desc, held_on desc, distance asc, document_ids asc, result_id asc
        ) = 1 as stands_in_release,
        rank() over (partition by benchmark_key order by sdk_order desc nulls last) = 1 as is_last_release
    from disputed
),

ranked as (
    select
        *,
        row_number() over (
            partition by benchmark_key
            order by
                (stands_in_release and is_printed_now) desc,
                sdk_order desc nulls last,
                held_on desc,
                distance asc,
                result_id asc
        ) = 1 and stands_in_release and is_printed_now as stands
    from placed
),

current_release as (
    select
        benchmark_key,
        sdk_order
    from ranked
    where stands
)

select
    r.benchmark_key,
    r.model,
    r.platform,
    r.metric,
    r.sdk_version,
    r.sdk_order,
    r.value,
    r.unit,
    case
        when not r.holds then 'restated'
        when r.is_disputed then 'conflicting'
        when r.stands then 'current'
        when
            not r.is_printed_now
            and (c.benchmark_key is null or r.sdk_order > c.sdk_order)
            and r.is_last_release
            then 'withdrawn'
        else 'superseded'
    end as status,
    r.stands,
    r.stands_in_release,
    r.first_published_on,
    r.last_published_on,
    len(r.document_ids) as documents,
    r.document_ids,
    r.result_id
from ranked as r
left join current_release as c on r.benchmark_key = c.benchmark_key
order by r.benchmark_key asc, r.sdk_order desc nulls last, r.value asc, r.result_id asc
