-- Energy of a token, image, query or other item in inference: by measured power or energy, otherwise by rated power.
-- grain: one row per current rate that has a power
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with measuring as (
    select
        r.*,
        list_filter(identity_entries(r), lambda entry: entry.key <> 'statistic') as facts,
        -- All that identifies a run and its conditions: what shares it was measured in one run.
        hash(row(r.document_id, facts)) as run
    from resolved.results as r
    where
        r.document_id in (
            select m.document_id from resolved.results as m
            where m.metric in ('power', 'energy_consumption', 'energy_per_token')
        )
),

runs as (
    select
        m.run,
        m.suite,
        m.chips,
        n.*
    from measuring as m
    inner join internal.rates as n on m.result_id = n.result_id
),

measured as (
    select
        m.run,
        m.metric,
        m.value,
        m.unit_printed,
        m.document_id,
        m.evidence_id
    from measuring as m
    inner join main.current_results as c on m.result_id = c.result_id
    where
        m.metric in ('power', 'energy_consumption', 'energy_per_token')
        and coalesce(m.statistic, 'mean') = 'mean'
        and m.bound in ('eq', 'approx')
        and m.value > 0
    -- Two in one run are of different parts of it.
    qualify count(*) over (partition by m.run, m.metric) = 1
),

by_measurement as (
    select
        n.result_id,
        m.document_id,
        m.evidence_id,
        m.value as power_w,
        n.chips as power_chips
    from runs as n
    inner join measured as m on n.run = m.run
    where
        m.metric = 'power'
        -- The rules of a suite say that it is the power of the system; elsewhere it may be that of one chip.
        and (n.suite is not null or n.chips = 1)
),

by_energy as (
    select
        n.result_id,
        m.document_id,
        m.evidence_id,
        m.value as energy_j
    from runs as n
    inner join measured as m on n.run = m.run
    where
        case
            when n.tokens_counted is not null then m.metric = 'energy_per_token'
            -- `uJ/inf.`: of one item, and not of the whole run.
            else m.metric = 'energy_consumption' and contains(m.unit_printed, '/')
        end
),

latest_ratings as (
    select
        f.*,
        d.snapshot_at
    from resolved.platform_facts as f
    inner join raw.documents as d on f.document_id = d.document_id
    where
        f.fact = 'rated_power'
        and f.accelerator_count is not null
        and f.bound in ('eq', 'approx')
        and f.value > 0
        -- An estimate is nobody's rating.
        and f.conditions['basis'] is distinct from 'estimate'
    qualify
        row_number() over (
            partition by f.source, f.platform, f.conditions
            order by d.snapshot_at desc, f.value desc, f.line asc, f.evidence_id asc
        ) = 1
),

-- Of editions that share a name the highest is the bound; of equal ones the maker's own comes first.
ratings as (
    select
        *,
        platform = chip as is_of_a_chip
    from latest_ratings
    qualify
        row_number() over (
            partition by platform
            order by
                value / accelerator_count desc, publisher = vendor desc, valid_from desc, evidence_id asc
        ) = 1
),

-- A card is rated as such; what else holds the chip by the rating of the chip.
rated as (
    select
        r.result_id,
        coalesce(o.document_id, c.document_id) as document_id,
        coalesce(o.evidence_id, c.evidence_id) as evidence_id,
        coalesce(o.value, c.value) as power_w,
        coalesce(o.accelerator_count, c.accelerator_count) as power_chips
    from internal.rates as n
    inner join main.current_results as r on n.result_id = r.result_id
    left join ratings as o on r.platform = o.platform
    left join ratings as c on r.chip = c.platform and c.is_of_a_chip and c.accelerator_count = 1
    where coalesce(o.evidence_id, c.evidence_id) is not null
),

-- What was measured comes first.
powers as (
    select
        result_id,
        'measured' as basis,
        document_id,
        evidence_id,
        energy_j,
        null as power_w,
        null as power_chips
    from by_energy
    union all
    select
        result_id,
        'measured' as basis,
        document_id,
        evidence_id,
        null as energy_j,
        power_w,
        power_chips
    from by_measurement
    where result_id not in (select e.result_id from by_energy as e)
    union all
    select
        result_id,
        'rated' as basis,
        document_id,
        evidence_id,
        null as energy_j,
        power_w,
        power_chips
    from rated
    where
        result_id not in (select e.result_id from by_energy as e)
        and result_id not in (select m.result_id from by_measurement as m)
)

select
    r.publisher,
    r.model,
    n.model_family,
    r.metric,
    r.statistic,
    n.item,
    n.tokens_counted,
    r.value,
    r.unit,
    r.platform,
    r.vendor,
    r.chip,
    r.chips,
    n.rate_per_chip as value_per_accelerator,
    r.framework,
    r.framework_version,
    r.precision,
    r.weights_precision,
    r.batch_size,
    r.sequence_length,
    r.input_length,
    r.output_length,
    r.concurrency,
    n.request_rate,
    r.parallelism,
    r.scenario,
    r.dataset,
    r.suite,
    r.division,
    r.conditions,
    r.release_product,
    r.sdk_version,
    r.last_published_on,
    p.basis as power_basis,
    p.power_w,
    p.power_chips,
    d.publisher as power_publisher,
    d.source as power_source,
    d.snapshot_on as power_printed_on,
    p.evidence_id as power_evidence_id,
    if(p.basis = 'rated', 'up_to', 'eq') as joules_bound,
    coalesce(p.energy_j, p.power_w / p.power_chips / n.rate_per_chip) as joules_per_item,
    r.source,
    r.result_id,
    r.benchmark_key
from powers as p
inner join internal.rates as n on p.result_id = n.result_id
inner join main.current_results as r on p.result_id = r.result_id
inner join raw.documents as d on p.document_id = d.document_id
order by r.model, n.item, p.basis, joules_per_item, r.result_id
