-- The result that stands now for each benchmark.
-- grain: one row per benchmark
with older as (
    select distinct
        h.benchmark_key,
        h.sdk_version,
        h.sdk_order
    from main.result_history as h
    inner join main.result_history as s
        on h.benchmark_key = s.benchmark_key and s.stands and h.sdk_order < s.sdk_order
),

superseded as (
    select
        benchmark_key,
        list(sdk_version order by sdk_order desc) as versions
    from older
    group by benchmark_key
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
