-- Throughput times time against the samples that the other rows of the table give.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- Rows of one table drop their last incomplete batches, so that their epochs differ by a few percent.
        0.05 as share,
        -- Fewer rows, or rows that do not mostly agree, say nothing about how many samples an epoch has.
        4 as least_rows,
        0.75 as least_agreement
),

-- An epoch has the same samples however it is run; a whole training need not have the same epochs.
timed as (
    select
        rate.document_id,
        rate.line,
        rate.evidence_id,
        rate.unit,
        rate.value,
        rate.value_printed,
        coalesce(rate.unit_printed, rate.unit) as unit_printed,
        duration.evidence_id as time_evidence_id,
        duration.value_printed as time_printed,
        duration.value_low as seconds_low,
        duration.value_high as seconds_high,
        rate.value * duration.value as samples,
        rate.value_low * duration.value_low as samples_low,
        rate.value_high * duration.value_high as samples_high,
        -- What has the samples: rows of one table that train one model on one dataset in one way.
        md5(
            row(
                rate.section, rate.section_line, rate.task, rate.stage, rate.phase, rate.model, rate.variant_name,
                rate.dataset, rate.item, rate.sequence_length, rate.is_packed, rate.image_size, rate.attributes
            )::varchar
        ) as workload
    from resolved.results as rate
    inner join resolved.results as duration
        on rate.document_id = duration.document_id
        and rate.row_line = duration.row_line
        -- One row may hold results of several platforms.
        and rate.platform is not distinct from duration.platform
        and rate.model is not distinct from duration.model
        and rate.batch_size is not distinct from duration.batch_size
        and rate.precision is not distinct from duration.precision
    where rate.metric = 'throughput' and duration.metric = 'epoch_time' and rate.bound = 'eq' and duration.bound = 'eq'
),

levelled as (
    select
        *,
        median(samples) over (partition by document_id, workload) as level
    from timed
),

compared as (
    select
        l.*,
        l.samples_low <= l.level * (1 + t.share) and l.level * (1 - t.share) <= l.samples_high as holds,
        t.share,
        t.least_rows,
        t.least_agreement
    from levelled as l
    cross join tolerance as t
),

agreed as (
    select
        document_id,
        workload,
        count(*) as all_rows,
        count(*) filter (where holds) as agreeing_rows,
        min(samples) filter (where holds) as samples_least,
        max(samples) filter (where holds) as samples_most
    from compared
    group by document_id, workload
)

select
    'throughput_times_time' as check_name,
    c.document_id,
    c.evidence_id,
    c.line,
    c.holds,
    a.samples_least * (1 - c.share) / c.seconds_high as expected_low,
    a.samples_most * (1 + c.share) / c.seconds_low as expected_high,
    c.value as printed,
    c.unit,
    [c.time_evidence_id] as inputs,
    format(
        '{} {} for {} s are about {:,} samples, {} the {} rows of the table that agree give {:,} to {:,}',
        c.value_printed,
        c.unit_printed,
        c.time_printed,
        round(c.samples)::bigint,
        case when c.holds then 'as' else 'where' end,
        a.agreeing_rows,
        round(a.samples_least)::bigint,
        round(a.samples_most)::bigint
    ) as reason
from compared as c
inner join agreed as a on c.document_id = a.document_id and c.workload = a.workload
where a.all_rows >= c.least_rows and a.agreeing_rows >= a.all_rows * c.least_agreement
order by c.document_id, c.line, c.evidence_id
