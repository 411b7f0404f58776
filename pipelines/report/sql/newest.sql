-- What is new: the sources whose newest snapshot is the latest, with how many results that brought.
-- grain: one row per source
select
    d.source,
    s.title,
    s.publisher,
    max(d.snapshot_on) as snapshot_on,
    max(d.published_on) as published_on,
    count(c.result_id) as current_results,
    count(distinct c.model) as models,
    count(distinct c.platform) as platforms
from main.current_results as c
inner join resolved.results as r on c.result_id = r.result_id
inner join raw.documents as d on r.document_id = d.document_id
inner join raw.sources as s on d.source = s.source
group by d.source, s.title, s.publisher
order by
    max(d.published_on) desc nulls last,
    d.source asc
limit 8
