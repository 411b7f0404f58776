-- What the search of the site finds by name: `key` is the model, platform, vendor, source or claim that has the page,
-- `also` how documents print it.
-- grain: one row per name, kind and key
with printed as (
    select
        kind,
        name,
        string_agg(distinct name_printed, ' | ' order by name_printed) as also
    from resolved.names
    where name_printed <> name
    group by kind, name
),

counted as (
    select model as name, 'model' as kind, 'models' as vocabulary, count(*) as results from main.current_results
    where model is not null
    group by model
    union all
    select platform as name, 'platform' as kind, 'platforms' as vocabulary, count(*) as results
    from main.current_results
    where platform is not null
    group by platform
),

named as (
    select
        c.name,
        c.kind,
        c.name as key,
        p.also,
        c.results
    from counted as c
    left join printed as p on c.vocabulary = p.kind and c.name = p.name
),

others as (
    select vendor as name, 'vendor' as kind, vendor as key, null as also, count(*) as results from main.current_results
    where vendor is not null
    group by vendor
    union all
    select distinct publisher as name, 'publisher' as kind, publisher as key, null as also, 0 as results
    from raw.sources
    union all
    select coalesce(title, source) as name, 'source' as kind, source as key, source as also, 0 as results
    from raw.sources
    union all
    select
        concat_ws(
            ', ',
            concat_ws(' ', r.text_printed, replace(c.metric, '_', ' ')), coalesce(c.model, c.subject_platform)
        ) as name,
        'claim' as kind,
        c.claim_id as key,
        null as also,
        0 as results
    from main.claims as c
    inner join resolved.claims as r on c.claim_id = r.claim_id
    union all
    select path as name, 'document' as kind, source as key, null as also, 0 as results from raw.documents
)

select * from named
union all
select * from others
order by kind, name, key
