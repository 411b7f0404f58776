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
        count(*) as current_results,
        max(last_seen_on) as last_seen_on
    from main.current_results
    group by source
),

dated as (
    select
        s.source,
        s.replaced_on,
        n.last_seen_on,
        -- `weekly`, `every 2 weeks`, `12 hours`
        2 * case s.cadence
            when 'hourly' then interval 1 hour
            when 'daily' then interval 1 day
            when 'weekly' then interval 7 day
            when 'monthly' then interval 30 day
            else try_cast(replace(s.cadence, 'every ', '') as interval)
        end as longest,
        max(n.last_seen_on) over () as newest
    from raw.sources as s
    left join standing as n on s.source = n.source
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
    coalesce(n.current_results, 0) as current_results,
    n.last_seen_on,
    case
        when a.last_seen_on <= a.replaced_on then 'the page was replaced on ' || a.replaced_on
        when a.last_seen_on + a.longest < a.newest
            then 'not seen since ' || a.last_seen_on || ', other sources until ' || a.newest
    end as stale
from raw.sources as s
left join stored as st on s.source = st.source
left join printed as p on s.source = p.source
left join standing as n on s.source = n.source
left join dated as a on s.source = a.source
order by s.publisher, s.source
