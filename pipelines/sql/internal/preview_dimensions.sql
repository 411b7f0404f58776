-- What the numbers of a preview state, at most 12 values of a dimension: names that no vocabulary knows first.
-- grain: one row per dimension and value, or the rest of a dimension
with stated as (
    select * from conditions
    where dimension not in ('unit', 'statistic')
),

valued as (
    select
        dimension,
        value,
        canonical_name,
        count(*) as numbers,
        string_agg(distinct level, ', ' order by level) as stated_in,
        row_number() over (
            partition by dimension
            order by starts_with(canonical_name, 'unknown') desc, count(*) desc, min(number)
        ) as place
    from stated
    group by dimension, value, canonical_name
),

-- These are shown where no number states them.
needed as (
    select unnest(['task', 'model', 'platform']) as dimension
    union
    select dimension from stated
),

summed as (
    select
        n.dimension,
        count(v.value) as listed,
        (select count(*) from numbers) - coalesce(sum(v.numbers::bigint), 0) as lacking
    from needed as n
    left join valued as v on n.dimension = v.dimension
    group by n.dimension
),

listed as (
    select
        dimension,
        place,
        value,
        canonical_name,
        numbers,
        stated_in
    from valued
    where place <= 12
    union all
    select
        dimension,
        13 as place,
        listed - 12 || ' more values' as value,
        '' as canonical_name,
        null as numbers,
        '' as stated_in
    from summed
    where listed > 12
    union all
    select
        dimension,
        14 as place,
        '(not stated)' as value,
        '' as canonical_name,
        lacking as numbers,
        '' as stated_in
    from summed
    where lacking > 0
)

select
    l.dimension,
    l.value,
    l.canonical_name,
    coalesce(l.numbers::bigint::varchar, '') as numbers,
    l.stated_in
from listed as l
left join dimensions as d on l.dimension = d.dimension
order by d.position nulls last, l.dimension, l.place
