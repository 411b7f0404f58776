-- Comparisons claimed in documents, under canonical names.
-- grain: one row per comparison claimed in a document
with places as (
    select
        *,
        substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16) as evidence_id,
        -- The notes of a slide belong to the comparison that it draws.
        source_format(extractor).medium = 'slide' as is_slide,
        is_slide or contains(sentence, subject_printed) as has_subject,
        is_slide
        or coalesce(contains(sentence, coalesce(baseline_printed, baseline_sdk_version)), baseline_round is not null)
            as has_baseline
    from extracted.claims
),

repeats as (
    select document_id, repeats_line, factor, list(evidence_id order by line, char_start) as evidence_ids
    from places
    where repeats_line is not null
    group by document_id, repeats_line, factor
),

-- A slide or table says of each side how it was run; where it does so twice for one side, neither is taken.
sides as (
    select *
    from resolved.configurations
    where section_line is not null
    qualify count(*) over (partition by document_id, section_line, role, platform) = 1
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
    -- A sentence may compare what is no platform; the sides of a slide are platforms, known or not.
    coalesce(subject.name, if(c.is_slide, c.subject_printed, null)) as subject_platform,
    c.subject_printed,
    case
        when c.subject_printed is null then null
        when not c.is_slide and subject.name is null then 'other'
        when c.has_subject then 'comparison'
        else 'context'
    end as subject_basis,
    coalesce(baseline.name, if(c.is_slide, c.baseline_printed, null)) as baseline_platform,
    c.baseline_printed,
    case
        when coalesce(c.baseline_printed, c.baseline_sdk_version, c.baseline_round) is null then null
        when not c.is_slide and c.baseline_printed is not null and baseline.name is null then 'other'
        when c.has_baseline then 'comparison'
        else 'context'
    end as baseline_basis,
    subject_side.evidence_id as subject_conditions_evidence_id,
    coalesce(
        subject_side.accelerator_count,
        case when subject.multiplier is not null then subject.multiplier * coalesce(subject.chips, 1) end
    ) as subject_accelerator_count,
    coalesce(c.subject_sdk_version, subject_side.sdk_version) as subject_sdk_version,
    subject_side.framework as subject_framework,
    subject_side.precision as subject_precision,
    subject_side.batch_sizes_printed as subject_batch_sizes_printed,
    subject_side.batch_size_low as subject_batch_size_low,
    subject_side.batch_size_high as subject_batch_size_high,
    subject_side.dataset as subject_dataset,
    subject_side.measured_by as subject_measured_by,
    baseline_side.evidence_id as baseline_conditions_evidence_id,
    coalesce(
        baseline_side.accelerator_count,
        case when baseline.multiplier is not null then baseline.multiplier * coalesce(baseline.chips, 1) end
    ) as baseline_accelerator_count,
    coalesce(c.baseline_sdk_version, baseline_side.sdk_version) as baseline_sdk_version,
    c.baseline_round,
    baseline_side.framework as baseline_framework,
    baseline_side.precision as baseline_precision,
    baseline_side.batch_sizes_printed as baseline_batch_sizes_printed,
    baseline_side.batch_size_low as baseline_batch_size_low,
    baseline_side.batch_size_high as baseline_batch_size_high,
    baseline_side.dataset as baseline_dataset,
    baseline_side.measured_by as baseline_measured_by,
    coalesce(metric.name, c.metric) as metric,
    -- No reader reads a statistic beside a claimed factor.
    cast(null as varchar) as statistic,
    c.factor,
    c.factor_low,
    c.factor_high,
    c.bound,
    c.conditions,
    c.sentence,
    d.edition,
    d.edition = 'facts' as is_paraphrase,
    coalesce(repeats.evidence_ids, []) as repeat_evidence_ids,
    c.text_printed,
    c.extractor
from places as c
inner join raw.documents as d on c.document_id = d.document_id
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
left join resolved.names as metric on metric.kind = 'metrics' and c.metric = metric.name_printed
left join sides as subject_side
    on subject_side.role = 'subject'
    and c.document_id = subject_side.document_id
    and c.section_line = subject_side.section_line
    and subject_side.platform is not distinct from coalesce(subject.name, c.subject_printed)
left join sides as baseline_side
    on baseline_side.role = 'baseline'
    and c.document_id = baseline_side.document_id
    and c.section_line = baseline_side.section_line
    and baseline_side.platform is not distinct from coalesce(baseline.name, c.baseline_printed)
where c.repeats_line is null
order by c.document_id, c.line, c.char_start, c.metric, c.model_printed
