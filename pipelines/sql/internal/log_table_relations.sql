-- Table rows against the run in the log beside the table: epoch times and samples.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- Progress bars print whole seconds.
        0.5 as epoch_seconds,
        -- Where a clock starts within an epoch: tables leave out what happens before the first step.
        0.1 as clock,
        -- Samples of the last incomplete batches, which runs drop.
        0.05 as dropped,
        -- Where fewer rows fit the log, table and log mean different things by a time or by a batch.
        2 as least_rows,
        0.5 as least_agreement
),

epochs as (
    select
        p.document_id,
        p.row_line,
        p.run_id,
        r.evidence_id,
        r.line,
        r.epoch as epoch_named,
        r.value,
        r.value_low,
        r.value_high,
        r.value_printed,
        r.unit,
        e.epoch,
        e.line as epoch_line,
        e.evidence_id as epoch_evidence_id,
        e.epoch_time_s - t.epoch_seconds as least_s,
        e.epoch_time_s + t.epoch_seconds as most_s,
        printf('%g', e.epoch_time_s) as epoch_printed,
        r.epoch is null or r.epoch = e.epoch as is_meant,
        t.clock as clock_share
    from internal.tabled_runs as p
    inner join resolved.results as r
        on p.document_id = r.document_id and p.row_line = r.row_line and r.metric = 'epoch_time' and r.bound = 'eq'
    inner join resolved.training_epochs as e on p.run_id = e.run_id
    cross join tolerance as t
    where e.epoch_time_s is not null
),

compared as (
    select
        document_id,
        evidence_id,
        line,
        epoch_named,
        value,
        value_printed,
        unit,
        min(least_s) filter (where is_meant) as least_s,
        max(most_s) filter (where is_meant) as most_s,
        min(clock_share) as clock_share,
        list(epoch_evidence_id order by epoch, epoch_evidence_id) filter (where is_meant) as inputs,
        string_agg(epoch_printed, ', ' order by epoch, epoch_printed) filter (where is_meant) as epochs_printed,
        min(epoch_line) filter (where is_meant) as epoch_line,
        bool_or(value_low <= most_s and least_s <= value_high) filter (where is_meant) as is_met,
        min(value_low) as value_low,
        max(value_high) as value_high,
        min(epoch) filter (where not is_meant and value_low <= most_s and least_s <= value_high) as epoch_met,
        arg_min(epoch_printed, (epoch, epoch_printed)) filter (
            where not is_meant and value_low <= most_s and least_s <= value_high
        ) as met_printed
    from epochs
    group by document_id, evidence_id, line, epoch_named, value, value_printed, unit
    having count(*) filter (where is_meant) > 0
),

-- Another epoch that fits exactly tells more than one that nearly fits.
times as (
    select
        *,
        is_met
        or (
            epoch_met is null
            and value_high >= least_s * (1 - clock_share)
            and value_low <= most_s * (1 + clock_share)
        ) as holds
    from compared
),

judged_times as (
    select
        r.*,
        count(*) filter (where r.holds) over log
        >= greatest(t.least_rows, count(*) over log * t.least_agreement) as mostly_holds
    from times as r
    cross join tolerance as t
    window log as (partition by r.document_id)
),

rates as (
    select
        p.document_id,
        r.evidence_id,
        r.line,
        r.value,
        r.value_printed,
        r.unit,
        coalesce(r.unit_printed, r.unit) as unit_printed,
        d.value_printed as time_printed,
        d.value_low as seconds_low,
        d.value_high as seconds_high,
        r.value * d.value as samples,
        r.value_low * d.value_low as samples_low,
        r.value_high * d.value_high as samples_high,
        e.steps,
        p.batch_size,
        e.steps * p.batch_size as logged,
        p.accelerator_count,
        e.line as epoch_line,
        [d.evidence_id, e.evidence_id] as inputs,
        t.dropped as dropped_share
    from internal.tabled_runs as p
    inner join resolved.results as r
        on p.document_id = r.document_id and p.row_line = r.row_line and r.metric = 'throughput' and r.bound = 'eq'
    inner join resolved.results as d
        on p.document_id = d.document_id and p.row_line = d.row_line and d.metric = 'epoch_time' and d.bound = 'eq'
    inner join resolved.training_epochs as e on p.run_id = e.run_id and coalesce(d.epoch, 1) = e.epoch
    cross join tolerance as t
    where e.steps > 0 and p.batch_size is not null
),

-- The batch size may be that of all devices or of each.
samples as (
    select
        *,
        samples_low <= logged * (1 + dropped_share)
        and logged * (1 - dropped_share) <= samples_high as fits_at_all_devices,
        samples_low <= logged * accelerator_count * (1 + dropped_share)
        and logged * accelerator_count * (1 - dropped_share) <= samples_high as fits_at_each_device
    from rates
),

-- Where neither reading fits, the nearer one is what the reader is shown.
read as (
    select
        *,
        fits_at_all_devices or fits_at_each_device as holds,
        case
            when not fits_at_all_devices and abs(ln(samples / (logged * accelerator_count))) < abs(ln(samples / logged))
                then accelerator_count
            else 1
        end as devices
    from samples
),

judged_samples as (
    select
        r.*,
        count(*) filter (where r.holds) over log
        >= greatest(t.least_rows, count(*) over log * t.least_agreement) as mostly_holds
    from read as r
    cross join tolerance as t
    window log as (partition by r.document_id)
)

select
    'epoch_time_in_log' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    case when holds then least_s * (1 - clock_share) else least_s end as expected_low,
    case when holds then most_s * (1 + clock_share) else most_s end as expected_high,
    value as printed,
    unit,
    inputs,
    format(
        'the table prints {} s {}, {} the log has {} s from line {}{}',
        value_printed,
        coalesce('for epoch ' || epoch_named, 'per epoch'),
        case when holds then 'as' else 'where' end,
        epochs_printed,
        epoch_line,
        case
            when epoch_met is null then ''
            else format('; epoch {} has {} s', epoch_met, met_printed)
        end
    ) as reason
from judged_times
where holds or epoch_met is not null or mostly_holds
union all
select
    'samples_in_log' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    logged * devices * (1 - dropped_share) / seconds_high as expected_low,
    logged * devices * (1 + dropped_share) / seconds_low as expected_high,
    value as printed,
    unit,
    inputs,
    format(
        '{} {} for {} s are about {:,} samples, {} the log counts {:,} steps of {:,} = {:,} samples in line {}',
        value_printed,
        unit_printed,
        time_printed,
        round(samples)::bigint,
        case when holds then 'as' else 'where' end,
        steps,
        batch_size * devices,
        logged * devices,
        epoch_line
    ) as reason
from judged_samples
where holds or mostly_holds
order by document_id, line, check_name, evidence_id
