-- What exactly is claimed, over what, and how was each side run?
-- Look at factor_low to factor_high (what the printed rounding allows) and at where the two sides differ.
with subjects as (
    select *
    from resolved.configurations
    where role = 'subject'
),

baselines as (
    select *
    from resolved.configurations
    where role = 'baseline'
)

select
    d.source,
    c.line,
    c.task,
    c.model,
    c.metric,
    c.factor,
    c.factor_low,
    c.factor_high,
    c.bound,
    c.subject_platform,
    s.accelerator_count as subject_accelerators,
    s.framework as subject_framework,
    s.precision as subject_precision,
    s.batch_sizes_printed as subject_batch_sizes,
    c.baseline_platform,
    b.accelerator_count as baseline_accelerators,
    b.framework as baseline_framework,
    b.precision as baseline_precision,
    b.batch_sizes_printed as baseline_batch_sizes,
    b.measured_by as baseline_measured_by,
    c.conditions
from resolved.claims as c
inner join raw.documents as d on c.document_id = d.document_id
left join subjects as s on c.document_id = s.document_id and c.section_line = s.section_line
left join baselines as b on c.document_id = b.document_id and c.section_line = b.section_line
order by d.source, c.line, c.metric, c.model, c.factor
