-- Speedup of a benchmark between consecutive SDK releases that print it.
-- grain: one row per benchmark and consecutive pair of SDK releases
with ordered as (
    select
        *,
        -- Releases of two products have no order.
        dense_rank() over (partition by vendor, release_product order by sdk_order) as release_order
    from main.result_history
    where sdk_version is not null
),

releases as (
    select
        *,
        lag(sdk_version) over by_release as sdk_before,
        lag(release_order) over by_release as order_before,
        lag(value) over by_release as value_before
    from ordered
    where stands_in_release and status <> 'withdrawn'
    window by_release as (partition by benchmark_key, release_product order by sdk_order)
),

gains as (
    select
        r.*,
        n.higher_is_better,
        case when n.higher_is_better then r.value / r.value_before else r.value_before / r.value end as speedup
    from releases as r
    inner join resolved.results as n on r.result_id = n.result_id
    where r.sdk_before is not null and r.value > 0 and r.value_before > 0
)

select
    model,
    vendor,
    release_product,
    platform,
    task,
    metric,
    statistic,
    framework,
    batch_size,
    sdk_before as sdk_from,
    sdk_version as sdk_to,
    order_before as sdk_from_order,
    release_order as sdk_to_order,
    value_before as value_from,
    value as value_to,
    unit,
    speedup,
    -- No release makes one system that much faster or slower at the same work: one of the numbers is another test's.
    speedup not between 0.2 and 5 as is_beyond_reason,
    benchmark_key
from gains
order by benchmark_key, sdk_order
