-- Results with a column that differs from the conditions of its dimension.
with given as (
    select
        r.*,
        -- Of a family of models the variant names the model.
        case when n.is_family is not true then r.model end as model_named
    from resolved.results as r
    left join resolved.names as n
        on n.kind = 'models' and r.model_printed = n.name_printed and r.suite is not distinct from n.suite
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
),

-- Few columns are not as printed: those that no condition states.
others as (
    select
        c.result_id,
        c.dimension,
        c.value
    from columns as c
    anti join resolved.result_conditions as s
        on c.result_id = s.result_id and c.dimension = s.dimension and c.value = s.value
    where c.value is not null
)

select
    o.result_id,
    o.dimension,
    o.value,
    list(s.value order by s.value) as said
from others as o
inner join resolved.result_conditions as s on o.result_id = s.result_id and o.dimension = s.dimension
group by o.result_id, o.dimension, o.value
order by o.result_id, o.dimension
