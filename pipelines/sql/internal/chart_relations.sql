-- Numbers printed at drawn bars against the values from their geometry.
-- grain: one row per relation and printed number
with compared as (
    select
        *,
        case
            when method = 'ratio' then 'factor_against_bars'
            else 'label_against_bar'
        end as check_name,
        case
            when method = 'ratio' then 'lengths of the shortest bar'
            else coalesce(unit_printed, unit, 'units of its axis')
        end as measure
    from resolved.chart_values
    where printed_value is not null
)

select
    check_name,
    document_id,
    evidence_id,
    line,
    agrees as holds,
    drawn_low as expected_low,
    drawn_high as expected_high,
    printed_value as printed,
    case when method = 'ratio' then null else unit end as unit,
    [chart_value_id] as inputs,
    format(
        'the bar{} on page {} is drawn {:.6g} {} long ({:.6g} to {:.6g}), {} {} is printed',
        case when category_printed = 'unknown' then '' else ' of ' || category_printed end,
        page,
        drawn_value,
        measure,
        drawn_low,
        drawn_high,
        case when agrees then 'as' else 'where' end,
        value_printed
    ) as reason
from compared
order by document_id, line, evidence_id, inputs
