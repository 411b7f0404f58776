-- Conditions that are stated of each number measured, as maps and as words.
-- grain: one row per place of a number and metric
with listed as (
    select
        document_id,
        extractor,
        line,
        char_start,
        metric,
        unnest(conditions) as number
    from extracted.measurements
),

-- Of several texts on one dimension each is kept.
stated as (
    select
        l.document_id,
        l.line,
        l.char_start,
        l.metric,
        c.dimension,
        string_agg(distinct c.value, ', ' order by c.value) as value
    from listed as l
    inner join extracted.conditions as c
        on l.document_id = c.document_id and l.extractor = c.extractor and l.number = c.number
    where c.dimension not in ('metric', 'unit')
    group by l.document_id, l.line, l.char_start, l.metric, c.dimension
),

worded as (
    select
        *,
        case when dimension <> 'other' then replace(dimension, '_', ' ') || ' ' else '' end || value as words,
        not dimension(dimension).has_column as is_other
    from stated
)

select
    document_id,
    line,
    char_start,
    metric,
    map(list(dimension order by dimension), list(value order by dimension)) as said,
    map(
        list(dimension order by dimension) filter (where is_other),
        list(value order by dimension) filter (where is_other)
    ) as conditions,
    string_agg(words, ', ' order by words) filter (where is_other) as other_conditions
from worded
group by document_id, line, char_start, metric
order by document_id, line, char_start, metric
