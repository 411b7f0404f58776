-- How the system was run whose name the drawn label of a bar begins with, as the notes of its slide state it.
-- grain: one row per bar that names one system of the notes
select
    v.document_id,
    v.line,
    v.char_start,
    c.accelerator_count,
    c.sdk_version,
    c.precision,
    -- A bar is of one of `TensorFlow & PyTorch`, and its label does not say of which.
    case when not contains(c.framework, ' + ') then c.framework_printed end as framework_printed
from extracted.chart_values as v
inner join resolved.configurations as c
    on
    v.document_id = c.document_id
    and v.section_line = c.section_line
    and starts_with(lower(v.category_printed) || ' ', lower(c.platform_printed) || ' ')
where v.printed_value is not null
qualify count(*) over (partition by v.document_id, v.line, v.char_start) = 1
order by v.document_id, v.line, v.char_start
