-- Bars and points of drawn charts, with the printed number and the drawn value.
-- grain: one row per bar or point of a drawn chart
select
    substr(sha256(concat_ws('|', document_id, drawn_page, chart_number, mark_number)), 1, 16) as chart_value_id,
    document_id,
    -- A drawn value has no printed characters of its own; its page and box are its evidence.
    case
        when printed_value is not null
            then substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16)
    end as evidence_id,
    line,
    section,
    section_line,
    drawn_page as page,
    drawn_x0 as x0,
    drawn_top as top,
    drawn_x1 as x1,
    drawn_bottom as bottom,
    chart_number,
    mark_number,
    mark,
    method,
    series_printed,
    category_printed,
    x_value,
    axis_printed,
    axis_scale,
    metric,
    unit,
    unit_printed,
    value,
    value_low,
    value_high,
    bound,
    printed_value,
    printed_low,
    printed_high,
    drawn_value,
    drawn_low,
    drawn_high,
    drawn_low <= printed_high and printed_low <= drawn_high as agrees,
    case when agrees then 'printed value' end as verified_by,
    case when printed_value is not null then text_printed end as value_printed,
    extractor
from extracted.chart_values
order by document_id, drawn_page, chart_number, mark_number
