-- Printed names that no vocabulary knows, with the nearest known spelling.
-- grain: one row per kind and printed name
select
    kind,
    name_printed,
    sum(occurrences::bigint)::bigint as occurrences,
    max(documents)::bigint as documents,
    min(suggestion) as suggestion
from resolved.names
where name is null and kind <> 'variants'
group by kind, name_printed
order by sum(occurrences::bigint) desc, kind asc, name_printed asc
