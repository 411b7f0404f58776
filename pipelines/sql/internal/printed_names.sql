-- Printed names to look up in the vocabularies, by kind and suite.
-- grain: one row per kind of name, spelling and suite
with listed as (
    select
        document_id,
        extractor,
        suite,
        {
            'models': model_printed,
            'platforms': platform_printed,
            'frameworks': framework_printed,
            'datasets': dataset_printed
        } as names_of_row,
        unnest(conditions) as number
    from extracted.measurements
),

named as (
    select
        document_id,
        extractor,
        number,
        dimension || 's' as kind,
        value
    from extracted.conditions
    where dimension in ('model', 'platform', 'framework', 'dataset')
),

stated as (
    select
        c.kind,
        c.value as name_printed,
        l.suite,
        c.document_id,
        case c.kind
            when 'models' then l.names_of_row['models']
            when 'platforms' then l.names_of_row['platforms']
            when 'frameworks' then l.names_of_row['frameworks']
            else l.names_of_row['datasets']
        end as name_of_row
    from listed as l
    inner join named as c
        on l.document_id = c.document_id and l.extractor = c.extractor and l.number = c.number
),

-- All names of a row at once: each kind of row is read once.
printed as (
    select
        document_id,
        suite,
        unnest([
            ('models', model_printed),
            ('variants', variant_name),
            ('platforms', platform_printed),
            ('frameworks', framework_printed),
            ('datasets', dataset_printed),
            ('metrics', metric)
        ]) as name
    from extracted.measurements
    union all
    select
        document_id,
        suite,
        unnest([
            ('models', model_printed),
            ('platforms', subject_printed),
            ('platforms', baseline_printed),
            ('metrics', metric)
        ]) as name
    from extracted.claims
    union all
    select
        document_id,
        null as suite,
        unnest([
            ('models', model_printed),
            ('platforms', platform_printed),
            ('frameworks', framework_printed),
            ('datasets', dataset_printed)
        ]) as name
    from extracted.configurations
    union all
    select
        document_id,
        suite,
        unnest([('platforms', accelerator_printed), ('models', model_printed)]) as name
    from extracted.runs
    union all
    select
        document_id,
        null as suite,
        ('platforms', platform_printed) as name
    from extracted.prices
),

names as (
    select
        name[1] as kind,
        name[2] as name_printed,
        case when name[1] <> 'metrics' then suite end as suite,
        document_id
    from printed
    union all
    -- A name among the conditions that is no part of the one that the row gives.
    select
        kind,
        name_printed,
        suite,
        document_id
    from stated
    where
        name_of_row is null
        or not (
            name_printed = name_of_row
            or starts_with(name_of_row, name_printed || ' ')
            or ends_with(name_of_row, ' ' || name_printed)
        )
),

-- Logs of MLPerf do not say which round they were made for; their source does.
dated as (
    select
        n.kind,
        n.name_printed,
        n.document_id,
        case
            when n.suite in ('MLPerf Training', 'MLPerf HPC', 'MLPerf Inference')
                then concat_ws(' ', n.suite, d.round)
            else n.suite
        end
            as suite
    from names as n
    left join raw.documents as d on n.document_id = d.document_id
)

select
    kind,
    name_printed,
    suite,
    count(*) as occurrences,
    count(distinct document_id) as documents
from dated
where name_printed is not null
group by kind, name_printed, suite
order by kind, name_printed, suite nulls first
