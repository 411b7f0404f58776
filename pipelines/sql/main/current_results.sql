-- The current result of each benchmark.
-- grain: one row per benchmark
with older as (
    select distinct
        h.benchmark_key,
        coalesce(h.sdk_version, h.framework_version) as version,
        h.sdk_order
    from main.result_history as h
    inner join main.result_history as s
        on h.benchmark_key = s.benchmark_key
        and h.release_product is not distinct from s.release_product
        and s.stands
        and h.sdk_order < s.sdk_order
        and h.status <> 'third_party'
),

superseded as (
    select
        benchmark_key,
        list(version order by sdk_order desc) as versions
    from older
    group by benchmark_key
)

select
    d.publisher,
    r.model,
    r.task,
    r.metric,
    r.statistic,
    r.value,
    r.unit,
    r.platform,
    r.platform_kind,
    r.maker,
    r.chip,
    r.chips,
    r.accelerator_count,
    case
        when r.metric = 'throughput' then r.value / r.chips
        when ends_with(r.metric, '_per_device') then r.value
    end as value_per_accelerator,
    r.vendor,
    r.higher_is_better,
    r.bound,
    r.framework,
    r.framework_version,
    r.precision,
    r.weights_precision,
    r.batch_size,
    r.batch_size_kind,
    r.sequence_length,
    r.input_length,
    r.output_length,
    r.concurrency,
    h.parallelism,
    r.tensor_parallel,
    r.pipeline_parallel,
    r.data_parallel,
    r.expert_parallel,
    r.stage,
    r.scenario,
    r.conditions,
    h.other_conditions,
    r.dataset,
    r.suite,
    nullif(regexp_extract(r.suite, ' (v\d+\.\d+)$', 1), '') as round,
    r.division,
    r.submission_id,
    r.quality_target,
    r.release_product,
    h.sdk_version,
    coalesce(superseded.versions, []) as superseded_versions,
    h.last_published_on,
    h.last_captured_on,
    h.released_on,
    h.last_seen_on,
    h.documents,
    r.correction,
    h.source,
    r.unnamed_platform,
    r.line,
    r.result_id,
    r.benchmark_key
from main.result_history as h
inner join resolved.results as r on h.result_id = r.result_id
inner join raw.documents as d on r.document_id = d.document_id
left join superseded on h.benchmark_key = superseded.benchmark_key
where h.stands
order by r.benchmark_key
