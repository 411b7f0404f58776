-- Results with a column that differs from the conditions of its dimension.
with said as (
    select
        result_id,
        dimension,
        list(value order by value) as said
    from resolved.result_conditions
    group by result_id, dimension
),

-- Of a family of models the variant names the model.
given as (
    select
        r.*,
        case when n.is_family is not true then r.model end as model_named
    from resolved.results as r
    left join resolved.names as n
        on n.kind = 'models' and r.model_printed = n.name_printed and r.suite is not distinct from n.suite
    where r.result_id in (select s.result_id from said as s)
),

columns as (
    select
        result_id,
        unnest([
            'model',
            'platform',
            'framework',
            'dataset',
            'task',
            'suite',
            'stage',
            'division',
            'submission_id',
            'sdk_version',
            'precision',
            'image_size',
            'accelerator_count',
            'batch_size',
            'sequence_length'
        ]) as dimension,
        unnest([
            model_named,
            platform,
            framework,
            dataset,
            task,
            suite,
            stage,
            division,
            submission_id,
            sdk_version,
            precision,
            image_size,
            accelerator_count::varchar,
            batch_size::varchar,
            sequence_length::varchar
        ]) as value
    from given
)

select
    c.result_id,
    c.dimension,
    c.value,
    s.said
from columns as c
inner join said as s on c.result_id = s.result_id and c.dimension = s.dimension
where c.value is not null and not list_contains(s.said, c.value)
order by c.result_id, c.dimension
