-- Old and new benchmark_key of benchmarks whose key changed between builds.
-- grain: one row per former key and current key
with results as (
    select distinct
        document_id,
        evidence_id,
        metric,
        statistic,
        benchmark_key,
        count(*) over (partition by document_id, evidence_id) as results_there
    from resolved.results
),

former as (
    select
        *,
        count(*) over (partition by document_id, evidence_id) as results_there
    from internal.former_keys
),

moved as (
    select
        f.benchmark_key as former_key,
        r.benchmark_key,
        count(*) as results
    from former as f
    inner join results as r
        on
        f.document_id = r.document_id
        and f.evidence_id = r.evidence_id
        and f.benchmark_key <> r.benchmark_key
        -- Where a place gives several results, their metric tells them apart; one alone is the same in any metric.
        and (
            f.results_there = 1 and r.results_there = 1
            or f.metric = r.metric and f.statistic is not distinct from r.statistic
        )
    group by f.benchmark_key, r.benchmark_key
),

-- What earlier builds had renamed follows, too.
followed as (
    select
        k.former_key,
        coalesce(m.benchmark_key, k.benchmark_key) as benchmark_key,
        least(k.results, coalesce(m.results, k.results)) as results
    from internal.former_renamed_keys as k
    left join moved as m on k.benchmark_key = m.former_key
    union all
    select
        former_key,
        benchmark_key,
        results
    from moved
)

select
    f.former_key,
    f.benchmark_key,
    max(f.results) as results
from followed as f
semi join results as r on f.benchmark_key = r.benchmark_key
where f.former_key <> f.benchmark_key
group by f.former_key, f.benchmark_key
order by f.former_key, f.benchmark_key
