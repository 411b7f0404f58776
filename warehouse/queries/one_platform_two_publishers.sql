-- Do two publishers measure the same on one platform?
-- Check differing: a ratio far from 1 means another test, or that one of the two is wrong.
select
    model_family,
    task,
    metric,
    statistic,
    unit,
    left_platform as platform,
    left_publisher,
    left_value,
    right_publisher,
    right_value,
    round(ratio, 2) as ratio,
    grade,
    differing
from main.platform_comparison
where kind = 'who measured'
order by
    abs(ln(ratio)) desc, model_family asc, task asc, metric asc, left_result_id asc, right_result_id asc
