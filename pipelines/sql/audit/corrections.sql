-- Known errors of sources and the results that they affect; nulls for an entry that affects none.
-- grain: one row per known error and affected result
select
    k.correction,
    k.correction_action,
    k.reason,
    r.document_id,
    r.result_id,
    r.evidence_id,
    r.value_printed,
    r.value,
    r.value_uncorrected
from internal.known_errors as k
left join resolved.results as r on k.correction = r.correction
order by k.correction, r.document_id, r.line, r.result_id
