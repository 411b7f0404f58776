-- Numbers of the documents $1 that a rule ignores.
-- grain: one row per rule
select rule, count(*) as numerals, count(distinct document_id) as documents
from audit.numerals
where status = 'ignored' and list_contains($1, document_id)
group by rule
order by numerals desc, rule asc
