-- Training runs of logs.
-- grain: one row per run in a log
select
    substr(sha256(concat_ws('|', r.document_id, r.run_line)), 1, 16) as run_id,
    r.document_id,
    substr(sha256(concat_ws('|', r.document_id, r.line, r.char_start, r.char_end)), 1, 16) as evidence_id,
    r.line,
    coalesce(platform.name, r.accelerator_printed) as accelerator,
    r.accelerator_printed,
    platform.vendor,
    r.accelerator_count,
    r.batch_size,
    r.epochs,
    r.epochs_planned,
    r.training_time_s,
    r.total_parameters,
    r.trainable_parameters
from extracted.runs as r
left join resolved.names as platform
    on platform.kind = 'platforms' and r.accelerator_printed = platform.name_printed and platform.suite is null
order by r.document_id, r.run_line
