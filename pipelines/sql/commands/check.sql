-- Each number of a file beside the published result that is closest in conditions: ratio, differences, verdict.
-- grain: one row per number of the file
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with described as (
    select
        m.*,
        test_of(m) as test,
        map_from_entries(facts_of(test, null, framework_version, release_product, release_version)) as facts,
        list_transform(work_of(test, task), lambda fact: fact.key) as work,
        metric in ('time_to_train', 'training_time', 'epoch_time')
        or ends_with(metric, 'throughput') as is_of_all_chips,
        -- A quality or a size is of the model, and a duration may be of anything.
        case
            when metric_kind is not null or metric = 'duration' then 'it is no performance of a platform'
            when higher_is_better is null then 'nothing says whether more of it is better'
            when bound not in ('eq', 'approx') or not value > 0 then 'it is a bound, or no positive number'
            when task is null then 'training or inference is not stated'
        end as not_compared
    from (
        -- Logs of MLPerf do not state their round.
        select
            true as is_own,
            o.* replace (if(o.suite in ('MLPerf Training', 'MLPerf HPC', 'MLPerf Inference'), null, o.suite) as suite)
        from internal.own_results as o
        union all by name
        select false as is_own, p.* from internal.published_results as p
    ) as m
),

paired as (
    select
        o.*,
        p.result_id as published_id,
        p as published,
        coalesce(coalesce(o.chip, o.platform) = coalesce(p.chip, p.platform), false) as is_same_chip,
        -- The mean is what a metric is without a statistic.
        coalesce(o.statistic, 'mean') = coalesce(p.statistic, 'mean') and o.unit = p.unit as is_same_quantity,
        -- Models that are compared as one differ in little. Who has submitted a result is no condition of it.
        list_filter(
            differences_of(
                o.facts,
                p.facts,
                list_filter(o.work || p.work, lambda name: name <> 'model'),
                o.is_synthetic <> p.is_synthetic and o.dataset is not null and p.dataset is not null,
                coalesce(o.vendor = p.vendor, false),
                coalesce(o.framework, '') = coalesce(p.framework, '')
            ),
            lambda fact: fact.name not in ('submitter', 'failed_requests')
        ) as differences
    from described as o
    inner join described as p
        on o.model_family = p.model_family and o.metric = p.metric and o.task = p.task and not p.is_own
    where o.is_own and o.not_compared is null and p.not_compared is null
),

graded as (
    select
        *,
        grade_of(differences) as grade,
        -- Of a rate or a time of training the number of chips has to be known, for a comparison per chip.
        not is_of_all_chips
        or chips is not null and published.chips is not null
        or chips is null and published.chips is null and platform = published.platform as is_counted,
        is_of_all_chips and coalesce(chips <> published.chips, false) as is_per_chip,
        case
            when is_same_quantity and is_counted
                then
                    if(higher_is_better, value / published.value, published.value / value)
                    * if(is_per_chip, published.chips / chips, 1)
        end as ratio,
        -- What makes a pair indicative, and the load of a server: where one side does not state it, it may be any.
        list_filter(
            differences,
            lambda fact: not fact.is_setup
            or fact.name in ('batch_size', 'precision', 'concurrency', 'request_rate')
            and (fact.l is null) <> (fact.r is null)
        ) as decisive,
        -- Of requests for tokens nobody knows how long they are, unless lengths, data or a suite say so.
        not regexp_matches(unit, 'token|request')
        and metric not in ('ttft', 'tpot', 'inter_token_latency', 'request_latency')
        or list_has_any(
            map_keys(facts) || map_keys(published.facts),
            ['input_length', 'output_length', 'sequence_length', 'dataset', 'suite']
        ) as is_described,
        is_same_chip
        and is_same_quantity
        and is_counted
        and is_described
        and len(decisive) = 0 as is_comparable,
        list_filter(differences, lambda fact: fact.l is not null and fact.r is not null) as contradictions,
        list_filter(differences, lambda fact: fact.l is null and fact.r is not null) as unstated
    from paired
),

nearest as (
    select
        *,
        -- `H100` may be `H100 SXM` or `H100 PCIe`.
        list_sort(list_distinct(list(
            case when starts_with(published.chip, chip || ' ') then published.chip end
        ) over (partition by result_id))) as exact_chips
    from graded
    qualify
        row_number() over (
            partition by result_id
            order by
                is_same_chip desc,
                coalesce(starts_with(published.chip, chip), false) desc,
                coalesce(vendor = published.vendor, false) desc,
                is_same_quantity desc,
                is_comparable desc,
                len(list_filter(contradictions, lambda fact: not fact.is_setup)) asc,
                len(decisive) asc,
                len(contradictions) asc,
                len(differences) asc,
                is_per_chip asc,
                -- Batches of 8 and 16 are closer than those of 8 and 256.
                list_sum(list_transform(
                    contradictions,
                    lambda fact: coalesce(abs(try(ln(try_cast(fact.l as double) / try_cast(fact.r as double)))), 1)
                )) asc,
                platform = published.platform desc,
                published.last_published_on desc nulls last,
                published_id asc
        ) = 1
)

select
    o.line,
    o.model,
    o.platform,
    o.chips,
    o.task,
    o.metric,
    o.statistic,
    o.value,
    o.unit,
    case
        when n.is_comparable is not true then 'nothing comparable'
        when
            abs(n.ratio - 1) <= $1
            or not n.is_per_chip
            and o.value_low <= n.published.value_high
            and o.value_high >= n.published.value_low
            then 'as published'
        when n.ratio > 1 then 'faster'
        else 'slower'
    end as verdict,
    case when n.is_comparable then n.ratio end as ratio,
    coalesce(n.is_per_chip, false) as is_per_chip,
    n.grade,
    concat_ws(
        '; ',
        case
            when o.not_compared is not null then o.not_compared
            when n.published_id is null then 'no result of this model and metric is published'
            when not n.is_same_chip then 'no result of this chip is published'
            when not n.is_same_quantity then 'the nearest has another statistic or unit'
            when not n.is_counted then 'the number of accelerators is not known on both sides'
            when not n.is_described then 'no side states the lengths or the data of its requests'
            when not n.is_comparable then 'the nearest is other work, or one side does not state a condition'
        end,
        'published, too: ' || nullif(array_to_string(n.exact_chips, ', '), '')
    ) as reason,
    n.published.model as published_model,
    n.published.platform as published_platform,
    n.published.chips as published_chips,
    n.published.statistic as published_statistic,
    n.published.value as published_value,
    n.published.unit as published_unit,
    n.published.publisher,
    n.published.source,
    n.published.title,
    n.published.url,
    n.published.path,
    n.published.line as published_line,
    n.published.last_published_on,
    n.published_id as result_id,
    coalesce(list_transform(
        n.contradictions, lambda fact: struct_pack(condition := fact.name, yours := fact.l, published := fact.r)
    ), []) as differences,
    coalesce(list_transform(
        n.unstated,
        lambda fact: struct_pack(
            condition := fact.name, published := fact.r, decides := list_contains(n.decisive, fact)
        )
    ), []) as unknown,
    coalesce(list_transform(
        list_filter(n.differences, lambda fact: fact.l is not null and fact.r is null),
        lambda fact: struct_pack(condition := fact.name, yours := fact.l)
    ), []) as not_published,
    coalesce(list_transform(
        list_filter(n.differences, lambda fact: fact.l is null and fact.r is null), lambda fact: fact.name
    ), []) as on_no_side
from described as o
left join nearest as n on o.result_id = n.result_id
where o.is_own
order by o.line, o.metric, o.statistic, o.result_id
