-- Printed places with their documents.
-- grain: one row per place
select
    e.evidence_id,
    {
        'evidence_id': e.evidence_id, 'line': e.line, 'char_start': e.char_start, 'char_end': e.char_end,
        'page': e.page, 'x0': e.x0, 'top': e.top, 'x1': e.x1, 'bottom': e.bottom,
        'text_printed': e.text_printed, 'extractor': e.extractor, 'verified_by': e.verified_by
    } as place,
    {
        'document_id': d.document_id, 'path': d.path, 'source': d.source, 'publisher': d.publisher,
        'title': d.title, 'url': d.url, 'published_on': d.published_on, 'retrieved_at': d.retrieved_at,
        'edition': d.edition, 'format': d.format, 'charset': d.charset
    } as document
from resolved.evidence as e
inner join raw.documents as d on e.document_id = d.document_id
where e.evidence_id in (select unnest($1::varchar[]))
