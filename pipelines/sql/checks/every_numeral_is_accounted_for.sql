-- Documents whose numerals do not add up, numerals that overlap, numerals on lines outside audit.line_ledger.
select
    'coverage' as fault,
    document_id,
    numerals as found
from audit.coverage
where numerals_extracted + numerals_explained + numerals_unparsed <> numerals
union all
select
    'counts' as fault,
    c.document_id,
    count(n.document_id) as found
from audit.coverage as c
left join audit.numerals as n on c.document_id = n.document_id
group by c.document_id, c.numerals
having count(n.document_id) <> c.numerals
union all
select
    'overlap' as fault,
    document_id,
    line as found
from audit.numerals
qualify char_start < lag(char_end) over (partition by document_id, line order by char_start)
union all
select
    'line' as fault,
    n.document_id,
    n.line as found
from audit.numerals as n
left join audit.line_ledger as l on n.document_id = l.document_id and n.line = l.line
where l.document_id is null or l.role = 'blank'
