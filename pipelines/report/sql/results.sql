-- What the tables and plots of the site show of every result that stands now.
-- grain: one row per current result
with prices as (
    select
        result_id,
        min(usd_per_chip_hour) as usd_per_chip_hour,
        arg_min(price_evidence_id, (usd_per_chip_hour, price_evidence_id)) as price_evidence_id,
        arg_min(
            concat_ws(', ', price_platform, price_terms, price_publisher, price_printed_on),
            (usd_per_chip_hour, price_evidence_id)
        ) as price_is_of
    from main.token_costs
    where price_terms = 'on demand'
    group by result_id
),

powers as (
    select
        result_id,
        min(joules_per_item) as joules_per_item,
        min(power_basis) as power_basis,
        min(power_evidence_id) as power_evidence_id
    from main.energy
    group by result_id
)

select
    c.result_id,
    c.publisher,
    c.model,
    r.model_family,
    c.task,
    c.metric,
    c.statistic,
    c.value,
    c.unit,
    c.bound,
    c.higher_is_better,
    c.platform,
    c.vendor,
    c.accelerator_count,
    c.chip,
    c.value_per_accelerator,
    p.usd_per_chip_hour,
    p.price_evidence_id,
    p.price_is_of,
    w.joules_per_item,
    w.power_basis,
    w.power_evidence_id,
    c.framework,
    c.precision,
    c.batch_size,
    c.batch_size_kind,
    c.sequence_length,
    c.input_length,
    c.output_length,
    c.concurrency,
    c.parallelism,
    c.stage,
    c.dataset,
    c.suite,
    c.sdk_version,
    c.other_conditions,
    c.last_published_on,
    c.last_captured_on,
    c.released_on,
    c.last_seen_on,
    r.phase,
    r.variant_name,
    r.is_packed,
    r.image_size,
    r.configuration,
    r.scenario,
    r.division,
    r.request_rate,
    -- How it was run beyond what the page compares by name.
    nullif(
        concat_ws(
            ', ', c.parallelism, 'weights ' || r.weights_precision, 'epoch ' || r.epoch, r.framework_version,
            r.other_conditions
        ),
        ''
    ) as run_conditions,
    coalesce(s.is_synthetic, false) as is_synthetic,
    c.correction,
    c.source,
    row_number() over (
        partition by c.model, c.task, c.metric, c.unit, c.platform
        order by case when c.higher_is_better then -c.value else c.value end, c.result_id
    ) as place_on_platform,
    -- What a reader looks for first: how fast it is, then how long one has to wait.
    dense_rank() over (
        order by
            list_position(['throughput', 'time_to_train', 'time_to_result', 'latency', 'ttft', 'tpot'], c.metric)
            asc nulls last,
            c.metric asc,
            c.task asc nulls last,
            c.unit asc
    ) as place_of_section
from main.current_results as c
inner join resolved.results as r on c.result_id = r.result_id
left join prices as p on c.result_id = p.result_id
left join powers as w on c.result_id = w.result_id
left join resolved.names as s
    on s.kind = 'datasets' and r.dataset_printed = s.name_printed and r.suite is not distinct from s.suite
order by
    c.model nulls last,
    c.task nulls last,
    c.metric,
    c.unit,
    case when c.higher_is_better then -c.value else c.value end,
    c.statistic nulls first,
    c.result_id
