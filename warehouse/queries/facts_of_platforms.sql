-- What power, memory, bandwidth and peak rates do data sheets state of each platform?
-- Check sources and highest: where it is above the lowest, two sources differ, and audit.conflicts lists them.
select
    vendor,
    platform,
    accelerator_count,
    fact,
    precision,
    conditions,
    min(value) as lowest,
    max(value) as highest,
    unit,
    count(distinct source) as sources,
    max(valid_from) as last_stated_on
from resolved.platform_facts
where terms is null
group by all
order by vendor, platform, accelerator_count, fact, precision, unit, lowest
