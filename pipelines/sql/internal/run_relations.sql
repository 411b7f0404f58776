-- Runs of a log: the stated training time against the epochs, the samples against other runs.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- Progress bars print whole seconds.
        0.5 as epoch_seconds,
        -- Clocks of the program and of its progress bar start and stop at different lines.
        0.01 as clock,
        -- Setup, saving and validation between the epochs.
        0.2 as overhead,
        -- A run on its own may spend more on setup; more than this and its log would say what for.
        0.5 as unusual_overhead,
        -- Two measured times do not repeat each other to a thousandth.
        0.001 as repetition,
        -- Samples of the last incomplete batches, which runs drop.
        0.05 as dropped,
        -- Fewer runs say nothing about what is usual in a log; nor do runs that do not mostly agree.
        3 as least_runs,
        0.75 as least_agreement
),

timed as (
    select
        r.document_id,
        r.run_id,
        r.line,
        r.evidence_id,
        r.accelerator,
        r.accelerator_count,
        r.batch_size,
        r.training_time_s,
        min(e.line) as first_line,
        list(e.evidence_id order by e.epoch) as inputs,
        -- What else a log may mean by its training time: without the epoch that compiles, or of one epoch alone.
        sum(e.epoch_time_s order by e.epoch) filter (where e.epoch > 1) as settled_s,
        min(abs(e.epoch_time_s - r.training_time_s)) as nearest_epoch_off_s,
        count(*) as epochs,
        sum(e.epoch_time_s order by e.epoch) as epochs_s,
        string_agg(printf('%g', e.epoch_time_s), ' + ' order by e.epoch) as epochs_printed,
        sum(e.epoch_time_s - t.epoch_seconds order by e.epoch) * (1 - t.clock) as least_s,
        sum(e.epoch_time_s + t.epoch_seconds order by e.epoch) * (1 + t.overhead) as most_s
    from resolved.training_runs as r
    inner join resolved.training_epochs as e on r.run_id = e.run_id
    cross join tolerance as t
    where r.training_time_s is not null
    group by
        r.document_id,
        r.run_id,
        r.line,
        r.evidence_id,
        r.accelerator,
        r.accelerator_count,
        r.batch_size,
        r.training_time_s,
        t.clock,
        t.overhead
    -- A run that was interrupted, or whose lines could not all be read, has no sum.
    having
        count(e.epoch_time_s) = max(r.epochs)
        and max(e.epoch) = max(r.epochs)
        and max(r.epochs) = coalesce(max(r.epochs_planned), max(r.epochs))
),

-- The first run on a kind of device may load, compile and fill caches for all that follow.
ranked as (
    select
        *,
        row_number() over (partition by document_id, accelerator order by first_line, evidence_id) as run_on_device,
        count(*) filter (where training_time_s between least_s and most_s) over (partition by document_id)
            as usual_runs
    from timed
),

-- A time that another run with other epochs states too was copied, not measured.
repeated as (
    select
        a.run_id,
        min(b.line) as repeats_line,
        min(b.training_time_s) as repeats_s
    from ranked as a
    cross join tolerance as t
    inner join ranked as b
        on a.document_id = b.document_id
        and a.run_id <> b.run_id
        and abs(a.training_time_s - b.training_time_s) <= a.training_time_s * t.repetition
        and abs(a.epochs_s - b.epochs_s) > a.epochs_s * t.overhead / 2
    group by a.run_id
),

times as (
    select
        r.*,
        p.repeats_line,
        p.repeats_s,
        r.training_time_s between r.least_s and r.most_s as holds,
        -- In minutes or hours, without the first epoch, or of one epoch: then the log means something else.
        r.training_time_s * 60 between r.least_s and r.most_s
        or r.training_time_s * 3600 between r.least_s and r.most_s
        or abs(r.training_time_s - r.settled_s) <= r.epochs * t.epoch_seconds + r.settled_s * t.clock
        or r.nearest_epoch_off_s <= t.epoch_seconds as means_otherwise,
        -- Less than the epochs is impossible; more has to be out of the ordinary, in this log or in itself.
        r.training_time_s < r.least_s
        or (
            r.usual_runs >= t.least_runs
            and (
                p.repeats_line is not null
                or (r.training_time_s > r.epochs_s * (1 + t.unusual_overhead) and r.run_on_device > 1)
            )
        ) as fails
    from ranked as r
    cross join tolerance as t
    left join repeated as p on r.run_id = p.run_id
),

-- Steps times batch, where the batch is that of all devices or, on several, of each.
sampled as (
    select
        r.document_id,
        r.accelerator_count,
        r.batch_size,
        e.line,
        e.evidence_id,
        e.steps,
        e.steps * r.batch_size as samples,
        median(e.steps * r.batch_size) filter (where r.accelerator_count = 1) over log as level
    from resolved.training_runs as r
    inner join resolved.training_epochs as e on r.run_id = e.run_id
    where e.steps > 0 and r.batch_size is not null and r.accelerator_count is not null
    window log as (partition by r.document_id)
),

-- Where neither reading fits, the nearer one is what the reader is shown.
samples as (
    select
        s.* exclude (samples),
        d.devices,
        s.samples * d.devices as samples,
        s.level * (1 - t.dropped) as least,
        s.level * (1 + t.dropped) as most,
        s.samples * d.devices between s.level * (1 - t.dropped) and s.level * (1 + t.dropped) as holds,
        t.least_runs,
        t.least_agreement
    from sampled as s
    cross join tolerance as t
    cross join unnest([1, s.accelerator_count]) as d (devices)
    qualify
        row_number() over (partition by s.evidence_id order by abs(ln(s.samples * d.devices / s.level)), d.devices) = 1
),

-- What a log's epochs on one device mostly agree on; a log of several datasets has no such level.
levelled as (
    select
        *,
        count(*) filter (where accelerator_count = 1) over log as single_epochs,
        count(*) filter (where accelerator_count = 1 and holds) over log as agreeing_epochs,
        list(evidence_id order by evidence_id) filter (where accelerator_count = 1 and holds) over log as inputs
    from samples
    window log as (partition by document_id)
)

select
    'training_time_of_epochs' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    least_s as expected_low,
    most_s as expected_high,
    training_time_s as printed,
    's' as unit,
    inputs,
    format(
        'the stated training time of {:.3f} s {} the epochs, which are {} = {:g} s{}',
        training_time_s,
        case when holds then 'matches' else 'does not match' end,
        epochs_printed,
        epochs_s,
        case
            when holds then ''
            when repeats_line is not null
                then format('; it is nearly equal to the {:.3f} s of another run in line {}', repeats_s, repeats_line)
            when training_time_s < least_s then '; it is less than their sum'
            else format('; in {} other runs of the log the stated time matches', usual_runs)
        end
    ) as reason
from times
where holds or (fails and not means_otherwise)
union all
select
    'samples_per_epoch' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    least / batch_size / devices as expected_low,
    most / batch_size / devices as expected_high,
    steps as printed,
    'steps' as unit,
    inputs,
    format(
        '{:,} steps of {:,} are {:,} samples per epoch, {} the epochs on one device mostly have {:,}',
        steps,
        batch_size * devices,
        samples,
        case when holds then 'as' else 'where' end,
        level::bigint
    ) as reason
from levelled
where
    single_epochs >= least_runs
    and agreeing_epochs >= single_epochs * least_agreement
    -- Several devices may gather the gradients of several batches in one step: too few samples say nothing there.
    and (holds or accelerator_count = 1 or samples > level)
order by document_id, line, check_name, evidence_id
