-- The first value of each dimension in the list $1 that a file states itself.
-- grain: one row per dimension
select
    c.dimension,
    arg_min(c.value, (r.line, c.value)) as value,
    min(r.line) as line
from resolved.result_conditions as c
inner join resolved.results as r on c.result_id = r.result_id
where list_contains($1::varchar[], c.dimension) and c.level not in ('mapping', 'vocabulary')
group by c.dimension
order by c.dimension
