-- Names of models, platforms, vendors and sources that hold all words of the list $1.
-- grain: one row per kind and name
with named as (
    select
        unnest(['model', 'platform', 'vendor', 'source']) as kind,
        unnest([model, platform, vendor, source]) as name
    from main.current_results
)

select
    kind,
    name,
    count(*) as results
from named
where
    name is not null
    and list_bool_and(list_transform(
        $1::varchar[],
        lambda word: contains(
            regexp_replace(lower(name), '[^a-z0-9]', '', 'g'), regexp_replace(word, '[^a-z0-9]', '', 'g')
        )
    ))
group by kind, name
order by kind asc, results desc, name asc
