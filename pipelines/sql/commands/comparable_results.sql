-- Current results of the models in the list $1, or of all where it is null, with all that a comparison needs.
-- grain: one row per current result
with metrics as (
    select distinct
        name,
        metric_kind
    from resolved.names
    where kind = 'metrics'
)

select
    r.*,
    c.sdk_version as release_version,
    c.last_published_on,
    d.publisher,
    d.source,
    d.title,
    d.url,
    d.path,
    coalesce(s.is_synthetic, false) as is_synthetic,
    m.metric_kind
from resolved.results as r
inner join main.current_results as c on r.result_id = c.result_id
inner join raw.documents as d on r.document_id = d.document_id
left join resolved.names as s
    on s.kind = 'datasets' and r.dataset_printed = s.name_printed and r.suite is not distinct from s.suite
left join metrics as m on r.metric = m.name
where $1::varchar[] is null or list_contains($1::varchar[], r.model_family)
