-- What stands on a model's page, in figures; the model is null where no document names it.
-- grain: one row per model with a result that stands
select
    c.model,
    count(*) as results,
    list(distinct c.publisher order by c.publisher) as publishers,
    list(distinct c.vendor order by c.vendor) filter (where c.vendor is not null) as vendors,
    count(distinct c.platform) as platforms,
    list(distinct c.task order by c.task) filter (where c.task is not null) as tasks,
    list(distinct c.metric order by c.metric) as metrics,
    max(c.last_published_on) as last_published_on
from main.current_results as c
group by c.model
order by
    results desc,
    c.model asc nulls last
