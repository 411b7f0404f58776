-- Training runs in logs.
-- grain: one row per run in a log
with runs as (
    select
        r.* replace (case when r.suite is not null then concat_ws(' ', r.suite, d.round) end as suite)
    from extracted.runs as r
    left join raw.documents as d on r.document_id = d.document_id
),

scores as (
    select
        document_id,
        section,
        result_id
    from resolved.results
    where source_format(extractor).gives_scores
)

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
    r.trainable_parameters,
    r.suite,
    coalesce(model.name, r.model_printed) as model,
    r.model_printed,
    r.division,
    r.submitter,
    r.status,
    r.quality_reached,
    r.seed,
    r.samples,
    r.scored_as,
    s.result_id
from runs as r
left join resolved.names as platform
    on
    platform.kind = 'platforms'
    and r.accelerator_printed = platform.name_printed
    and r.suite is not distinct from platform.suite
left join resolved.names as model
    on
    model.kind = 'models'
    and r.model_printed = model.name_printed
    and r.suite is not distinct from model.suite
-- The runs of a score lie in its folder.
left join scores as s
    on r.document_id = s.document_id and starts_with(r.section, s.section || '/') and r.scored_as is not null
order by r.document_id, r.run_line
