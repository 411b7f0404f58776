-- What does each claim compare, and how was each side configured?
-- Check factor_low to factor_high (the range that the printed rounding allows) and the differences of the sides.
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
    c.subject_accelerator_count,
    c.subject_framework,
    c.subject_precision,
    c.subject_batch_sizes_printed,
    c.baseline_platform,
    c.baseline_accelerator_count,
    c.baseline_framework,
    c.baseline_precision,
    c.baseline_batch_sizes_printed,
    c.baseline_measured_by,
    c.conditions
from resolved.claims as c
inner join raw.documents as d on c.document_id = d.document_id
order by d.source, c.line, c.metric, c.model, c.factor
