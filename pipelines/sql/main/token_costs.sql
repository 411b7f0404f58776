-- Costs of a million tokens at the listed hourly prices of the chips that they were measured on.
-- grain: one row per current rate of tokens and listed price
with listed as (
    select
        f.*,
        d.snapshot_at
    from resolved.platform_facts as f
    inner join raw.documents as d on f.document_id = d.document_id
    where
        f.fact = 'hourly_price'
        and f.unit = 'USD/h'
        and f.bound in ('eq', 'approx')
        and f.value > 0
        and f.chip is not null
        and f.accelerator_count is not null
    -- The latest that each source prints of an instance, in a region and under terms.
    qualify
        row_number() over (
            partition by f.source, f.platform, f.accelerator_count, f.terms, f.conditions
            order by d.snapshot_at desc, f.line asc, f.evidence_id asc
        ) = 1
),

prices as (
    select
        *,
        platform = chip and accelerator_count = 1 as is_of_a_chip
    from listed
)

select
    r.publisher,
    r.model,
    n.model_family,
    r.metric,
    r.statistic,
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
    'listed' as price_basis,
    p.platform as price_platform,
    p.accelerator_count as price_accelerators,
    case
        when p.is_of_a_chip then 'chip'
        when r.chips = p.accelerator_count then 'instance'
        when r.chips > p.accelerator_count then 'several instances'
        else 'share of an instance'
    end as price_is_of,
    p.value as price_usd,
    p.terms as price_terms,
    p.conditions as price_conditions,
    p.publisher as price_publisher,
    p.source as price_source,
    p.valid_from as price_printed_on,
    p.evidence_id as price_evidence_id,
    p.value / p.accelerator_count as usd_per_chip_hour,
    cost_per_million_tokens(n.rate_per_chip, 1, p.value / p.accelerator_count) as usd_per_million_tokens,
    r.source,
    r.result_id,
    r.benchmark_key
from internal.rates as n
inner join main.current_results as r on n.result_id = r.result_id
inner join prices as p
    on
    r.chip = p.chip
    -- What was measured on an instance is bought as this instance.
    and (r.platform_kind is distinct from 'instance' or r.platform = p.platform)
    and case
        -- A rate per chip may be of so many chips that nobody states.
        when p.is_of_a_chip or r.chips is null then true
        -- A system of several nodes is rented as so many instances with the accelerators of one node each.
        when r.chips > try_cast(r.conditions['accelerators_per_node'] as bigint)
            then
                r.conditions['accelerators_per_node'] = p.accelerator_count::varchar
                and r.chips % p.accelerator_count = 0
        else p.accelerator_count % r.chips = 0
    end
where n.tokens_counted is not null
order by r.model, n.tokens_counted, usd_per_million_tokens, r.result_id, p.platform, p.terms, p.evidence_id
