-- The closest tests on two platforms, the most alike first.
-- grain: one row per pair of current results on two platforms
select *
from main.platform_comparison
order by
    list_position(['same', 'close', 'indicative'], grade), model_family, task, metric, left_platform, right_platform,
    left_result_id, right_result_id
