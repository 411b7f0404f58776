-- All values of each benchmark by SDK release, with status (current, superseded, restated, moved ...).
-- grain: one row per benchmark, SDK release and value
with submitted as (
    select
        result_id,
        min(submitter) as submitter
    from resolved.training_runs
    where result_id is not null
    group by result_id
),

-- 2.20 and 2.20.0 are one release of a publisher: it goes by the name that says most.
releases as (
    select
        d.publisher,
        r.release_product,
        r.sdk_order,
        max((len(r.sdk_version), r.sdk_version))[2] as name
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    where r.sdk_order is not null
    group by d.publisher, r.release_product, r.sdk_order
),

-- The last day on which a source was fetched or captured; of a page that was replaced, captures are of before.
seen as (
    select
        source,
        max(seen_on) as last_seen_on
    from (
        select
            s.source,
            least(greatest(s.snapshot_at, d.retrieved_at)::date, o.replaced_on) as seen_on
        from raw.sightings as s
        inner join raw.documents as d on s.document_id = d.document_id
        left join raw.sources as o on s.source = o.source
        union all
        select
            source,
            attempted_at::date as seen_on
        from raw.fetches
        where outcome in ('changed', 'unchanged')
    ) as looks
    group by source
),

-- A release came out before the first page that prints it. How long before is open where that is the first page of
-- its source in the ledger, or where it prints a newer release as well.
introduced as (
    select
        d.publisher,
        r.release_product,
        r.sdk_order,
        d.published_on,
        r.sdk_order = max(r.sdk_order) over (partition by r.document_id, r.release_product)
        and s.snapshot_at > min(s.snapshot_at) over (partition by s.source) as is_new
    from resolved.results as r
    inner join raw.sightings as s on r.document_id = s.document_id
    inner join raw.documents as d on r.document_id = d.document_id
    where source_format(r.extractor).is_republished_whole and r.sdk_order is not null
),

released as (
    select
        publisher,
        release_product,
        sdk_order,
        min(published_on) as released_on
    from introduced
    group by publisher, release_product, sdk_order
    having min(published_on) = min(published_on) filter (where is_new) and count(*) = count(published_on)
),

printed as (
    select
        r.* replace (n.name as sdk_version),
        e.released_on,
        l.last_seen_on,
        p.published_on,
        -- An added document has the snapshot time of its publication.
        greatest(d.snapshot_at, p.retrieved_at)::date as captured_on,
        d.source,
        p.publisher,
        coalesce(s.submitter, p.publisher) as measured_by,
        d.snapshot_at,
        -- What the latest snapshot of a page that is republished as a whole leaves out was taken back, unless a
        -- table of it was refused.
        not source_format(r.extractor).is_republished_whole
        or d.snapshot_at >= coalesce(
            max(d.snapshot_at) filter (where x.source is null) over (partition by d.source, r.extractor), d.snapshot_at
        ) as is_latest,
        source_format(r.extractor).distance as distance
    from resolved.results as r
    inner join raw.sightings as d on r.document_id = d.document_id
    inner join raw.documents as p on r.document_id = p.document_id
    left join releases as n
        on p.publisher = n.publisher
        and r.release_product is not distinct from n.release_product
        and r.sdk_order = n.sdk_order
    left join released as e
        on p.publisher = e.publisher
        and r.release_product is not distinct from e.release_product
        and r.sdk_order = e.sdk_order
    left join seen as l on d.source = l.source
    left join submitted as s on r.result_id = s.result_id
    left join internal.refused_snapshots as x on d.source = x.source and d.snapshot_at = x.snapshot_at
    -- Known errors that are dropped stay in resolved.results.
    where r.correction_action is distinct from 'drop'
),

publishers as (
    select distinct
        result_id,
        publisher,
        source,
        measured_by
    from printed
),

-- Whose result it is: of who offers the platform where it prints one, else of who printed it first.
owned as (
    select
        *,
        lower(coalesce(
            max(publisher) filter (where lower(publisher) = lower(maker)) over (partition by benchmark_key),
            first_value(publisher) over (partition by benchmark_key order by snapshot_at, document_id)
        )) in (lower(publisher), lower(measured_by)) as is_own
    from printed
),

dated as (
    select
        *,
        max(snapshot_at) over (partition by benchmark_key, sdk_order, source) as last_snapshot_at,
        bool_or(is_latest) over (partition by benchmark_key, sdk_order, is_own) as is_printed_now,
        -- What others print of a value says nothing of it where its owner prints it.
        is_own = bool_or(is_own) over (partition by benchmark_key, sdk_order, value) as counts
    from owned
),

-- A value stands in a release when the last snapshot of a source that prints the release still prints it.
valued as (
    select
        benchmark_key,
        sdk_order,
        value,
        max(release_product) as release_product,
        max(sdk_version) as sdk_version,
        min(value_low) as value_low,
        max(value_high) as value_high,
        min(model) as model,
        min(platform) as platform,
        min(metric) as metric,
        min(unit) as unit,
        max(suite) as suite_of_value,
        bool_or(is_own) as is_own,
        bool_or(snapshot_at = last_snapshot_at) as holds,
        bool_or(snapshot_at = last_snapshot_at and counts) as holds_for_owner,
        bool_or(is_printed_now and counts) as is_printed_now,
        max(snapshot_at) filter (where snapshot_at = last_snapshot_at and counts) as held_on,
        min(distance) filter (where snapshot_at = last_snapshot_at and counts) as distance,
        min(published_on) as first_published_on,
        max(published_on) as last_published_on,
        min(captured_on) as first_captured_on,
        max(captured_on) as last_captured_on,
        min(released_on) as released_on,
        max(last_seen_on) as last_seen_on,
        list(distinct document_id order by document_id) filter (where snapshot_at = last_snapshot_at) as held_in,
        list(distinct document_id order by document_id) as document_ids,
        arg_min(result_id, (not counts, -epoch(snapshot_at), distance, document_id, line, result_id)) as result_id
    from dated
    group by benchmark_key, sdk_order, value
),

-- Of two sources that disagree the winner is current; of two values that one document prints, neither is. Two rounds of
-- a suite are two measurements.
disputed as (
    select
        a.*,
        count(b.value) > 0 as is_disputed,
        coalesce(bool_or(list_has_any(a.held_in, b.held_in)), false) as is_ambiguous
    from valued as a
    left join valued as b
        on
        a.benchmark_key = b.benchmark_key
        and a.sdk_order is not distinct from b.sdk_order
        and coalesce(a.suite_of_value = b.suite_of_value, true)
        and a.holds
        and b.holds
        and (a.value_high < b.value_low or a.value_low > b.value_high)
    group by all
),

-- Releases of two products have no order: the product that was printed last is the newer one.
produced as (
    select
        *,
        case
            when release_product is not null then max(held_on) over (partition by benchmark_key, release_product)
        end as product_held_on
    from disputed
),

-- The owner's, then the latest published, then the most primary, then the first by its place.
placed as (
    select
        *,
        row_number() over (
            partition by benchmark_key, sdk_order
            order by is_own desc, holds_for_owner desc, held_on desc, distance asc, document_ids asc, result_id asc
        ) = 1 and is_own as stands_in_release,
        rank() over (
            partition by benchmark_key
            order by is_own desc, product_held_on desc nulls last, release_product asc, sdk_order desc nulls last
        ) = 1 as is_last_release
    from produced
),

-- An older release does not become current again because a newer one was withdrawn.
newest as (
    select
        p.*,
        r.model_family,
        r.vendor,
        r.task,
        r.statistic,
        r.suite,
        r.framework,
        r.framework_version,
        r.dataset,
        r.precision,
        r.weights_precision,
        r.batch_size,
        r.batch_size_kind,
        r.accelerator_count,
        r.platform_kind,
        r.chip,
        r.chips,
        r.sequence_length,
        r.input_length,
        r.output_length,
        r.concurrency,
        nullif(
            concat_ws(
                ', ',
                'tensor ' || r.tensor_parallel,
                'pipeline ' || r.pipeline_parallel,
                'data ' || r.data_parallel,
                'expert ' || r.expert_parallel
            ),
            ''
        ) as parallelism,
        r.stage,
        r.conditions,
        -- What has no column here. With it no two benchmarks look alike.
        nullif(
            concat_ws(
                ', ',
                'phase ' || r.phase,
                r.variant_name,
                case when r.is_packed then 'packed' end,
                'image size ' || r.image_size,
                r.configuration,
                r.scenario,
                'request rate ' || r.request_rate,
                'division ' || r.division,
                'epoch ' || r.epoch,
                r.other_conditions
            ),
            ''
        ) as other_conditions,
        r.submission_id,
        r.unnamed_platform,
        w.publisher,
        w.source,
        w.measured_by,
        p.stands_in_release and p.is_last_release and p.is_printed_now and not p.is_ambiguous as is_newest,
        r.line
    from placed as p
    inner join resolved.results as r on p.result_id = r.result_id
    inner join publishers as w on p.result_id = w.result_id
),

-- What prose or a chart said of a platform is outlived when a page or log that came later, or that says the same more
-- exactly, answers the question.
outlived as (
    select distinct a.result_id
    from newest as a
    inner join newest as b
        on
        a.model_family = b.model_family
        and a.platform = b.platform
        and a.task = b.task
        and a.metric = b.metric
        and a.statistic is not distinct from b.statistic
        and a.suite is not distinct from b.suite
    where
        a.is_newest
        and b.is_newest
        and a.distance >= 3
        and b.distance < 3
        and (
            a.held_on < b.held_on
            -- In one round of one suite the rounded number of prose restates the one of the log.
            or regexp_matches(a.suite, ' v\d')
            and a.value_low <= b.value_high
            and b.value_low <= a.value_high
            and b.value_high - b.value_low < a.value_high - a.value_low
        )
        and lower(a.publisher) in (lower(b.publisher), lower(b.measured_by))
        -- What the older one leaves unsaid is what both may mean; what it says must be what the newer one says.
        and coalesce(a.framework = b.framework, a.framework is null)
        and coalesce(a.dataset = b.dataset, a.dataset is null)
        and coalesce(a.precision = b.precision, a.precision is null)
        and coalesce(a.batch_size = b.batch_size, a.batch_size is null)
        and coalesce(a.accelerator_count = b.accelerator_count, a.accelerator_count is null)
),

-- The same result under another key: of two that are printed now, the more primary or the first counts; what is no
-- longer printed has moved to the one that is.
repeated as (
    select
        a.result_id,
        min((b.distance, b.document_ids, b.line, b.benchmark_key))[4] as same_as,
        not bool_or(t.meets) as is_contradicted
    from newest as a
    inner join internal.same_results as t
        on
        a.benchmark_key = t.benchmark_key
        and a.sdk_order is not distinct from t.sdk_order
        and a.value = t.value
    inner join newest as b
        on
        t.other_key = b.benchmark_key
        and t.other_sdk_order is not distinct from b.sdk_order
        and t.other_value = b.value
        and b.is_newest
    where
        not t.is_ambiguous
        and (
            not a.is_printed_now
            or (
                a.is_newest
                and t.is_certain
                and (b.distance, b.document_ids, b.line, b.benchmark_key)
                < (a.distance, a.document_ids, a.line, a.benchmark_key)
            )
        )
    group by a.result_id
),

-- Of two values that a document prints without a condition that differs, neither is current.
ambiguous as (
    select distinct a.result_id
    from newest as a
    inner join internal.same_results as t
        on
        a.benchmark_key = t.benchmark_key
        and a.sdk_order is not distinct from t.sdk_order
        and a.value = t.value
        and t.is_ambiguous
    inner join newest as b
        on
        t.other_key = b.benchmark_key
        and t.other_sdk_order is not distinct from b.sdk_order
        and t.other_value = b.value
    where a.is_newest and b.is_newest
),

contradicted as (
    select distinct same_as as benchmark_key
    from repeated
    where is_contradicted
),

ranked as (
    select
        n.*,
        t.same_as,
        coalesce(t.is_contradicted, false)
        or c.benchmark_key is not null
        and n.is_newest
        or x.result_id is not null as is_contradicted,
        n.is_newest and o.result_id is null and t.same_as is null and x.result_id is null as stands,
        -- Without a printed release or round nobody can tell a correction from a newer measurement.
        len(n.sdk_order) > 1 or coalesce(regexp_matches(n.suite, ' v\d'), false) as states_release
    from newest as n
    left join outlived as o on n.result_id = o.result_id
    left join repeated as t on n.result_id = t.result_id
    left join contradicted as c on n.benchmark_key = c.benchmark_key
    left join ambiguous as x on n.result_id = x.result_id
)

select
    model,
    vendor,
    platform,
    platform_kind,
    chip,
    chips,
    task,
    metric,
    statistic,
    framework,
    framework_version,
    precision,
    weights_precision,
    accelerator_count,
    batch_size,
    batch_size_kind,
    sequence_length,
    input_length,
    output_length,
    concurrency,
    parallelism,
    stage,
    dataset,
    suite,
    submission_id,
    conditions,
    other_conditions,
    release_product,
    sdk_version,
    value,
    unit,
    case
        when not holds and states_release then 'restated'
        when not holds then 'replaced'
        when is_disputed or is_contradicted then 'conflicting'
        when stands then 'current'
        when not is_own then 'third_party'
        when is_newest and same_as is not null then 'repeated'
        when not is_printed_now and is_last_release and same_as is not null then 'moved'
        when not is_printed_now and is_last_release then 'withdrawn'
        else 'superseded'
    end as status,
    case when holds and is_own and is_last_release and not stands then same_as end as same_as,
    stands,
    stands_in_release,
    first_published_on,
    last_published_on,
    first_captured_on,
    last_captured_on,
    released_on,
    last_seen_on,
    len(document_ids) as documents,
    document_ids,
    source,
    unnamed_platform,
    sdk_order,
    benchmark_key,
    result_id
from ranked
order by benchmark_key asc, sdk_order desc nulls last, value asc, result_id asc
