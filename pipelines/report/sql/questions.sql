-- What is measured for each family of models: families that most vendors have measured first, and what most have.
-- grain: one row per family, task, metric, statistic and unit
with counted as (
    select
        r.model_family,
        c.task,
        c.metric,
        c.statistic,
        c.unit,
        c.higher_is_better,
        count(*) as results,
        count(distinct c.vendor) as vendors,
        count(distinct c.platform) as platforms
    from main.current_results as c
    inner join resolved.results as r on c.result_id = r.result_id
    where r.model_family is not null and c.platform is not null
    group by all
)

select
    *,
    max(vendors) over (partition by model_family) as vendors_of_family
from counted
order by
    vendors_of_family desc,
    sum(results) over (partition by model_family) desc,
    model_family asc,
    vendors desc,
    platforms desc,
    results desc,
    task asc,
    metric asc,
    statistic asc,
    unit asc
