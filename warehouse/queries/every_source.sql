-- Which sources does the ledger have, and what does each give?
-- Check the mapping of a source with many documents and no results.
with documents as (
    select
        source,
        count(*) as documents,
        min(published_on) as first_published_on,
        max(published_on) as last_published_on,
        count(mapping_sha256) > 0 as has_mapping
    from raw.documents
    group by source
),

results as (
    select
        d.source,
        count(*) as results,
        count(c.result_id) as current_results
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    left join main.current_results as c on r.result_id = c.result_id
    group by d.source
)

select
    s.source,
    s.interest,
    s.title,
    s.url,
    s.cadence,
    coalesce(d.documents, 0) as documents,
    d.first_published_on,
    d.last_published_on,
    coalesce(d.has_mapping, false) as has_mapping,
    coalesce(r.results, 0) as results,
    coalesce(r.current_results, 0) as current_results
from raw.sources as s
left join documents as d on s.source = d.source
left join results as r on s.source = r.source
order by s.source
