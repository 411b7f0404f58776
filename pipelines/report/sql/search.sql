-- What the search of the site finds: `key` is the model, platform, vendor, source, result or claim that has the page.
-- grain: one row per name, kind and key
select distinct model as name, 'model' as kind, model as key from main.current_results
where model is not null
union
select distinct platform as name, 'platform' as kind, platform as key from main.current_results
where platform is not null
union
select distinct vendor as name, 'vendor' as kind, vendor as key from main.current_results
where vendor is not null
union
select publisher as name, 'publisher' as kind, publisher as key from raw.sources
union
select coalesce(title, source) as name, 'source' as kind, source as key from raw.sources
union
select
    concat_ws(
        ', ',
        concat_ws(' ', r.text_printed, replace(c.metric, '_', ' ')), coalesce(c.model, c.subject_platform)
    ) as name,
    'claim' as kind,
    c.claim_id as key
from main.claims as c
inner join resolved.claims as r on c.claim_id = r.claim_id
union
select path as name, 'document' as kind, source as key from raw.documents
union
select
    concat_ws(
        ', ',
        r.value_printed || ' ' || coalesce(r.unit_printed, r.unit),
        c.model,
        c.platform,
        concat_ws(' ', c.task, replace(c.metric, '_', ' '))
    ) as name,
    'result' as kind,
    c.result_id as key
from main.current_results as c
inner join resolved.results as r on c.result_id = r.result_id
order by name, kind, key
