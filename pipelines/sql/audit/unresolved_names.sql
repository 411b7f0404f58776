-- Printed names that no vocabulary knows, with the nearest known spelling.
-- grain: one row per kind and printed name
with stated as (
    -- What the mapping of a source calls a thing is its name, whether a vocabulary knows it or not.
    select distinct
        dimension || 's' as kind,
        value as name_printed
    from extracted.conditions
    where level = 'mapping' or value_printed is not null
    union
    select distinct
        'metrics' as kind,
        metric as name_printed
    from extracted.measurements
    where higher_is_better is not null
)

select
    kind,
    name_printed,
    sum(occurrences::bigint)::bigint as occurrences,
    max(documents)::bigint as documents,
    min(suggestion) as suggestion
from resolved.names
anti join stated using (kind, name_printed)
where name is null and kind <> 'variants'
group by kind, name_printed
order by sum(occurrences::bigint) desc, kind asc, name_printed asc
