-- Printed names to look up in the vocabularies, by kind and suite.
-- grain: one row per kind of name, spelling and suite
with listed as (
    select
        document_id,
        extractor,
        suite,
        model_printed,
        platform_printed,
        framework_printed,
        dataset_printed,
        unnest(conditions) as number
    from extracted.measurements
),

stated as (
    select
        c.dimension || 's' as kind,
        c.value as name_printed,
        l.suite,
        c.document_id,
        case c.dimension
            when 'model' then l.model_printed
            when 'platform' then l.platform_printed
            when 'framework' then l.framework_printed
            else l.dataset_printed
        end as name_of_row
    from listed as l
    inner join extracted.conditions as c
        on l.document_id = c.document_id and l.extractor = c.extractor and l.number = c.number
    where c.dimension in ('model', 'platform', 'framework', 'dataset')
),

names as (
    select
        'models' as kind,
        model_printed as name_printed,
        suite,
        document_id
    from extracted.measurements
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
    union all
    select
        'models' as kind,
        model_printed as name_printed,
        suite,
        document_id
    from extracted.claims
    union all
    select
        'models' as kind,
        model_printed as name_printed,
        null as suite,
        document_id
    from extracted.configurations
    union all
    select
        'variants' as kind,
        variant_name as name_printed,
        suite,
        document_id
    from extracted.measurements
    union all
    select
        'platforms' as kind,
        platform_printed as name_printed,
        suite,
        document_id
    from extracted.measurements
    union all
    select
        'platforms' as kind,
        subject_printed as name_printed,
        suite,
        document_id
    from extracted.claims
    union all
    select
        'platforms' as kind,
        baseline_printed as name_printed,
        suite,
        document_id
    from extracted.claims
    union all
    select
        'platforms' as kind,
        platform_printed as name_printed,
        null as suite,
        document_id
    from extracted.configurations
    union all
    select
        'platforms' as kind,
        accelerator_printed as name_printed,
        suite,
        document_id
    from extracted.runs
    union all
    select
        'models' as kind,
        model_printed as name_printed,
        suite,
        document_id
    from extracted.runs
    union all
    select
        'platforms' as kind,
        platform_printed as name_printed,
        null as suite,
        document_id
    from extracted.prices
    union all
    select
        'frameworks' as kind,
        framework_printed as name_printed,
        suite,
        document_id
    from extracted.measurements
    union all
    select
        'frameworks' as kind,
        framework_printed as name_printed,
        null as suite,
        document_id
    from extracted.configurations
    union all
    select
        'datasets' as kind,
        dataset_printed as name_printed,
        suite,
        document_id
    from extracted.measurements
    union all
    select
        'datasets' as kind,
        dataset_printed as name_printed,
        null as suite,
        document_id
    from extracted.configurations
    union all
    select
        'metrics' as kind,
        metric as name_printed,
        null as suite,
        document_id
    from extracted.measurements
    union all
    select
        'metrics' as kind,
        metric as name_printed,
        null as suite,
        document_id
    from extracted.claims
),

-- Logs of MLPerf do not say which round they were made for; their source does.
dated as (
    select
        n.kind,
        n.name_printed,
        n.document_id,
        case when n.suite in ('MLPerf Training', 'MLPerf HPC') then concat_ws(' ', n.suite, d.round) else n.suite end
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
