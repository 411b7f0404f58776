-- Throughput per chip against latency or interactivity: the points that no other point of equal conditions dominates.
-- grain: one row per frontier and point on it
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with timed as (
    select
        r.result_id,
        r.document_id,
        r.metric,
        r.statistic,
        r.value,
        r.unit
    from resolved.results as r
    inner join main.current_results as c on r.result_id = c.result_id
    where
        r.task = 'inference'
        and r.metric in (
            'latency', 'request_latency', 'ttft', 'tpot', 'inter_token_latency', 'token_latency', 'throughput_per_user'
        )
        and r.bound in ('eq', 'approx')
        and r.value > 0
),

runs as (
    select
        r.result_id,
        list_filter(identity_entries(r), lambda entry: entry.key <> 'statistic') as facts,
        hash(row(r.document_id, facts)) as run,
        -- Points of one frontier differ in the load, and in how the model and the requests are spread, alone.
        list_filter(facts, lambda entry: not dimension(entry.key).is_swept) as conditions
    from resolved.results as r
    where
        r.model is not null
        and r.platform is not null
        and r.result_id in (
            select n.result_id from internal.rates as n
            where n.document_id in (select t.document_id from timed as t)
            union all
            select t.result_id from timed as t
            where t.document_id in (select n.document_id from internal.rates as n)
        )
),

-- What one run printed of its throughput and of a latency.
points as (
    select
        n.result_id as throughput_result_id,
        t.result_id as latency_result_id,
        n.rate_per_chip as throughput_per_chip,
        if(t.metric = 'throughput_per_user', -t.value, t.value) as slowness,
        substr(
            sha256(
                row(
                    c.source, c.metric, c.statistic, n.item, t.metric, t.statistic, r.conditions
                )::varchar
            ),
            1, 16
        ) as frontier_id
    from internal.rates as n
    inner join main.current_results as c on n.result_id = c.result_id
    inner join runs as r on n.result_id = r.result_id
    inner join runs as o on r.run = o.run
    inner join timed as t on o.result_id = t.result_id
),

compared as (
    select
        *,
        count(*) over (partition by frontier_id) as points,
        max(throughput_per_chip) over (partition by frontier_id, slowness) as best_here,
        max(throughput_per_chip) over (
            partition by frontier_id order by slowness groups between unbounded preceding and 1 preceding
        ) as best_of_faster
    from points
)

select
    p.frontier_id,
    c.publisher,
    c.model,
    n.model_family,
    c.vendor,
    c.platform,
    c.chip,
    c.metric,
    c.statistic,
    n.tokens_counted,
    p.throughput_per_chip,
    c.unit,
    t.metric as latency_metric,
    t.statistic as latency_statistic,
    t.value as latency_value,
    t.unit as latency_unit,
    p.points,
    c.framework,
    c.framework_version,
    c.precision,
    c.weights_precision,
    c.batch_size,
    c.sequence_length,
    c.input_length,
    c.output_length,
    c.concurrency,
    n.request_rate,
    c.parallelism,
    c.accelerator_count,
    c.chips,
    c.dataset,
    c.conditions,
    c.release_product,
    c.sdk_version,
    c.last_published_on,
    c.source,
    p.throughput_result_id,
    p.latency_result_id
from compared as p
inner join internal.rates as n on p.throughput_result_id = n.result_id
inner join main.current_results as c on p.throughput_result_id = c.result_id
inner join timed as t on p.latency_result_id = t.result_id
where
    p.points > 1
    and p.throughput_per_chip = p.best_here
    and (p.best_of_faster is null or p.throughput_per_chip > p.best_of_faster)
order by c.model, c.platform, p.frontier_id, p.slowness, p.throughput_result_id, p.latency_result_id
