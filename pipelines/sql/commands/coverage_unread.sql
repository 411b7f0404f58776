-- Numbers of the documents $1 that were not read.
-- grain: one row per number
select d.path, d.document_id, d.format, d.charset, n.line, n.char_start, n.text_printed
from audit.numerals as n
inner join raw.documents as d on n.document_id = d.document_id
where n.status = 'unparsed' and list_contains($1, d.document_id)
order by d.path, n.line, n.char_start
