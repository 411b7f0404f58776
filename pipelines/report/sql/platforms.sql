-- What stands on a platform's page, in figures; the platform is null where no document names it.
-- grain: one row per platform with a result that stands
select
    c.platform,
    min(c.vendor) as vendor,
    count(*) as results,
    list(distinct c.publisher order by c.publisher) as publishers,
    count(distinct c.model) as models,
    list(distinct c.task order by c.task) filter (where c.task is not null) as tasks,
    max(c.last_published_on) as last_published_on
from main.current_results as c
group by c.platform
order by
    results desc,
    c.platform asc nulls last
