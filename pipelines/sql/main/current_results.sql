-- The result that stands now for each benchmark.
-- grain: one row per benchmark
with superseded as (
    select
        h.benchmark_key,
        list(distinct h.sdk_version order by h.sdk_version desc) as versions
    from main.result_history as h
    inner join main.result_history as s
        on h.benchmark_key = s.benchmark_key and s.stands and h.sdk_order < s.sdk_order
    group by h.benchmark_key
)

select
    r.*,
    h.documents,
    h.document_ids,
    coalesce(superseded.versions, []) as superseded_versions
from main.result_history as h
inner join resolved.results as r on h.result_id = r.result_id
left join superseded on h.benchmark_key = superseded.benchmark_key
where h.stands
order by r.benchmark_key
