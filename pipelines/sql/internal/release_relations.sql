-- The value of a benchmark in one release or, where none is printed, one snapshot against those before and after it.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- No release makes one system so many times faster or slower at the same work.
        5.0 as most_factor,
        -- Unless the values on both sides are printed twice: a model that fits on one chip at last is so much faster.
        2.0 as steady_factor
),

released as (
    select
        h.benchmark_key,
        null as source,
        to_json(h.sdk_order)::varchar as step_key,
        h.sdk_order as step_order,
        'under ' || coalesce('SDK ' || h.sdk_version, concat_ws(' ', h.framework, h.framework_version)) as step,
        'release' as kind,
        h.result_id,
        h.value,
        h.unit
    from main.result_history as h
    where h.stands_in_release and h.sdk_order <> [-1] and h.status <> 'withdrawn'
),

snapshots as (
    select
        r.benchmark_key,
        d.source,
        d.document_id as step_key,
        [epoch(d.snapshot_at)::bigint] as step_order,
        'on ' || d.snapshot_on::varchar as step,
        'snapshot' as kind,
        r.result_id,
        r.value,
        r.unit
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    where coalesce(r.sdk_order, [-1]) = [-1] and r.correction_action is distinct from 'drop'
    -- Two numbers of one snapshot that nothing tells apart are in audit.conflicts.
    qualify count(*) over (partition by r.benchmark_key, r.document_id) = 1
),

steps as (
    select * from released
    union all
    select * from snapshots
),

ordered as (
    select
        s.*,
        r.document_id,
        r.evidence_id,
        r.line,
        r.value_printed,
        r.bound,
        t.most_factor,
        t.steady_factor,
        lag(s.value) over by_step as value_before,
        lag(s.step) over by_step as step_before,
        lag(r.value_printed) over by_step as printed_before,
        lag(r.evidence_id) over by_step as evidence_id_before,
        lag(s.value, 2) over by_step as value_before_that,
        lead(s.value) over by_step as value_after
    from steps as s
    inner join resolved.results as r on s.result_id = r.result_id
    cross join tolerance as t
    -- A loss of accuracy in points is a difference of two numbers, which any of them moves by a factor.
    where s.value > 0 and s.unit <> 'points'
    window by_step as (partition by s.benchmark_key, s.source, s.kind order by s.step_order, s.step_key)
),

compared as (
    select
        *,
        value / value_before as gain,
        gain between 1 / most_factor and most_factor as is_usual,
        coalesce(value_after / value_before between 1 / most_factor and most_factor, false) as is_returned_from,
        -- Where the value goes back to what it was, the one between is out of place.
        coalesce(
            value_before / value_before_that not between 1 / most_factor and most_factor
            and value / value_before_that between 1 / most_factor and most_factor,
            false
        ) as goes_back,
        coalesce(
            value_before / value_before_that between 1 / steady_factor and steady_factor
            and value_after / value between 1 / steady_factor and steady_factor,
            false
        ) as is_steady
    from ordered
    where value_before is not null and bound = 'eq'
)

select
    'release_jump' as check_name,
    document_id,
    evidence_id,
    line,
    is_usual or is_steady as holds,
    value_before / most_factor as expected_low,
    value_before * most_factor as expected_high,
    value as printed,
    unit,
    [evidence_id_before] as inputs,
    format(
        '{} {} is {} times the {} {}{}',
        value_printed,
        step,
        case when gain >= 100 then format('{:,.0f}', gain) else format('{:.3g}', gain) end,
        printed_before,
        step_before,
        case
            when is_usual then ''
            when is_steady then concat(', and the ', kind, 's before and after agree with them')
            when is_returned_from then concat(', and the next ', kind, ' returns to the old value')
            else ''
        end
    ) as reason
from compared
where is_usual or not goes_back
order by document_id, line, evidence_id
