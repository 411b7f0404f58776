-- What is stated of each number in the tables of the documents $1, as `dimension value`.
-- grain: one row per place of a number
with said as (
    select
        r.document_id,
        e.line,
        e.char_start,
        e.text_printed,
        c.dimension || ' ' || c.value as condition,
        'metric ' || r.metric as metric,
        'statistic ' || r.statistic as statistic,
        'value ' || format('{:.12g}', r.value) as value
    from resolved.results as r
    inner join resolved.evidence as e on r.evidence_id = e.evidence_id
    left join resolved.result_conditions as c
        on r.result_id = c.result_id and c.level <> 'vocabulary' and c.dimension not in ('unit', 'statistic')
    where list_contains($1, r.document_id) and source_format(e.extractor).takes_mapping
)

select
    document_id,
    line,
    char_start,
    min(text_printed) as text_printed,
    list_concat(
        list(distinct condition order by condition) filter (where condition is not null),
        list(distinct metric order by metric),
        list(distinct statistic order by statistic) filter (where statistic is not null),
        list(distinct value order by value)
    ) as facts
from said
group by document_id, line, char_start
