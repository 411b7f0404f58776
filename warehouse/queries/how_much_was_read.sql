-- How many values and conditions were read from each document, in which format, and how many were refused?
-- Check documents without values, and rejects: `benchledger rejects` lists them with the reason.
with found as (
    select
        document_id,
        extractor,
        count(*) as evidence_places,
        count(distinct line) as lines_with_evidence
    from resolved.evidence
    group by document_id, extractor
),

refused as (
    select
        document_id,
        extractor,
        count(*) as rejects
    from audit.rejects
    where document_id is not null
    group by document_id, extractor
),

counted as (
    select
        coalesce(f.document_id, r.document_id) as document_id,
        coalesce(f.extractor, r.extractor) as extractor,
        coalesce(f.evidence_places, 0) as evidence_places,
        coalesce(f.lines_with_evidence, 0) as lines_with_evidence,
        coalesce(r.rejects, 0) as rejects
    from found as f
    full outer join refused as r on f.document_id = r.document_id and f.extractor = r.extractor
)

select
    d.path,
    d.format as stored_as,
    c.extractor,
    c.evidence_places,
    c.lines_with_evidence,
    c.rejects
from raw.documents as d
left join counted as c on d.document_id = c.document_id
order by d.path, c.extractor
