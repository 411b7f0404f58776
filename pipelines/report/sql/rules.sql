-- How many rows, tables and documents of a source were refused by each rule.
-- grain: one row per source and rule
select
    d.source,
    r.rule,
    count(*) as rejects
from audit.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
group by d.source, r.rule
order by d.source asc, rejects desc, r.rule asc
