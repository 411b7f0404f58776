-- The closest results of platforms for the model $1, where given of the platform or chip $2, and of $3.
-- grain: one row per pair of current results
select *
from main.platform_comparison
where
    $1 in (left_model, right_model, model_family)
    and ($2::varchar is null or list_contains([left_platform, left_chip, right_platform, right_chip], $2))
    and ($3::varchar is null or list_contains([left_platform, left_chip, right_platform, right_chip], $3))
order by list_position(['same', 'close', 'indicative'], grade), left_result_id, right_result_id
