-- Pairs that main.platform_comparison calls the same, whose conditions are not the same in resolved.result_conditions.
with pairs as (
    select
        left_result_id,
        right_result_id,
        unnest([left_result_id, right_result_id]) as result_id
    from main.platform_comparison
    where grade = 'same'
),

stated as (
    select
        result_id,
        dimension,
        list_sort(list(distinct coalesce(try_cast(value as double)::varchar, value))) as texts
    from resolved.result_conditions
    where
        result_id in (select p.result_id from pairs as p)
        and dimension(dimension).identity <> 'none'
        -- What a pair is about, and names that are put together from several conditions.
        and dimension not in (
            'metric', 'unit', 'statistic', 'platform', 'submission_id', 'sdk_version', 'framework', 'framework_version',
            'model', 'model_size', 'variant', 'tuning'
        )
    group by result_id, dimension
),

compared as (
    select
        p.left_result_id,
        p.right_result_id,
        s.dimension,
        any_value(s.texts order by s.result_id) filter (where s.result_id = p.left_result_id) as left_texts,
        any_value(s.texts order by s.result_id) filter (where s.result_id = p.right_result_id) as right_texts
    from pairs as p
    inner join stated as s on p.result_id = s.result_id
    group by p.left_result_id, p.right_result_id, s.dimension
)

select *
from compared
where
    case
        when left_texts is not null and right_texts is not null and dimension(dimension).has_column
            then not list_has_any(left_texts, right_texts)
        when left_texts is not null and right_texts is not null then left_texts <> right_texts
        -- The words of a variant, notes of a drawing and vocabularies state the others, too.
        else
            not dimension(dimension).has_column
            or dimension in (
                'scenario', 'input_length', 'output_length', 'concurrency', 'request_rate', 'tensor_parallel',
                'pipeline_parallel', 'data_parallel', 'expert_parallel', 'weights_precision', 'batch_size_kind'
            )
    end
order by left_result_id, right_result_id, dimension
