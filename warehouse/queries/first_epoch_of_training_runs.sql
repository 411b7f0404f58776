-- How much of the training time is spent in the first epoch, which includes compilation?
-- Check first_epoch_share and start_up_s, the extra time of the first epoch compared with later epochs.
with settled as (
    select
        run_id,
        min(epoch_time_s) as settled_epoch_time_s
    from resolved.training_epochs
    where epoch > 1
    group by run_id
),

firsts as (
    select
        run_id,
        epoch_time_s as first_epoch_time_s
    from resolved.training_epochs
    where epoch = 1
)

select
    r.accelerator,
    r.accelerator_count,
    r.batch_size,
    r.epochs,
    round(r.training_time_s, 1) as training_time_s,
    f.first_epoch_time_s,
    s.settled_epoch_time_s,
    f.first_epoch_time_s - s.settled_epoch_time_s as start_up_s,
    round(f.first_epoch_time_s / r.training_time_s, 3) as first_epoch_share
from resolved.training_runs as r
inner join firsts as f on r.run_id = f.run_id
inner join settled as s on r.run_id = s.run_id
order by r.accelerator, r.accelerator_count, r.batch_size, r.document_id, r.line
