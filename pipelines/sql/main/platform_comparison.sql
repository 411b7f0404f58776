-- Results on two platforms that a reader may hold side by side: main.platform_pairs without the loose ones.
-- grain: one row per pair of comparable current results on two platforms
select *
from main.platform_pairs
where grade <> 'loose'
order by model, task, metric, left_platform, right_platform, left_result_id, right_result_id
