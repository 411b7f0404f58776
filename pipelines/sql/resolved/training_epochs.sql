-- Finished epochs of training runs.
-- grain: one row per epoch of a run
select
    substr(sha256(concat_ws('|', document_id, run_line)), 1, 16) as run_id,
    epoch,
    document_id,
    substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16) as evidence_id,
    line,
    steps,
    epoch_time_s,
    step_time_ms,
    loss,
    loss_is_nan
from extracted.epochs
order by document_id, run_line, epoch
