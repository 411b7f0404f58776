-- How each side of a comparison was run, under canonical names.
-- grain: one row per side of a comparison; joins resolved.claims on document_id and section_line
with places as (
    select
        *,
        substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16) as evidence_id
    from extracted.configurations
)

select
    substr(sha256(concat_ws('|', c.evidence_id, c.role)), 1, 16) as configuration_id,
    c.document_id,
    c.evidence_id,
    c.line,
    c.section,
    c.section_line,
    c.role,
    coalesce(platform.name, c.platform_printed) as platform,
    c.platform_printed,
    platform.vendor,
    coalesce(c.accelerator_count, platform.multiplier, 1) * platform.chips as accelerator_count,
    coalesce(model.name, c.model_printed) as model,
    c.model_printed,
    coalesce(framework.name, c.framework_printed) as framework,
    c.framework_printed,
    c.sdk_version,
    c.precision,
    c.batch_sizes_printed,
    c.batch_size_low,
    c.batch_size_high,
    coalesce(dataset.name, c.dataset_printed) as dataset,
    c.dataset_printed,
    c.measured_by
from places as c
left join resolved.names as platform
    on platform.kind = 'platforms' and c.platform_printed = platform.name_printed and platform.suite is null
left join resolved.names as model
    on model.kind = 'models' and c.model_printed = model.name_printed and model.suite is null
left join resolved.names as framework
    on framework.kind = 'frameworks' and c.framework_printed = framework.name_printed and framework.suite is null
left join resolved.names as dataset
    on dataset.kind = 'datasets' and c.dataset_printed = dataset.name_printed and dataset.suite is null
order by c.document_id, c.line, c.char_start, c.role
