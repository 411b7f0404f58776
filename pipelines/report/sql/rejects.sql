-- What was not let in, with its place and the reason.
-- grain: one row per refused row, sentence, table, page or document
select
    r.reject_id,
    d.source,
    r.path,
    r.line,
    r.scope,
    r.rule,
    r.reason,
    r.first_seen
from audit.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
order by d.source, r.path, r.line, r.rule, r.reject_id
