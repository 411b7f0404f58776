-- What the numbers of a preview measure.
-- grain: one row per metric, statistic and unit
select
    metric,
    coalesce(statistic, '') as statistic,
    unit,
    count(*)::varchar as numbers,
    format('{:.6g}', min(value)) as lowest,
    format('{:.6g}', max(value)) as highest
from numbers
group by metric, statistic, unit
order by metric, statistic nulls first, unit
