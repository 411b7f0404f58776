-- Every source with what is kept of it.
-- grain: one row per source
with stored as (
    select
        d.source,
        count(*) as documents,
        max(d.published_on) as last_published_on,
        sum(c.numerals) as numerals,
        sum(c.numerals_unparsed) as numerals_unparsed
    from raw.documents as d
    inner join audit.coverage as c on d.document_id = c.document_id
    group by d.source
),

printed as (
    select
        d.source,
        count(*) as results
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    group by d.source
),

standing as (
    select
        source,
        count(*) as current_results
    from main.current_results
    group by source
)

select
    s.source,
    s.publisher,
    s.interest,
    s.title,
    s.url,
    s.cadence,
    s.licence,
    coalesce(st.documents, 0) as documents,
    st.last_published_on,
    st.numerals,
    st.numerals_unparsed,
    coalesce(p.results, 0) as results,
    coalesce(n.current_results, 0) as current_results
from raw.sources as s
left join stored as st on s.source = st.source
left join printed as p on s.source = p.source
left join standing as n on s.source = n.source
order by s.publisher, s.source
