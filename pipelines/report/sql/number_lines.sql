-- What each claim says beside what the printed numbers give: intervals of the factor, in per cent of one axis.
-- grain: one row per claim
-- `claimed` and `recomputed` are left end and width, the latter null without numbers; a tick has a place and a value.
-- `is_open` says that the numbers give no upper end.
with ends as (
    select
        claim_id,
        [factor_low, factor_high, recomputed_low, recomputed_high] as ends,
        list_filter([factor_low, factor_high, recomputed_low, recomputed_high], lambda x: isfinite(x)) as finite
    from main.claims
),

spans as (
    select
        *,
        least(list_min(finite), 1.0) as low,
        list_max(finite) as most
    from ends
),

axes as (
    select
        *,
        -- Room at the right, where an interval without end continues.
        most + if(most > low, 0.12 * (most - low), 1.0) as high,
        high - low as width,
        power(10, floor(log10(width / 4))) as size,
        -- A round step that gives four to ten ticks.
        size * list_filter([1, 2, 5, 10], lambda x: width / (size * x) <= 9)[1] as step
    from spans
),

places as (
    select
        *,
        list_transform(
            ends, lambda x: if(x is null, null, round(100 * (least(greatest(x, low), high) - low) / width, 2))
        ) as places
    from axes
)

select
    claim_id,
    -- The narrowest interval is still visible.
    [places[1], greatest(0.6, round(places[2] - places[1], 2))] as claimed,
    if(places[3] + places[4] is null, null, [places[3], greatest(0.6, round(places[4] - places[3], 2))]) as recomputed,
    coalesce(isinf(ends[4]), false) as is_open,
    list_transform(
        range(ceil(low / step)::bigint, floor(high / step)::bigint + 1),
        lambda x: { 'place': round(100 * (least(greatest(x * step, low), high) - low) / width, 2), 'value': x * step }
    ) as ticks
from places
order by claim_id
