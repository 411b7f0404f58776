-- How long does each platform take to train the MLPerf models?
-- Check minutes and the division: Closed and Open submissions follow different rules.
with submissions as (
    select
        r.suite,
        r.model,
        r.platform,
        r.accelerator_count,
        r.framework,
        r.division,
        r.submission_id,
        r.bound,
        r.value / 60 as minutes
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    where r.metric = 'time_to_train' and r.suite like 'MLPerf%'
)

select
    suite,
    model,
    platform,
    accelerator_count,
    framework,
    division,
    submission_id,
    bound,
    round(minutes, 2) as minutes,
    round(minutes * accelerator_count / 60, 2) as accelerator_hours
from submissions
order by model, suite, minutes, platform, submission_id
