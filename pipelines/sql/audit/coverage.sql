-- Share of each document that was read; 0 lines if the bytes are not text.
-- grain: one row per document
with line_counts as (
    select
        document_id,
        count(*) as lines,
        count(*) filter (where role = 'unparsed') as lines_unparsed
    from audit.line_ledger
    group by document_id
),

numeral_counts as (
    select
        document_id,
        count(*) as numerals,
        count(*) filter (where status = 'extracted') as numerals_extracted,
        count(*) filter (where status in ('condition', 'name', 'ignored')) as numerals_explained,
        count(*) filter (where status = 'unparsed') as numerals_unparsed
    from audit.numerals
    group by document_id
),

stored_marks as (
    select
        document_id,
        count(*) as marks
    from resolved.chart_values
    group by document_id
),

refused_marks as (
    select
        document_id,
        sum(cast(json_extract(row_json, '$.marks') as bigint)) as marks
    from extracted.rejects
    where source_format(extractor).medium = 'drawing' and json_valid(row_json)
    group by document_id
)

select
    d.document_id,
    coalesce(l.lines, 0) as lines,
    coalesce(l.lines_unparsed, 0) as lines_unparsed,
    coalesce(n.numerals, 0) as numerals,
    coalesce(n.numerals_extracted, 0) as numerals_extracted,
    coalesce(n.numerals_explained, 0) as numerals_explained,
    coalesce(n.numerals_unparsed, 0) as numerals_unparsed,
    cast(coalesce(s.marks, 0) + coalesce(r.marks, 0) as bigint) as marks_seen,
    coalesce(s.marks, 0) as marks_stored,
    cast(coalesce(r.marks, 0) as bigint) as marks_refused
from raw.documents as d
left join line_counts as l on d.document_id = l.document_id
left join numeral_counts as n on d.document_id = n.document_id
left join stored_marks as s on d.document_id = s.document_id
left join refused_marks as r on d.document_id = r.document_id
order by d.document_id
