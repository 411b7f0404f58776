-- Who leads in the suites whose rules make results alike: the highest throughput per accelerator of each vendor in the
-- Closed division, among the results of the last three years.
-- grain: one row per family, scenario, unit and vendor
with recent as (
    select
        r.model_family,
        c.scenario,
        c.quality_target,
        c.task,
        c.metric,
        c.statistic,
        regexp_replace(c.suite, ' v[0-9.]+$', '') as suite,
        c.unit,
        c.vendor,
        c.platform,
        c.accelerator_count,
        c.precision,
        c.batch_size,
        c.value_per_accelerator,
        c.last_published_on,
        c.result_id
    from main.current_results as c
    inner join resolved.results as r on c.result_id = r.result_id
    where
        c.metric = 'throughput'
        and c.bound in ('eq', 'approx')
        and c.suite is not null
        and c.vendor is not null
        and c.platform is not null
        and c.value_per_accelerator is not null
        and r.model_family is not null
        and c.division is distinct from 'Open'
        and c.correction is null
        and c.last_published_on >= (select max(d.published_on) from raw.documents as d) - interval 3 year
),

best as (
    select * from recent
    qualify row_number() over (
            partition by model_family, scenario, task, statistic, suite, quality_target, unit, vendor
            order by value_per_accelerator desc, last_published_on desc, result_id asc
        ) = 1
),

placed as (
    select
        *,
        row_number() over (
            partition by model_family, scenario, task, statistic, suite, quality_target, unit
            order by value_per_accelerator desc, result_id asc
        ) as place,
        count(*) over (partition by model_family, scenario, task, statistic, suite, quality_target, unit) as vendors,
        max(last_published_on) over (
            partition by model_family, scenario, task, statistic, suite, quality_target, unit
        ) as newest
    from best
),

listed as (
    select
        *,
        dense_rank() over (
            order by
                date_trunc('year', newest) desc, vendors desc, newest desc,
                model_family asc, scenario asc, task asc, unit asc,
                statistic asc, suite asc, quality_target asc
        ) as question
    from placed
    where vendors > 1
)

select
    *,
    max(value_per_accelerator) over (partition by question) / value_per_accelerator as times_behind
from listed
where question <= 12 and place <= 3
order by question, place
