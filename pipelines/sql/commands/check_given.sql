-- What a file states itself of the dimensions in the list $1, and whether it is a name that no vocabulary knows.
-- grain: one row per dimension
select
    c.dimension,
    arg_min(c.value, (r.line, c.value)) as value,
    min(r.line) as line,
    bool_and(n.name_printed is not null) as is_unknown
from resolved.result_conditions as c
inner join resolved.results as r on c.result_id = r.result_id
left join resolved.names as n
    on
    n.kind = c.dimension || 's'
    and n.name is null
    and c.value = n.name_printed
    and r.suite is not distinct from n.suite
where list_contains($1::varchar[], c.dimension) and c.level not in ('mapping', 'vocabulary')
group by c.dimension
order by c.dimension
