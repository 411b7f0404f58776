-- How do two platforms compare on the same work, and in what else do the two tests differ?
-- Look at differing before ratio: what it lists was not the same on both sides; loose pairs are left out.
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
