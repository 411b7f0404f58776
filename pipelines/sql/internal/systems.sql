-- Platforms with their chip, how many of them there are, and their vendor.
-- grain: one row per platform
select
    name as platform,
    -- 40 GB and 80 GB of memory make two parts of one chip.
    max(regexp_replace(chip, ' \d+ ?GB$', '')) as chip,
    max(chips) as chips,
    max(vendor) as vendor
from resolved.names
where kind = 'platforms'
group by name
order by name
