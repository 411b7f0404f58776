-- How do the chips of two vendors compare on one model family?
-- Check differing: vendors use different test setups, so most pairs are indicative, and system sizes differ.
select
    c.model_family,
    c.task,
    c.metric,
    c.unit,
    l.vendor as left_vendor,
    c.left_platform,
    r.vendor as right_vendor,
    c.right_platform,
    c.left_value,
    c.right_value,
    round(c.ratio, 2) as ratio,
    round(c.ratio_per_accelerator, 2) as ratio_per_accelerator,
    c.grade,
    c.differing
from main.platform_comparison as c
inner join main.current_results as l on c.left_result_id = l.result_id
inner join main.current_results as r on c.right_result_id = r.result_id
where l.vendor <> r.vendor
order by c.model_family, c.task, c.metric, c.left_platform, c.right_platform, c.left_result_id, c.right_result_id
