-- How do two platforms compare on the same work, and in what else do the two tests differ?
select
    model,
    task,
    metric,
    left_platform,
    right_platform,
    round(ratio, 2) as ratio,
    round(ratio_per_accelerator, 2) as ratio_per_accelerator,
    differing,
    grade
from main.platform_comparison
order by model, task, metric, left_platform, right_platform, left_result_id, right_result_id
