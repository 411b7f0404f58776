-- Batch size and latency against throughput within a curve, by Little's law.
-- grain: one row per relation and printed number
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with tolerance as (
    select
        -- Batches in flight vary a little along a curve: queues fill better with large batches.
        0.1 as share,
        -- More is another way of running, or a misprint; less is neither.
        1.5 as least_factor,
        -- Queues of five batches stand beside queues of one in the same table; no queue makes a factor of eight.
        8.0 as most_factor,
        -- Fewer rows, or rows that do not mostly agree, say nothing about how many batches are in flight.
        4 as least_rows,
        0.75 as least_agreement
),

-- What is in flight is throughput times latency. Tokens are not what a batch counts, and a configuration that is named
-- for its latency or throughput was tuned for it.
served as (
    select
        rate.document_id,
        rate.batch_size,
        latency.line,
        latency.evidence_id,
        latency.value,
        latency.value_printed,
        latency.unit,
        coalesce(latency.unit_printed, latency.unit) as unit_printed,
        rate.evidence_id as rate_evidence_id,
        rate.value_printed as rate_printed,
        coalesce(rate.unit_printed, rate.unit) as rate_unit_printed,
        rate.value as rate,
        rate.value * latency.value / 1000 / rate.batch_size as in_flight,
        rate.value_low * latency.value_low / 1000 / rate.batch_size as in_flight_low,
        rate.value_high * latency.value_high / 1000 / rate.batch_size as in_flight_high,
        md5(
            row(
                rate.section,
                rate.item,
                latency.statistic,
                list_filter(
                    identity_entries(rate),
                    lambda entry: entry.key not in ('batch_size', 'configuration', 'image_size', 'statistic')
                )
            )::varchar
        ) as curve
    from resolved.results as rate
    inner join resolved.results as latency
        on rate.document_id = latency.document_id
        and rate.row_line = latency.row_line
        -- One row may hold results of several platforms.
        and rate.platform is not distinct from latency.platform
        and rate.model is not distinct from latency.model
        and rate.batch_size is not distinct from latency.batch_size
        and rate.precision is not distinct from latency.precision
    where
        rate.metric = 'throughput'
        and latency.metric = 'latency'
        and coalesce(latency.statistic in ('mean', 'p50'), true)
        and rate.task = 'inference'
        and rate.model is not null
        and rate.batch_size is not null
        and rate.bound = 'eq'
        and latency.bound = 'eq'
        and coalesce(rate.item, '') not like '%token%'
        and not regexp_matches(
            lower(coalesce(rate.configuration, '')), 'latency|throughput|stream|offline|server|concurren|interactive'
        )
),

levelled as (
    select
        *,
        median(in_flight) over (partition by document_id, curve) as level
    from served
),

compared as (
    select
        l.*,
        t.least_rows,
        t.least_agreement,
        l.level * (1 - t.share) as level_low,
        l.level * (1 + t.share) as level_high,
        l.in_flight_low <= l.level * (1 + t.share) and l.level * (1 - t.share) <= l.in_flight_high as holds,
        l.in_flight_low > l.level * t.least_factor or l.in_flight_high < l.level / t.least_factor as is_far,
        l.in_flight_low > l.level * t.most_factor or l.in_flight_high < l.level / t.most_factor as is_very_far
    from levelled as l
    cross join tolerance as t
),

-- Large batches may be run another way than small ones. A row is out of place when rows with batches as small and as
-- large as its own agree.
placed as (
    select
        *,
        count(*) over (partition by document_id, curve) as curve_rows,
        count(*) filter (where holds) over (partition by document_id, curve) as agreeing_rows,
        min(batch_size) filter (where holds) over (partition by document_id, curve) as batch_size_low,
        max(batch_size) filter (where holds) over (partition by document_id, curve) as batch_size_high,
        min(in_flight) filter (where holds) over (partition by document_id, curve) as agreed_low,
        max(in_flight) filter (where holds) over (partition by document_id, curve) as agreed_high
    from compared
)

select
    'latency_of_batch' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    level_low * batch_size / rate * 1000 as expected_low,
    level_high * batch_size / rate * 1000 as expected_high,
    value as printed,
    unit,
    [rate_evidence_id] as inputs,
    format(
        '{} {} at {} {} keep {:.2f} batches of {} in flight, {} {} of {} rows of the curve keep {:.2f} to {:.2f}{}',
        rate_printed,
        rate_unit_printed,
        value_printed,
        unit_printed,
        in_flight,
        batch_size,
        case when holds then 'as' else 'where' end,
        agreeing_rows,
        curve_rows,
        agreed_low,
        agreed_high,
        case
            when holds then ''
            else
                format(
                    '; that would fit a batch of {:.1f} to {:.1f}',
                    batch_size * in_flight / agreed_high,
                    batch_size * in_flight / agreed_low
                )
        end
    ) as reason
from placed
where
    curve_rows >= least_rows
    and agreeing_rows >= curve_rows * least_agreement
    and (
        holds
        or is_very_far
        or (is_far and batch_size between batch_size_low and batch_size_high)
    )
order by document_id, line, evidence_id
