-- Throughput times latency of each row against the other rows of the table, by Little's law.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- How many batches a test keeps in flight is mostly one number for a table.
        0.15 as share,
        0.75 as least_agreement,
        6 as least_rows,
        -- So many rows that agree with each other were run in another way, such as on more cores.
        3 as least_rows_of_a_way,
        -- Where the rows agree, this much beyond them is another way of running, or a misprint. The time of a token
        -- grows along a long answer, so that its median is that of no rate.
        1.5 as least_factor_of_latency,
        3.0 as least_factor_of_tokens,
        -- Where they do not, a row has to stand apart from each of them.
        3.0 as least_gap
),

served as (
    select
        rate.document_id,
        rate.section,
        time.metric,
        rate.batch_size,
        rate.value as rate,
        rate.value_printed as rate_printed,
        coalesce(rate.unit_printed, rate.unit) as rate_unit_printed,
        rate.evidence_id as rate_evidence_id,
        time.value,
        time.value_printed,
        time.benchmark_key,
        time.unit,
        coalesce(time.unit_printed, time.unit) as unit_printed,
        time.line,
        time.evidence_id,
        rate.value * time.value / 1000 / rate.batch_size as in_flight,
        rate.value_low * time.value_low / 1000 / rate.batch_size as in_flight_low,
        rate.value_high * time.value_high / 1000 / rate.batch_size as in_flight_high
    from resolved.results as rate
    inner join resolved.results as time
        on
        rate.document_id = time.document_id
        and rate.row_line = time.row_line
        and rate.platform is not distinct from time.platform
        and rate.model is not distinct from time.model
        and rate.batch_size is not distinct from time.batch_size
        and rate.precision is not distinct from time.precision
    where
        rate.metric = 'throughput'
        and rate.task = 'inference'
        and rate.batch_size is not null
        and rate.bound = 'eq'
        and time.bound = 'eq'
        and rate.value > 0
        and time.value > 0
        and time.unit = 'ms'
        and coalesce(time.statistic in ('mean', 'p50'), true)
        -- Of a language model that writes, one pass gives a token for each sequence of the batch.
        and case
            when coalesce(rate.item, '') like '%token%' then time.metric in ('tpot', 'token_latency')
            else time.metric = 'latency'
        end
    -- One row may hold several results: then which belong together is not told.
    qualify count(*) over (partition by time.result_id) = 1 and count(*) over (partition by rate.result_id) = 1
),

levelled as (
    select
        s.*,
        t.*,
        case s.metric when 'latency' then t.least_factor_of_latency else t.least_factor_of_tokens end as least_factor,
        median(s.in_flight) over tabled as level,
        count(*) over tabled as table_rows,
        -- On a scale of ratios, since 2 is as far from 1 as from 4.
        count(*) over (
            partition by s.document_id, s.section, s.metric order by ln(s.in_flight)
            range between 0.15 preceding and 0.15 following
        ) as rows_alike,
        least(
            s.in_flight / lag(s.in_flight) over (partition by s.document_id, s.section, s.metric order by s.in_flight),
            lead(s.in_flight) over (partition by s.document_id, s.section, s.metric order by s.in_flight) / s.in_flight
        ) as gap
    from served as s
    cross join tolerance as t
    window tabled as (partition by s.document_id, s.section, s.metric)
),

compared as (
    select
        *,
        count(*) filter (where in_flight between level * (1 - share) and level * (1 + share)) over tabled
        >= table_rows * least_agreement as agrees,
        min(in_flight) over tabled as least_in_flight,
        max(in_flight) over tabled as most_in_flight
    from levelled
    window tabled as (partition by document_id, section, metric)
),

-- A row that was measured again, in another snapshot, with as much in flight is run in its own way.
steady as (
    select distinct
        a.evidence_id,
        true as is_steady
    from levelled as a
    inner join levelled as b
        on a.benchmark_key = b.benchmark_key and a.document_id <> b.document_id and a.value_printed <> b.value_printed
    where b.in_flight between a.in_flight * (1 - a.share) and a.in_flight * (1 + a.share)
),

ways as (
    select
        c.*,
        coalesce(s.is_steady, false) as is_steady
    from compared as c
    left join steady as s on c.evidence_id = s.evidence_id
),

judged as (
    select
        *,
        case when agrees then level / least_factor else least_in_flight end as low,
        case when agrees then level * least_factor else most_in_flight end as high,
        case
            when rows_alike >= least_rows_of_a_way or is_steady then true
            when agrees then in_flight_high >= level / least_factor and in_flight_low <= level * least_factor
            else coalesce(gap, 1) < least_gap or in_flight between least_in_flight * 1.001 and most_in_flight * 0.999
        end as holds
    from ways
)

select
    'latency_of_table' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    low * batch_size / rate * 1000 as expected_low,
    high * batch_size / rate * 1000 as expected_high,
    value as printed,
    unit,
    [rate_evidence_id] as inputs,
    format(
        '{} {} at {} {} keep {:.3g} batches of {} in flight, {} the {} rows of the table {} {:.3g}',
        rate_printed,
        rate_unit_printed,
        value_printed,
        unit_printed,
        in_flight,
        batch_size,
        case when holds then 'as' else 'where' end,
        table_rows,
        case when agrees then 'mostly keep about' else 'keep a median of' end,
        level
    ) as reason
from judged
where table_rows >= least_rows
union all
select
    'percentiles_in_order' as check_name,
    higher.document_id,
    higher.evidence_id,
    higher.line,
    higher.value_high >= median.value_low as holds,
    median.value_low as expected_low,
    'inf'::double as expected_high,
    higher.value as printed,
    higher.unit,
    [median.evidence_id] as inputs,
    format(
        'the {} of {} {} {} the median of {} in the same row',
        higher.statistic,
        higher.value_printed,
        coalesce(higher.unit_printed, higher.unit),
        case when higher.value_high >= median.value_low then 'is not below' else 'is below' end,
        median.value_printed
    ) as reason
from resolved.results as median
inner join resolved.results as higher
    on
    median.document_id = higher.document_id
    and median.row_line = higher.row_line
    and median.metric = higher.metric
    and median.platform is not distinct from higher.platform
    and median.model is not distinct from higher.model
    and median.batch_size is not distinct from higher.batch_size
    and median.unit = higher.unit
where
    median.statistic = 'p50'
    and higher.statistic in ('p90', 'p95', 'p99', 'p99.9', 'max')
    and median.bound = 'eq'
    and higher.bound = 'eq'
    and not higher.higher_is_better
order by document_id, line, check_name, evidence_id
