-- Which printed numbers are inconsistent with other numbers in their documents?
-- Check reason: it lists the compared numbers. The printed value is not corrected.
select
    documents.source,
    d.line,
    d.check_name,
    evidence.text_printed,
    d.expected_low,
    d.expected_high,
    d.unit,
    d.reason
from audit.discrepancies as d
inner join raw.documents as documents on d.document_id = documents.document_id
inner join resolved.evidence as evidence on d.evidence_id = evidence.evidence_id
order by documents.source, documents.document_id, d.line, d.check_name, d.relation_id
