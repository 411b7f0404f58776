-- Current throughput per dollar and training costs, on platforms that have a price.
-- grain: one row per current result and price of its platform
with prices as (
    select
        p.*,
        d.source,
        d.publisher,
        d.snapshot_on
    from resolved.prices as p
    inner join raw.documents as d on p.document_id = d.document_id
    where p.platform is not null and p.price_usd > 0
    -- The latest that each publisher prints under the same terms, and of one document the first.
    qualify
        row_number() over (
            partition by p.platform, p.terms, d.publisher order by d.snapshot_at desc, p.line asc, p.evidence_id asc
        ) = 1
)

select
    r.model,
    r.task,
    r.metric,
    r.vendor,
    r.platform,
    r.accelerator_count,
    r.value,
    r.value_per_accelerator,
    r.unit,
    p.price_usd,
    p.unit as price_unit,
    p.bound as price_bound,
    p.terms as price_terms,
    -- Of an hourly price, the work done for a dollar; of a list price, the rate that a dollar buys.
    case
        when r.metric <> 'throughput' then null
        when p.unit = 'USD/h' then n.value_low * 3600 / p.price_high_usd
        else n.value_low / p.price_high_usd
    end as value_per_usd_low,
    case
        when r.metric <> 'throughput' or p.price_low_usd = 0 then null
        when p.unit = 'USD/h' then n.value_high * 3600 / p.price_low_usd
        else n.value_high / p.price_low_usd
    end as value_per_usd_high,
    case
        when r.metric <> 'throughput' then null
        when p.unit = 'USD/h' then n.item || '/USD'
        else r.unit || '/USD'
    end as value_per_usd_unit,
    case
        when r.metric = 'time_to_train' and p.unit = 'USD/h' then n.value_low / 3600 * p.price_low_usd
    end as training_cost_low_usd,
    case
        when r.metric = 'time_to_train' and p.unit = 'USD/h' then n.value_high / 3600 * p.price_high_usd
    end as training_cost_high_usd,
    r.framework,
    r.precision,
    r.batch_size,
    r.sdk_version,
    r.source,
    p.publisher as price_publisher,
    p.source as price_source,
    p.snapshot_on as price_printed_on,
    p.evidence_id as price_evidence_id,
    r.result_id
from main.current_results as r
inner join resolved.results as n on r.result_id = n.result_id
inner join prices as p
    on r.platform = p.platform and coalesce(r.accelerator_count = p.accelerator_count, true)
where r.metric in ('throughput', 'time_to_train')
order by r.model, r.task, r.metric, r.platform, r.result_id, p.terms, p.evidence_id
