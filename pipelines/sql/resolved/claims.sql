-- Comparisons claimed in documents, under canonical names.
-- grain: one row per comparison claimed in a document
with places as (
    select
        *,
        substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16) as evidence_id
    from extracted.claims
),

repeats as (
    select document_id, repeats_line, factor, list(evidence_id order by line, char_start) as evidence_ids
    from places
    where repeats_line is not null
    group by document_id, repeats_line, factor
)

select
    substr(
        sha256(concat_ws('|', c.evidence_id, coalesce(c.metric, '<null>'), coalesce(c.model_printed, '<null>'))), 1, 16
    ) as claim_id,
    c.document_id,
    c.evidence_id,
    c.line,
    c.section,
    c.section_line,
    c.task,
    c.suite,
    coalesce(model.name, c.model_printed) as model,
    c.model_printed,
    coalesce(subject.name, c.subject_printed) as subject_platform,
    c.subject_printed,
    coalesce(baseline.name, c.baseline_printed) as baseline_platform,
    c.baseline_printed,
    c.subject_sdk_version,
    c.baseline_sdk_version,
    c.metric,
    c.factor,
    c.factor_low,
    c.factor_high,
    c.bound,
    c.conditions,
    c.sentence,
    coalesce(repeats.evidence_ids, []) as repeat_evidence_ids,
    c.text_printed,
    c.extractor
from places as c
left join repeats
    on c.document_id = repeats.document_id and c.line = repeats.repeats_line and c.factor = repeats.factor
left join resolved.names as model
    on model.kind = 'models' and c.model_printed = model.name_printed and c.suite is not distinct from model.suite
left join resolved.names as subject
    on subject.kind = 'platforms'
    and c.subject_printed = subject.name_printed
    and c.suite is not distinct from subject.suite
left join resolved.names as baseline
    on baseline.kind = 'platforms'
    and c.baseline_printed = baseline.name_printed
    and c.suite is not distinct from baseline.suite
where c.repeats_line is null
order by c.document_id, c.line, c.char_start, c.metric, c.model_printed
