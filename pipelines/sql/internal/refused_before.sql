-- Rejects of canonical rows that the published warehouse lists, of documents that are still stored.
-- grain: one row per reject
select
    document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json
from audit.rejects
semi join raw.documents using (document_id)
where rule = 'evidence_does_not_hold' or starts_with(rule, 'contract:resolved.')
order by reject_id
