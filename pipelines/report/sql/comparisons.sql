-- The closest tests on two platforms, seen from each of them, those of other vendors first and then the most alike:
-- `times` is how many times better the platform is than the other one.
-- grain: one row per pair of current results on two platforms, and side; of a platform the first 60
with seen as (
    select
        *,
        left_platform as platform,
        right_platform as other_platform,
        left_value as own_value,
        right_value as other_value,
        left_result_id as own_result_id,
        right_result_id as other_result_id,
        1 / ratio as times,
        1 / ratio_per_accelerator as times_per_accelerator
    from main.platform_comparison
    union all
    select
        *,
        right_platform as platform,
        left_platform as other_platform,
        right_value as own_value,
        left_value as other_value,
        right_result_id as own_result_id,
        left_result_id as other_result_id,
        ratio as times,
        ratio_per_accelerator as times_per_accelerator
    from main.platform_comparison
)

select
    platform,
    other_platform,
    grade,
    model_family,
    task,
    metric,
    statistic,
    unit,
    own_value,
    other_value,
    own_result_id,
    other_result_id,
    times,
    times_per_accelerator,
    differing,
    row_number() over (
        partition by platform
        order by
            coalesce(left_vendor = right_vendor, false),
            list_position(['same', 'close', 'indicative'], grade), model_family, task, metric, left_platform,
            right_platform, left_result_id, right_result_id
    ) as place,
    count(*) over (partition by platform) as all_of_platform
from seen
where ratio is not null and kind = 'platforms'
qualify place <= 60
order by platform, place
