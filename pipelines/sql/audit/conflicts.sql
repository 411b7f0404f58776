-- Pairs of printed values for the same fact whose rounding intervals do not overlap.
-- grain: one row per pair of disagreeing places
with dated as (
    select
        r.*,
        d.source,
        d.snapshot_at,
        max(d.snapshot_at) over (partition by r.benchmark_key, r.sdk_order, d.source) as last_snapshot_at
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    where r.correction_action is distinct from 'drop'
),

-- What an earlier snapshot of the same source printed was restated, and disagrees with nothing.
standing as (
    select *
    from dated
    where snapshot_at = last_snapshot_at
),

-- Places that print the same value for the same fact are one side.
sides as (
    select
        benchmark_key,
        sdk_order,
        source,
        value,
        min(value_low) as value_low,
        max(value_high) as value_high,
        min(sdk_version) as sdk_version,
        arg_min(evidence_id, (document_id, line, evidence_id)) as evidence_id,
        min(document_id) as document_id,
        arg_min(line, (document_id, line)) as line,
        min(metric) as metric,
        min(model) as model,
        min(platform) as platform,
        min(unit) as unit,
        max(suite) as suite
    from standing
    group by benchmark_key, sdk_order, source, value
),

-- Two values of one benchmark, and not of two rounds of a suite; under different keys those of one submission that a
-- page and a log give, or of one document that states the same of both.
pairs as (
    select
        a.benchmark_key,
        a.evidence_id,
        b.benchmark_key as other_key,
        b.evidence_id as other_evidence_id
    from sides as a
    inner join sides as b
        on a.benchmark_key = b.benchmark_key
        and a.sdk_order is not distinct from b.sdk_order
        and coalesce(a.suite = b.suite, true)
        and (a.source, a.document_id, a.line, a.evidence_id) < (b.source, b.document_id, b.line, b.evidence_id)
    where a.value_high < b.value_low or b.value_high < a.value_low
    union all
    select
        a.benchmark_key,
        a.evidence_id,
        b.benchmark_key as other_key,
        b.evidence_id as other_evidence_id
    from internal.same_results as t
    inner join sides as a
        on t.benchmark_key = a.benchmark_key and t.sdk_order is not distinct from a.sdk_order and t.value = a.value
    inner join sides as b
        on
        t.other_key = b.benchmark_key
        and t.other_sdk_order is not distinct from b.sdk_order
        and t.other_value = b.value
    where not t.meets and (not t.is_ambiguous or a.evidence_id < b.evidence_id)
),

-- What two sources state of a platform, each in its last snapshot; the prices of two sellers are two prices.
facts as (
    select
        *,
        substr(sha256((platform, accelerator_count, fact, precision, conditions)::varchar), 1, 32) as fact_key
    from resolved.platform_facts
    where terms is null and platform is not null
    qualify valid_from is not distinct from max(valid_from) over (partition by fact_key, source)
)

select
    case
        when a.document_id = b.document_id then 'within_document'
        when a.source = b.source then 'within_source'
        else 'between_sources'
    end as kind,
    a.benchmark_key,
    a.sdk_version,
    a.evidence_id as left_evidence_id,
    b.evidence_id as right_evidence_id,
    a.value as left_value,
    b.value as right_value,
    format(
        '{} of {} on {}: {} prints {} {} in line {}, {} prints {} {} in line {}',
        a.metric,
        coalesce(a.model, 'an unnamed model'),
        coalesce(a.platform, 'an unnamed platform'),
        a.source,
        a.value,
        a.unit,
        a.line,
        b.source,
        b.value,
        b.unit,
        b.line
    ) as reason
from pairs as p
inner join sides as a on p.benchmark_key = a.benchmark_key and p.evidence_id = a.evidence_id
inner join sides as b on p.other_key = b.benchmark_key and p.other_evidence_id = b.evidence_id
union all
select
    'of_platform' as kind,
    a.fact_key as benchmark_key,
    null as sdk_version,
    a.evidence_id as left_evidence_id,
    b.evidence_id as right_evidence_id,
    a.value as left_value,
    b.value as right_value,
    format(
        '{} of {}{}: {} prints {} {} in line {}, {} prints {} {} in line {}',
        a.fact,
        a.platform,
        coalesce(' at ' || a.precision, ''),
        a.source,
        a.value,
        a.unit,
        a.line,
        b.source,
        b.value,
        b.unit,
        b.line
    ) as reason
from facts as a
inner join facts as b on a.fact_key = b.fact_key and (a.source, a.evidence_id) < (b.source, b.evidence_id)
where a.value_high < b.value_low or b.value_high < a.value_low
order by benchmark_key, sdk_version, left_evidence_id, right_evidence_id
