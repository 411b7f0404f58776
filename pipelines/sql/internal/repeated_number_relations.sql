-- The same unrounded throughput printed for two models in one document: one is probably a copy error.
-- grain: one row per relation and printed number
with unrounded as (
    select
        *,
        -- Two measurements do not agree in so many digits; times do, where a timer has steps.
        len(ltrim(regexp_replace(value_printed, '[^0-9]', '', 'g'), '0')) >= 7
        and value_printed like '%.%' as is_unrounded
    from resolved.results
    where metric = 'throughput' and bound = 'eq' and model is not null
),

counted as (
    select
        *,
        count(distinct model) over (partition by document_id, value_printed) as models,
        first_value(model) over twins as first_model,
        last_value(model) over twins as last_model,
        first_value(evidence_id) over twins as first_evidence_id,
        last_value(evidence_id) over twins as last_evidence_id,
        first_value(line) over twins as first_line,
        last_value(line) over twins as last_line
    from unrounded
    where is_unrounded
    window twins as (
        partition by document_id, value_printed
        order by line, evidence_id
        rows between unbounded preceding and unbounded following
    )
),

paired as (
    select
        *,
        case when model = first_model then last_model else first_model end as other_model,
        case when model = first_model then last_evidence_id else first_evidence_id end as other_evidence_id,
        case when model = first_model then last_line else first_line end as other_line
    from counted
)

select
    'number_of_two_models' as check_name,
    document_id,
    evidence_id,
    line,
    models = 1 as holds,
    case when models = 1 then value_low end as expected_low,
    case when models = 1 then value_high end as expected_high,
    value as printed,
    unit,
    case when models = 1 then [] else [other_evidence_id] end as inputs,
    case
        when models = 1 then format('no other model has a throughput of {}', value_printed)
        else format(
                '{} is the throughput of {} here and of {} in line {}, with identical digits',
                value_printed,
                model,
                other_model,
                other_line
            )
    end as reason
from paired
order by document_id, line, evidence_id
