-- The most similar results of two chips, or of two publishers on one platform, with a ratio and what differs.
-- grain: one row per pair of current results
-- The linter reads the fields of structs as columns of tables.
-- noqa: disable=RF01,RF02,RF03

-- The latest price of each platform under each terms; what is only bounded is no price to divide by.
with prices as (
    select
        p.platform,
        p.terms,
        p.unit,
        p.accelerator_count,
        p.price_usd
    from resolved.prices as p
    inner join raw.documents as d on p.document_id = d.document_id
    where p.platform is not null and p.bound in ('eq', 'approx') and p.price_usd > 0
    qualify row_number() over (partition by p.platform, p.terms order by d.snapshot_at desc, p.evidence_id asc) = 1
),

qualities as (
    select name from resolved.names
    where metric_kind is not null
),

performances as materialized (
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
        r.platform_kind,
        r.chip,
        r.chips,
        r.accelerator_count,
        r.framework,
        r.dataset,
        r.value,
        r.value_low,
        r.value_high,
        r.bound,
        r.higher_is_better,
        r.conditions,
        d.publisher,
        coalesce(r.chip, r.platform) as device,
        coalesce(s.is_synthetic, false) as is_synthetic,
        test_of(r) as test,
        map_from_entries(
            facts_of(test, d.publisher, r.framework_version, r.release_product, c.sdk_version)
        ) as facts,
        -- The steps around a model are compared with the same steps.
        hash(row(r.model_family, r.task, r.metric, r.statistic, r.unit, r.conditions['stage_of'])) as question,
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
        -- A quality or a size is of the model, not of the platform; of a duration nothing says what it is of.
        and r.metric <> 'duration'
        and r.metric not in (select q.name from qualities as q)
),

measured as materialized (
    select
        *,
        work_of(test, task) as work,
        hash(row(question, work)) as worked,
        hash(row(question, test)) as ran
    from performances
),

-- The best system of a chip represents it: `main.scaling` compares its systems with each other.
sides as (
    select
        unnest(['platforms', 'who measured']) as kind,
        unnest([device, platform || ' by ' || publisher]) as side,
        unnest([null, platform]) as among,
        *
    from measured
),

-- From all alike down to the question alone. Pairs are few columns wide until they are chosen.
asked as (
    select
        kind,
        side,
        unnest([1, 2, 3, 4]) as level,
        hash(row(among, unnest([ran, worked, shaped, question]))) as asks,
        result_id,
        vendor,
        worked,
        shaped,
        question,
        goodness
    from sides
),

best as (
    select * from asked
    qualify row_number() over (partition by kind, level, asks, side order by goodness desc, result_id asc) = 1
),

ranked as (
    select
        *,
        row_number() over (partition by kind, level, asks, vendor order by goodness desc, side asc) as place_of_vendor
    from best
),

-- The best side of each vendor comes before the second best of any.
placed as (
    select
        *,
        row_number() over (
            partition by kind, level, asks order by place_of_vendor asc, goodness desc, side asc
        ) as place
    from ranked
),

paired as (
    select
        a.kind,
        a.level,
        least(a.side, b.side) as left_side,
        greatest(a.side, b.side) as right_side,
        if(a.side < b.side, a.result_id, b.result_id) as left_result_id,
        if(a.side < b.side, b.result_id, a.result_id) as right_result_id,
        a.worked,
        a.shaped,
        a.question
    from placed as a
    inner join placed as b on a.kind = b.kind and a.level = b.level and a.asks = b.asks and a.place < b.place
    -- Of many sides so many are compared with each other one: the rows grow with the results, not with their square.
    where a.place <= 16
),

-- Where two sides have tests that are more alike, the others say less.
closest as (
    select
        kind,
        left_result_id,
        right_result_id
    from paired
    qualify
        case level
            when 1 then true
            when 2 then min(level) over (partition by kind, left_side, right_side, worked) = 2
            when 3 then min(level) over (partition by kind, left_side, right_side, shaped) = 3
            else min(level) over (partition by kind, left_side, right_side, question) = 4
        end
),

compared as (
    select
        c.*,
        l.facts as left_facts,
        r.facts as right_facts,
        list_transform(l.work || r.work, lambda fact: fact.key) as work,
        l.is_synthetic <> r.is_synthetic and l.dataset is not null and r.dataset is not null as is_other_data,
        coalesce(l.vendor = r.vendor, false) as is_one_vendor,
        coalesce(l.framework, '') = coalesce(r.framework, '') as is_one_framework
    from closest as c
    inner join measured as l on c.left_result_id = l.result_id
    inner join measured as r on c.right_result_id = r.result_id
),

differing as (
    select
        *,
        differences_of(left_facts, right_facts, work, is_other_data, is_one_vendor, is_one_framework) as differences
    from compared
)

select
    d.kind,
    l.model_family,
    l.task,
    l.metric,
    l.statistic,
    l.unit,
    l.vendor as left_vendor,
    l.platform as left_platform,
    l.platform_kind as left_platform_kind,
    l.chip as left_chip,
    l.chips as left_chips,
    l.publisher as left_publisher,
    r.vendor as right_vendor,
    r.platform as right_platform,
    r.platform_kind as right_platform_kind,
    r.chip as right_chip,
    r.chips as right_chips,
    r.publisher as right_publisher,
    grade_of(d.differences) as grade,
    case
        when l.bound not in ('eq', 'approx') or r.bound not in ('eq', 'approx') then null
        when l.higher_is_better then r.value / l.value
        else l.value / r.value
    end as ratio,
    case when l.higher_is_better then r.value_low / l.value_high else l.value_low / r.value_high end as ratio_low,
    case when l.higher_is_better then r.value_high / l.value_low else l.value_high / r.value_low end as ratio_high,
    case
        when l.metric in ('throughput', 'time_to_train', 'training_time', 'epoch_time')
            then ratio * l.chips / r.chips
    end as ratio_per_accelerator,
    ratio * a.price_usd / b.price_usd as ratio_per_dollar,
    case when ratio is not null then b.terms end as price_terms,
    list_transform(
        list_sort(d.differences),
        lambda fact: replace(fact.name, '_', ' ')
        || case
            when fact.l is null and fact.r is null then ' stated on no side'
            when fact.l is null or fact.r is null then ' stated on one side'
            else ''
        end
    ) as differing,
    l.model as left_model,
    r.model as right_model,
    l.conditions as left_conditions,
    r.conditions as right_conditions,
    l.value as left_value,
    r.value as right_value,
    l.accelerator_count as left_accelerators,
    r.accelerator_count as right_accelerators,
    case when l.metric = 'throughput' then l.value / l.chips end as left_value_per_accelerator,
    case when l.metric = 'throughput' then r.value / r.chips end as right_value_per_accelerator,
    d.left_result_id,
    d.right_result_id
from differing as d
inner join measured as l on d.left_result_id = l.result_id
inner join measured as r on d.right_result_id = r.result_id
-- A latency is not bought by the dollar: two systems do not halve it.
left join prices as a
    on
    l.platform = a.platform
    and coalesce(l.accelerator_count = a.accelerator_count, true)
    and l.metric in ('throughput', 'time_to_train')
left join prices as b
    on
    r.platform = b.platform
    and coalesce(r.accelerator_count = b.accelerator_count, true)
    and a.terms = b.terms
    and a.unit = b.unit
-- Of several terms under which both have a price, one row is enough.
qualify
    row_number() over (
        partition by d.left_result_id, d.right_result_id order by b.price_usd is null asc, a.terms asc
    ) = 1
order by d.is_one_vendor, l.model_family, l.task, l.metric, l.platform, r.platform, d.left_result_id, d.right_result_id
