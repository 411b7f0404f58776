-- The most similar results on two platforms, with a ratio and the list of differences.
-- grain: one row per pair of current results on two platforms
-- The two results of a pair are structs, which the linter reads as tables.
-- noqa: disable=RF01,RF02,RF03
with limits as (
    select
        -- A question that many platforms answer is put to so many of the best, each with every other one: the rows grow
        -- with the results, not with their square.
        16 as platforms
),

-- The latest price of each platform under each terms; what is only bounded is no price to divide by.
prices as (
    select
        p.platform,
        p.terms,
        p.unit,
        p.price_usd
    from resolved.prices as p
    inner join raw.documents as d on p.document_id = d.document_id
    where p.platform is not null and p.bound in ('eq', 'approx') and p.price_usd > 0
    qualify row_number() over (partition by p.platform, p.terms order by d.snapshot_at desc, p.evidence_id asc) = 1
),

measured as materialized (
    select
        r.result_id,
        r.model,
        r.model_family,
        r.task,
        r.metric,
        r.statistic,
        r.unit,
        r.platform,
        r.vendor,
        r.chip,
        r.platform_kind,
        r.chips,
        c.release_product,
        c.sdk_version,
        r.accelerator_count,
        r.precision,
        r.batch_size,
        r.framework,
        r.framework_version,
        r.dataset,
        r.value,
        r.value_low,
        r.value_high,
        r.bound,
        r.higher_is_better,
        coalesce(s.is_synthetic, false) as is_synthetic,
        r.metric in ('throughput', 'time_to_train', 'training_time', 'epoch_time') as grows_with_size,
        r.conditions,
        -- What a pair is about, and what its two sides need not have in common: releases are compared below.
        list_filter(
            map_entries(identity_of(r)),
            lambda entry: entry.key not in (
                'platform', 'model', 'dataset', 'statistic', 'submission_id', 'sdk_version', 'framework_version'
            )
        ) as identity,
        -- Two tests that differ in one of these are not the same work. In training the batch is tuned to the system, in
        -- inference it defines the test. The others are how the same work was run; a reader may accept them.
        list_filter(
            identity,
            lambda entry: dimension(entry.key).has_column
            and (
                dimension(entry.key).is_lent
                or dimension(entry.key).identity = 'inference' and (r.task = 'inference' or entry.key <> 'batch_size')
            )
        ) as work,
        list_filter(identity, lambda entry: not list_contains(work, entry)) as setup,
        d.publisher,
        hash(row(r.model_family, r.task, r.metric, r.statistic, r.unit)) as question,
        hash(row(
            question,
            r.stage,
            r.phase,
            r.sequence_length,
            r.input_length,
            r.output_length,
            r.image_size,
            case when r.task = 'inference' then r.batch_size end
        )) as shaped,
        hash(row(question, r.model, work, r.dataset)) as worked,
        hash(row(worked, setup)) as ran,
        case when r.higher_is_better then 1 else -1 end
        * case when r.metric = 'throughput' then r.value / coalesce(r.chips, 1) else r.value end as goodness
    from resolved.results as r
    inner join main.current_results as c on r.result_id = c.result_id
    inner join raw.documents as d on r.document_id = d.document_id
    left join resolved.names as s
        on s.kind = 'datasets' and r.dataset_printed = s.name_printed and r.suite is not distinct from s.suite
    where
        r.model_family is not null
        and r.platform is not null
        and r.task is not null
        and r.higher_is_better is not null
        and r.value > 0
),

-- From all alike down to the question alone. Pairs are few columns wide until they are chosen.
asked as (
    select
        unnest([1, 2, 3, 4]) as level,
        unnest([ran, worked, shaped, question]) as asks,
        result_id,
        platform,
        worked,
        shaped,
        question,
        goodness
    from measured
),

best as (
    select *
    from asked
    qualify row_number() over (partition by level, asks, platform order by goodness desc, result_id asc) = 1
),

placed as (
    select
        *,
        row_number() over (partition by level, asks order by goodness desc, platform asc) as place
    from best
),

paired as (
    select
        a.level,
        a.result_id,
        b.result_id as other_result_id,
        least(a.platform, b.platform) as left_platform,
        greatest(a.platform, b.platform) as right_platform,
        case when a.platform < b.platform then a.worked else b.worked end as worked,
        case when a.platform < b.platform then a.shaped else b.shaped end as shaped,
        a.question
    from placed as a
    inner join placed as b on a.level = b.level and a.asks = b.asks and a.place < b.place
    where a.place <= (select t.platforms from limits as t)
),

-- Where two platforms have tests that are more alike, the others say less.
closest as (
    select
        result_id,
        other_result_id
    from paired
    qualify
        case level
            when 1 then true
            when 2 then min(level) over (partition by left_platform, right_platform, worked) = 2
            when 3 then min(level) over (partition by left_platform, right_platform, shaped) = 3
            else min(level) over (partition by left_platform, right_platform, question) = 4
        end
),

compared as (
    select
        case when a.platform < b.platform then a else b end as l,
        case when a.platform < b.platform then b else a end as r
    from closest as c
    inner join measured as a on c.result_id = a.result_id
    inner join measured as b on c.other_result_id = b.result_id
),

-- The dimensions in which the sides of a pair differ, with those of its work.
differing as (
    select
        l,
        r,
        list_sort(list_distinct(list_transform(
            list_filter(
                l.identity || r.identity,
                lambda entry: not (list_contains(l.identity, entry) and list_contains(r.identity, entry))
            ),
            lambda entry: entry.key
        ))) as names,
        list_distinct(list_transform(l.work || r.work, lambda entry: entry.key)) as work_names,
        list_transform(l.identity, lambda entry: entry.key) as left_names,
        list_transform(r.identity, lambda entry: entry.key) as right_names
    from compared
),

-- What one side does not say is never taken for what the other side says.
described as (
    select
        *,
        list_transform(
            names,
            lambda name: replace(name, '_', ' ')
            || if(list_contains(left_names, name) and list_contains(right_names, name), '', ' stated on one side')
        ) as descriptions
    from differing
),

held as (
    select
        c.l,
        c.r,
        list_where(
            c.descriptions, list_transform(c.names, lambda name: list_contains(c.work_names, name))
        )
        || [
            case when c.l.model <> c.r.model then 'model' end,
            case
                when (c.l.dataset is null) <> (c.r.dataset is null) then 'dataset stated on one side'
                when c.l.dataset <> c.r.dataset and c.l.is_synthetic = c.r.is_synthetic then 'dataset'
            end
        ] as differing_work,
        list_where(
            c.descriptions, list_transform(c.names, lambda name: not list_contains(c.work_names, name))
        )
        || [
            case when c.l.publisher <> c.r.publisher then 'who measured' end,
            case
                when c.l.is_synthetic <> c.r.is_synthetic and c.l.dataset <> c.r.dataset then 'synthetic or real data'
            end,
            case when c.l.precision is null and c.r.precision is null then 'precision stated on no side' end,
            case when c.l.batch_size is null and c.r.batch_size is null then 'batch size stated on no side' end,
            -- Releases of two vendors, or of two frameworks, have nothing to compare.
            case when c.l.vendor = c.r.vendor and c.l.sdk_version is distinct from c.r.sdk_version then 'SDK' end,
            case
                when c.l.framework is not distinct from c.r.framework
                    and c.l.framework_version is distinct from c.r.framework_version
                    then 'framework version'
            end
        ] as differing_conditions,
        c.l.bound in ('eq', 'approx') and c.r.bound in ('eq', 'approx') as is_number,
        case when c.l.higher_is_better then c.r.value / c.l.value else c.l.value / c.r.value end as ratio,
        case when c.l.higher_is_better then c.r.value_low else c.l.value_low end as above_low,
        case when c.l.higher_is_better then c.r.value_high else c.l.value_high end as above_high,
        case when c.l.higher_is_better then c.l.value_low else c.r.value_low end as below_low,
        case when c.l.higher_is_better then c.l.value_high else c.r.value_high end as below_high
    from described as c
),

listed as (
    select
        *,
        l.model_family,
        l.task,
        l.metric,
        l.statistic,
        l.unit,
        l.platform as left_platform,
        r.platform as right_platform,
        l.result_id as left_result_id,
        r.result_id as right_result_id,
        list_filter(differing_work, lambda name: name is not null) as work_differs,
        list_filter(differing_conditions, lambda name: name is not null) as conditions_differ
    from held
)

select
    h.model_family,
    h.task,
    h.metric,
    h.statistic,
    h.unit,
    h.l.vendor as left_vendor,
    h.left_platform,
    h.l.platform_kind as left_platform_kind,
    h.l.chip as left_chip,
    h.l.chips as left_chips,
    h.r.vendor as right_vendor,
    h.right_platform,
    h.r.platform_kind as right_platform_kind,
    h.r.chip as right_chip,
    h.r.chips as right_chips,
    case
        when len(h.work_differs) + len(h.conditions_differ) = 0 then 'same'
        when
            len(h.work_differs) > 0
            or list_has_any(
                h.conditions_differ, ['precision stated on one side', 'batch size stated on one side']
            )
            then 'indicative'
        else 'close'
    end as grade,
    case when h.is_number then h.ratio end as ratio,
    case when isfinite(h.below_high) then h.above_low / h.below_high else 0 end as ratio_low,
    case when h.below_low > 0 then h.above_high / h.below_low else 'inf'::double end as ratio_high,
    case
        when h.is_number and h.l.grows_with_size then h.ratio * h.l.chips / h.r.chips
    end as ratio_per_accelerator,
    case when h.is_number then h.ratio * a.price_usd / b.price_usd end as ratio_per_dollar,
    case when h.is_number then b.terms end as price_terms,
    h.work_differs || h.conditions_differ as differing,
    h.l.model as left_model,
    h.r.model as right_model,
    h.l.conditions as left_conditions,
    h.r.conditions as right_conditions,
    h.l.value as left_value,
    h.r.value as right_value,
    h.l.accelerator_count as left_accelerators,
    h.r.accelerator_count as right_accelerators,
    case when h.metric = 'throughput' then h.l.value / h.l.chips end as left_value_per_accelerator,
    case when h.metric = 'throughput' then h.r.value / h.r.chips end as right_value_per_accelerator,
    h.left_result_id,
    h.right_result_id
from listed as h
left join prices as a on h.left_platform = a.platform
left join prices as b on h.right_platform = b.platform and a.terms = b.terms and a.unit = b.unit
-- Of several terms under which both have a price, one row is enough.
qualify
    row_number() over (
        partition by h.left_result_id, h.right_result_id order by b.price_usd is null asc, a.terms asc
    ) = 1
order by h.model_family, h.task, h.metric, h.left_platform, h.right_platform, h.left_result_id, h.right_result_id
