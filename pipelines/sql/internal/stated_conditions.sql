-- Conditions that are stated of each number measured, as maps and as words.
-- grain: one row per place of a number and metric
-- The argument of a lambda is a condition, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
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

named as (
    select
        dimension,
        not dimension(dimension).has_column as is_other
    from extracted.conditions
    group by dimension
),

-- Of several texts on one dimension each is kept; there are rarely two, and sorting costs more than all else here.
stated as (
    select
        l.document_id,
        l.line,
        l.char_start,
        l.metric,
        {
            'key': c.dimension,
            'value': case
                when min(c.value) = max(c.value) then min(c.value) else texts_of(list(c.value))
            end
        } as condition,
        bool_and(n.is_other) as is_other
    from listed as l
    inner join extracted.conditions as c
        on l.document_id = c.document_id and l.extractor = c.extractor and l.number = c.number
    inner join named as n on c.dimension = n.dimension
    where c.dimension not in ('metric', 'unit')
    group by l.document_id, l.line, l.char_start, l.metric, c.dimension
),

gathered as (
    select
        document_id,
        line,
        char_start,
        metric,
        list_sort(list(condition)) as said,
        coalesce(list_sort(list(condition) filter (where is_other)), []) as others
    from stated
    group by document_id, line, char_start, metric
)

select
    document_id,
    line,
    char_start,
    metric,
    map_from_entries(said) as said,
    map_from_entries(others) as conditions,
    words_of(others) as other_conditions
from gathered
order by document_id, line, char_start, metric
