-- How do the chips of two vendors compare on one model family?
-- Check differing: vendors use different test setups, so most pairs are indicative, and system sizes differ.
select
    model_family,
    task,
    metric,
    statistic,
    unit,
    left_vendor,
    left_platform,
    right_vendor,
    right_platform,
    left_value,
    right_value,
    round(ratio, 2) as ratio,
    round(ratio_per_accelerator, 2) as ratio_per_accelerator,
    grade,
    differing
from main.platform_comparison
where left_vendor <> right_vendor
order by model_family, task, metric, left_platform, right_platform, left_result_id, right_result_id
