-- Does the summary table of a training log agree with the log?
-- Check deviation: the printed epoch time against the mean of all epochs after the first in the log.
with logged as (
    select
        r.document_id,
        r.vendor,
        r.accelerator_count,
        r.batch_size,
        avg(e.epoch_time_s) as logged_epoch_time_s,
        min(e.line) as log_line
    from resolved.training_runs as r
    inner join resolved.training_epochs as e on r.run_id = e.run_id
    where e.epoch > 1
    group by r.document_id, r.run_id, r.vendor, r.accelerator_count, r.batch_size
),

tabled as (
    select r.*
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    where r.metric = 'epoch_time'
)

select
    t.platform,
    t.accelerator_count,
    t.batch_size,
    t.value as tabled_epoch_time_s,
    l.logged_epoch_time_s,
    round(t.value / l.logged_epoch_time_s - 1, 3) as deviation,
    t.line as table_line,
    l.log_line
from tabled as t
-- A run without a batch size in its heading is matched by its devices only.
inner join logged as l
    on t.document_id = l.document_id
    and t.vendor = l.vendor
    and t.accelerator_count = l.accelerator_count
    and (t.batch_size = l.batch_size or l.batch_size is null)
order by t.platform, t.accelerator_count, t.batch_size, l.log_line
