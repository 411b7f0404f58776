-- Benchmarks with several current results, or with none although no value is withdrawn, disputed or in another row.
select
    h.benchmark_key,
    count(*) filter (where h.stands) as standing
from main.result_history as h
inner join resolved.results as r on h.result_id = r.result_id
group by h.benchmark_key
having
    count(*) filter (where h.stands) > 1
    or (
        count(*) filter (where h.stands) = 0
        and count(*) filter (where h.status in ('withdrawn', 'moved', 'repeated', 'conflicting')) = 0
        -- What only prose or a chart says is outlived by a page that came later.
        and bool_or(source_format(r.extractor).medium in ('log', 'table'))
    )
