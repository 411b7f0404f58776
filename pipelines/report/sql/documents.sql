-- Every stored document with how much of it was read.
-- grain: one row per document
with printed as (
    select
        document_id,
        count(*) as results
    from resolved.results
    group by document_id
)

select
    d.document_id,
    d.source,
    d.publisher,
    d.title,
    d.path,
    d.format,
    d.charset,
    d.edition,
    d.bytes,
    d.published_on,
    d.snapshot_on,
    d.snapshot_at,
    d.retrieved_at,
    c.lines,
    c.lines_unparsed,
    c.numerals,
    c.numerals_extracted,
    c.numerals_explained,
    c.numerals_unparsed,
    c.marks_seen,
    c.marks_refused,
    coalesce(p.results, 0) as results
from raw.documents as d
left join audit.coverage as c on d.document_id = c.document_id
left join printed as p on d.document_id = p.document_id
order by
    d.source asc,
    d.snapshot_at desc,
    d.path asc
