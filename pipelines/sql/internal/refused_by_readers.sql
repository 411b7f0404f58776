-- Rejects of the readers, and of the contracts of their rows.
-- grain: one row per reject
select
    r.document_id, d.path, r.line, r.char_start, r.char_end, r.extractor, r.rule, r.reason, r.scope, r.row_json
from extracted.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
union all
select
    document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json
from extracted.refused
