-- Printed names that are not in a vocabulary, with the nearest known spelling.
-- grain: one row per kind and printed name
with compared as (
    -- What a sentence compares may be no platform, such as two frameworks.
    select unnest([subject_printed, baseline_printed]) as name_printed
    from extracted.claims
    where source_format(extractor).medium = 'sentence'
    except
    select value
    from extracted.conditions
    where dimension = 'platform'
    except
    select platform_printed
    from extracted.configurations
),

stated as (
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
    union
    select
        'platforms' as kind,
        name_printed
    from compared
)

select
    n.kind,
    n.name_printed,
    sum(n.occurrences::bigint)::bigint as occurrences,
    max(n.documents)::bigint as documents,
    min(n.suggestion) as suggestion
from resolved.names as n
anti join stated as s on n.kind = s.kind and n.name_printed = s.name_printed
where n.name is null and n.kind <> 'variants'
group by n.kind, n.name_printed
order by sum(n.occurrences::bigint) desc, n.kind asc, n.name_printed asc
