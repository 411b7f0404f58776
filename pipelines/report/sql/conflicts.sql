-- Places that disagree on one fact.
-- grain: one row per pair of places
select
    x.kind,
    x.left_evidence_id,
    x.right_evidence_id,
    l.text_printed as left_printed,
    r.text_printed as right_printed,
    l.line as left_line,
    r.line as right_line,
    a.source as left_source,
    b.source as right_source,
    x.left_value,
    x.right_value,
    x.reason
from audit.conflicts as x
inner join resolved.evidence as l on x.left_evidence_id = l.evidence_id
inner join resolved.evidence as r on x.right_evidence_id = r.evidence_id
inner join raw.documents as a on l.document_id = a.document_id
inner join raw.documents as b on r.document_id = b.document_id
order by a.source, l.line, b.source, r.line, x.kind
