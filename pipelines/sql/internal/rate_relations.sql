-- Throughput times the time of an epoch or of a training against the samples that the other rows give.
-- grain: one row per relation and printed number
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with tolerance as (
    select
        -- Rows of one table drop their last incomplete batches, so that their epochs differ by a few percent.
        0.05 as share,
        -- Fewer rows, or rows that do not mostly agree, say nothing about how many samples an epoch has.
        4 as least_rows,
        0.75 as least_agreement
),

-- The rate and the time of one row of a table.
rows_of_tables as (
    select
        'throughput_times_time' as check_name,
        rate.result_id as rate_id,
        duration.result_id as time_id,
        1.0 as epochs,
        rate.section,
        rate.section_line,
        rate.conditions
    from resolved.results as rate
    inner join resolved.results as duration
        on rate.document_id = duration.document_id
        and rate.row_line = duration.row_line
        -- One row may hold results of several platforms.
        and rate.platform is not distinct from duration.platform
        and rate.model is not distinct from duration.model
        and rate.batch_size is not distinct from duration.batch_size
        and rate.precision is not distinct from duration.precision
    where rate.metric = 'throughput' and duration.metric = 'epoch_time'
),

planned as (
    select
        result_id,
        min(try_cast(value as double)) as epochs
    from resolved.result_conditions
    where dimension = 'epochs'
    group by result_id
    having count(distinct value) = 1
),

trainings as (
    select
        t.*,
        p.epochs,
        list_filter(map_entries(t.conditions), lambda entry: entry.key <> 'epochs') as run
    from resolved.results as t
    inner join planned as p on t.result_id = p.result_id
    where t.metric in ('training_time', 'time_to_train')
),

-- The time of a training of so many epochs, and the rate of the same training, which may be in another table.
whole_trainings as (
    select
        'throughput_times_training_time' as check_name,
        rate.result_id as rate_id,
        duration.result_id as time_id,
        duration.epochs,
        null as section,
        null as section_line,
        null as conditions
    from trainings as duration
    inner join resolved.results as rate
        on duration.document_id = rate.document_id
        and duration.task is not distinct from rate.task
        and duration.model = rate.model
        and duration.platform = rate.platform
        and duration.accelerator_count is not distinct from rate.accelerator_count
        and duration.precision is not distinct from rate.precision
        and duration.framework is not distinct from rate.framework
        and coalesce(duration.batch_size = rate.batch_size, true)
        and duration.run = map_entries(rate.conditions)
    where rate.metric = 'throughput'
    qualify
        row_number() over (partition by duration.result_id order by rate.line, rate.evidence_id) = 1
        -- A page that prints a time in two tables has one agreement, not two.
        and row_number() over (partition by rate.result_id, duration.value order by duration.line) = 1
        -- Rates of several batch sizes leave open which of them the time is of.
        and min(rate.value) over (partition by duration.result_id)
        = max(rate.value) over (partition by duration.result_id)
),

paired as (
    select * from rows_of_tables
    union all
    select * from whole_trainings
),

-- An epoch has the same samples however it is run.
timed as (
    select
        p.check_name,
        rate.document_id,
        rate.line,
        rate.evidence_id,
        rate.unit,
        rate.value,
        rate.value_printed,
        coalesce(rate.unit_printed, rate.unit) as unit_printed,
        duration.evidence_id as time_evidence_id,
        duration.value_printed
        || case p.check_name when 'throughput_times_time' then ' s' else ' ' || coalesce(duration.unit_printed, '') end
        || case when p.epochs > 1 then format(' and {:.0f} epochs', p.epochs) else '' end as time_printed,
        duration.value_low / p.epochs as seconds_low,
        duration.value_high / p.epochs as seconds_high,
        rate.value * duration.value / p.epochs as samples,
        rate.value_low * duration.value_low / p.epochs as samples_low,
        rate.value_high * duration.value_high / p.epochs as samples_high,
        -- What has the samples: rows that train one model on one dataset in one way, and of one table where each row
        -- has its time.
        md5(
            row(
                p.check_name, p.section, p.section_line, rate.task, rate.stage, rate.phase, rate.model,
                rate.variant_name, rate.dataset, rate.item, rate.sequence_length, rate.is_packed, rate.image_size,
                p.conditions
            )::varchar
        ) as workload
    from paired as p
    inner join resolved.results as rate on p.rate_id = rate.result_id
    inner join resolved.results as duration on p.time_id = duration.result_id
    where rate.bound = 'eq' and duration.bound in ('eq', 'approx')
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
    c.check_name,
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
        '{} {} for {} are about {:,} samples{}, {} the {} rows that agree give {:,} to {:,}',
        c.value_printed,
        c.unit_printed,
        c.time_printed,
        round(c.samples)::bigint,
        case when c.check_name = 'throughput_times_time' then '' else ' an epoch' end,
        case when c.holds then 'as' else 'where' end,
        a.agreeing_rows,
        round(a.samples_least)::bigint,
        round(a.samples_most)::bigint
    ) as reason
from compared as c
inner join agreed as a on c.document_id = a.document_id and c.workload = a.workload
where a.all_rows >= c.least_rows and a.agreeing_rows >= a.all_rows * c.least_agreement
order by c.document_id, c.line, c.evidence_id, c.time_evidence_id
