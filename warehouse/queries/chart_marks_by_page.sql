-- How many bars and points does each page of a document draw, and how many could not be read?
-- Check pages with many refused marks: the column with the rules gives the reasons.
with refused as (
    select
        document_id,
        cast(json_extract(row_json, '$.page') as bigint) as page,
        rule,
        cast(json_extract(row_json, '$.marks') as bigint) as marks
    from audit.rejects
    where extractor = 'charts' and json_valid(row_json)
),

marks as (
    select
        document_id,
        page,
        count(*) as stored,
        0 as refused,
        null as rule
    from resolved.chart_values
    group by document_id, page
    union all
    select
        document_id,
        page,
        0 as stored,
        marks as refused,
        rule
    from refused
)

select
    d.path,
    m.page,
    sum(m.stored) + sum(m.refused) as marks_seen,
    sum(m.stored) as marks_stored,
    sum(m.refused) as marks_refused,
    string_agg(distinct m.rule, ', ' order by m.rule) as rules
from marks as m
inner join raw.documents as d on m.document_id = d.document_id
group by d.path, m.page
order by marks_refused desc, d.path asc, m.page asc
