-- Which benchmarks scale best to the largest systems, under one SDK release?
-- Check efficiency: 1 is linear; it can exceed 1 if the larger size is tuned better.
select
    model,
    framework,
    platform_from,
    platform_to,
    round(speedup, 2) as speedup,
    round(efficiency, 3) as efficiency
from main.scaling
where metric = 'throughput' and is_from_smallest and sdk_from = sdk_to and accelerators_to >= 128
order by efficiency desc, model asc, framework asc, platform_to asc
