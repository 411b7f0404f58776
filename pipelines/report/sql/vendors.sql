-- The vendors of platforms with a current result; null, the last, where no vendor is known.
-- grain: one row per vendor
with platforms as (
    select
        platform,
        min(vendor) as vendor
    from main.current_results
    group by platform
)

select distinct vendor from platforms
order by vendor nulls last
