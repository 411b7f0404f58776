-- Which SDK release do the current results of each platform come from?
-- Check results from before the newest release: they were not measured again, or are no longer offered.
with standing as (
    select
        r.platform,
        r.sdk_version,
        r.sdk_order,
        d.snapshot_on
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    inner join raw.documents as d on r.document_id = d.document_id
    where r.sdk_version is not null
),

counted as (
    select
        platform,
        sdk_order,
        max(sdk_version) as sdk_version,
        count(*) as results,
        max(snapshot_on) as last_printed_on
    from standing
    group by platform, sdk_order
)

select
    platform,
    sdk_version,
    results,
    max(sdk_order) over (partition by platform) = sdk_order as is_newest_of_platform,
    last_printed_on
from counted
order by platform asc, sdk_order desc
