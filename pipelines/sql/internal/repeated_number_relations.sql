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
        row_number() over (twins order by line, evidence_id) as place,
        list((model, evidence_id, line) order by line, evidence_id) over twins as places
    from unrounded
    where is_unrounded
    window twins as (partition by document_id, value_printed)
),

-- The first place names the first one of another model.
paired as (
    select
        *,
        list_filter(places, lambda x: x[1] <> model)[1] as other
    from counted
)

select
    'number_of_two_models' as check_name,
    document_id,
    evidence_id,
    line,
    other is null as holds,
    case when other is null then value_low end as expected_low,
    case when other is null then value_high end as expected_high,
    value as printed,
    unit,
    case when other is null then [] else [other[2]] end as inputs,
    case
        when other is null then format('no other model has a throughput of {}', value_printed)
        else format(
                '{} is the throughput of {} here and of {} in line {}, with identical digits',
                value_printed,
                model,
                other[1],
                other[3]
            )
    end as reason
from paired
where other is null or place = 1
order by document_id, line, evidence_id
