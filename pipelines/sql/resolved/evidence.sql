-- The printed text of every value and condition, with its place in the document.
-- grain: one row per printed place
with places as (
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.measurements
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.conditions
    where level not in ('mapping', 'vocabulary')
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.claims
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.configurations
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.runs
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.epochs
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.prices
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.submissions
    union all
    select document_id, line, char_start, char_end, page, x0, top, x1, bottom, text_printed, extractor
    from extracted.chart_values
    where printed_value is not null
)

select
    substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16) as evidence_id,
    document_id,
    line,
    char_start,
    char_end,
    min(page) as page,
    min(x0) as x0,
    min(top) as top,
    max(x1) as x1,
    max(bottom) as bottom,
    min(text_printed) as text_printed,
    min(extractor) as extractor,
    -- What is drawn is read again in `internal.chart_readings`.
    case when min(text_printed) <> '' then 'printed text' end as verified_by
from places
group by document_id, line, char_start, char_end
order by document_id, line, char_start, char_end
