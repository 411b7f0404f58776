-- Share of each of the documents $1 that was read.
-- grain: one row per document
select
    d.path, c.lines, c.lines_unparsed, c.numerals, c.numerals_extracted, c.numerals_explained, c.numerals_unparsed,
    c.marks_seen, c.marks_refused,
    round((c.numerals - c.numerals_unparsed) / nullif(c.numerals, 0), 4) as share_accounted_for
from audit.coverage as c
inner join raw.documents as d on c.document_id = d.document_id
where list_contains($1, d.document_id)
order by d.path
