-- The value of a benchmark under one SDK release against those under the releases before and after it.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- No release makes one system so many times faster or slower at the same work.
        5.0 as most_factor
),

releases as (
    select
        h.benchmark_key,
        h.sdk_version,
        h.sdk_order,
        h.value,
        h.unit,
        r.document_id,
        r.evidence_id,
        r.line,
        r.value_printed,
        r.bound,
        t.most_factor,
        lag(h.value) over by_release as value_before,
        lag(h.sdk_version) over by_release as sdk_before,
        lag(r.value_printed) over by_release as printed_before,
        lag(r.evidence_id) over by_release as evidence_id_before,
        lag(h.value, 2) over by_release as value_before_that,
        lead(h.value) over by_release as value_after
    from main.result_history as h
    inner join resolved.results as r on h.result_id = r.result_id
    cross join tolerance as t
    where h.stands_in_release and h.sdk_version is not null and h.status <> 'withdrawn' and h.value > 0
    window by_release as (partition by h.benchmark_key order by h.sdk_order)
),

compared as (
    select
        *,
        value / value_before as gain,
        gain between 1 / most_factor and most_factor as holds,
        -- Where the value goes back to what it was, the one between is out of place.
        coalesce(
            value_before / value_before_that not between 1 / most_factor and most_factor
            and value / value_before_that between 1 / most_factor and most_factor,
            false
        ) as goes_back
    from releases
    where value_before is not null and bound = 'eq'
)

select
    'release_jump' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    value_before / most_factor as expected_low,
    value_before * most_factor as expected_high,
    value as printed,
    unit,
    [evidence_id_before] as inputs,
    format(
        '{} under SDK {} is {} times the {} under SDK {}{}',
        value_printed,
        sdk_version,
        case when gain >= 100 then format('{:,.0f}', gain) else format('{:.3g}', gain) end,
        printed_before,
        sdk_before,
        case
            when not holds and value_after / value_before between 1 / most_factor and most_factor
                then ', and the next release returns to the old value'
            else ''
        end
    ) as reason
from compared
where holds or not goes_back
order by document_id, line, evidence_id
