-- How many published rows are of the document $1.
-- grain: one row per kind of row
with counted as (
    select
        1 as number,
        if(count(*) = 1, 'result', 'results') as name,
        count(*) as n
    from resolved.results
    where document_id = $1
    union all
    select
        2 as number,
        if(count(*) = 1, 'claim', 'claims') as name,
        count(*) as n
    from resolved.claims
    where document_id = $1
    union all
    select
        3 as number,
        if(count(*) = 1, 'fact of a platform', 'facts of platforms') as name,
        count(*) as n
    from resolved.platform_facts
    where document_id = $1
)

select
    name,
    n
from counted
where n > 0
order by number
