-- Submission identifiers listed outside result tables.
-- grain: one row per listed identifier
select
    document_id,
    substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16) as evidence_id,
    line,
    submission_id,
    suite
from extracted.submissions
order by document_id, line, char_start
