-- Rejects of canonical rows that the published warehouse lists, of documents that are still stored.
-- grain: one row per reject
select
    r.document_id, r.path, r.line, r.char_start, r.char_end, r.extractor, r.rule, r.reason, r.scope, r.row_json
from audit.rejects as r
semi join raw.documents as d on r.document_id = d.document_id
where r.rule = 'evidence_does_not_hold' or starts_with(r.rule, 'contract:resolved.')
order by r.reject_id
