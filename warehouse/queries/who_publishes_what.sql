-- Which publishers print results of which vendors, for how many models, and how old are they?
-- Check interest: a vendor publishes its own results, a competitor publishes results of others.
select
    r.publisher,
    d.interest,
    r.vendor,
    r.task,
    count(distinct r.model) as models,
    count(distinct r.platform) as platforms,
    count(*) as results,
    min(r.last_published_on) as oldest_on,
    max(r.last_published_on) as newest_on
from main.current_results as r
inner join resolved.results as n on r.result_id = n.result_id
inner join raw.documents as d on n.document_id = d.document_id
group by r.publisher, d.interest, r.vendor, r.task
order by r.publisher, r.vendor, r.task, d.interest
