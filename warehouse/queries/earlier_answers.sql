-- Which other values were published for a benchmark, and why are they not current?
-- Check status: superseded by a newer release or page, restated or replaced by its source, withdrawn, in conflict.
select
    h.model,
    h.platform,
    h.task,
    h.metric,
    h.statistic,
    h.batch_size,
    h.sdk_version,
    h.value,
    h.unit,
    h.status,
    h.first_published_on,
    h.last_published_on,
    d.source
from main.result_history as h
inner join resolved.results as r on h.result_id = r.result_id
inner join raw.documents as d on r.document_id = d.document_id
where not h.stands
order by h.model, h.platform, h.task, h.metric, h.batch_size, h.sdk_order, h.value, h.result_id
