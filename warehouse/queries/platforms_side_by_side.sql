-- How do two platforms compare on the same workload, and how do the two tests differ?
-- Check grade and differing before ratio: listed conditions differ, or only one side states them.
select
    model_family,
    task,
    metric,
    statistic,
    unit,
    left_platform,
    right_platform,
    grade,
    round(ratio, 2) as ratio,
    round(ratio_low, 2) as ratio_low,
    round(ratio_high, 2) as ratio_high,
    round(ratio_per_accelerator, 2) as ratio_per_accelerator,
    round(ratio_per_dollar, 2) as ratio_per_dollar,
    differing
from main.platform_comparison
where kind = 'platforms'
order by model_family, task, metric, left_platform, right_platform, left_result_id, right_result_id
