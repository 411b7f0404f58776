-- The numbers of a checked file for people: what was measured, what is published, and what differs.
-- grain: one row per number of the file
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
select
    concat_ws(
        ' ',
        'line ' || line || ':',
        metric,
        statistic,
        format('{:.6g}', value),
        unit || ', ' || model,
        'on ' || platform,
        case when chips > 1 then format('({} chips)', chips) end
    ) as measured,
    concat_ws(', ', verdict, format('{:.2f}x', ratio) || if(is_per_chip, ' per chip', '')) as verdict,
    reason,
    concat_ws(
        ' ',
        published_statistic,
        format('{:.6g}', published_value),
        published_unit || case when published_model <> model then ', ' || published_model else '' end,
        'on ' || published_platform,
        case when published_chips > 1 then format('({} chips)', published_chips) end,
        'by ' || publisher
    ) as published,
    array_to_string(list_transform(
        differences,
        lambda one: replace(one.condition, '_', ' ') || ' ' || one.yours || ' instead of ' || one.published
    ), '; ') as differs,
    array_to_string(list_transform(
        unknown, lambda one: replace(one.condition, '_', ' ') || ' ' || one.published
    ), ', ') as only_published,
    array_to_string(list_transform(
        not_published, lambda one: replace(one.condition, '_', ' ') || ' ' || one.yours
    ), ', ') as only_yours,
    replace(array_to_string(on_no_side, ', '), '_', ' ') as on_no_side,
    coalesce(url, path) || ' line ' || published_line || ', result ' || result_id as evidence
from measurements
order by line, metric, statistic
