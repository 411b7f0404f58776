-- How do two platforms compare on the same work, and in what else do the two tests differ?
-- Look at grade and differing before ratio: what is listed was not the same on both sides, or only one side says it.
select
    model_family,
    task,
    metric,
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
order by model_family, task, metric, left_platform, right_platform, left_result_id, right_result_id
