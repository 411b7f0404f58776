-- Benchmarks that are neither current nor withdrawn, or that stand more than once.
select
    h.benchmark_key,
    count(*) filter (where h.stands) as standing
from main.result_history as h
group by h.benchmark_key
having
    count(*) filter (where h.stands) > 1
    or (count(*) filter (where h.stands) = 0 and count(*) filter (where h.status in ('withdrawn', 'conflicting')) = 0)
