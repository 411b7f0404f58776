-- What data sheets and price lists state of a platform: rated power, memory, bandwidth, peak rates, prices.
-- grain: one row per printed fact
with printed as (
    select
        m.document_id,
        m.line,
        m.char_start,
        m.char_end,
        m.platform_printed,
        m.accelerator_count,
        -- As in resolved.results: logs of MLPerf do not say which round they were made for.
        case
            when m.suite in ('MLPerf Training', 'MLPerf HPC', 'MLPerf Inference') then concat_ws(' ', m.suite, d.round)
            else m.suite
        end as suite,
        m.metric,
        case when n.price_terms is null then n.name when m.unit = 'USD/h' then 'hourly_price' else 'price' end as fact,
        m.precision,
        n.price_terms as terms,
        m.value,
        m.value_low,
        m.value_high,
        m.bound,
        m.unit,
        coalesce(c.conditions, map([]::varchar[], []::varchar[])) as conditions
    from extracted.measurements as m
    inner join raw.documents as d on m.document_id = d.document_id
    inner join resolved.names as n on n.kind = 'metrics' and m.metric = n.name_printed
    left join internal.stated_conditions as c
        on
        m.document_id = c.document_id
        and m.line = c.line
        and m.char_start = c.char_start
        and m.metric = c.metric
    where n.metric_kind = 'platform' or n.price_terms is not null
    union all
    select
        document_id,
        line,
        char_start,
        char_end,
        platform_printed,
        null as accelerator_count,
        null as suite,
        null as metric,
        'price' as fact,
        null as precision,
        'list' as terms,
        price_usd as value,
        price_low_usd as value_low,
        price_high_usd as value_high,
        bound,
        'USD' as unit,
        map([]::varchar[], []::varchar[]) as conditions
    from extracted.prices
),

named as (
    select
        p.document_id,
        p.line,
        p.platform_printed,
        p.metric,
        p.fact,
        p.precision,
        p.terms,
        p.value,
        p.value_low,
        p.value_high,
        p.bound,
        p.unit,
        p.conditions,
        coalesce(platform.name, p.platform_printed) as platform,
        -- Eight systems do not cost, or draw, what one does: a fact is that of so many accelerators.
        coalesce(
            p.accelerator_count, platform.multiplier * coalesce(platform.chips, 1), platform.chips
        ) as accelerator_count,
        substr(sha256(concat_ws('|', p.document_id, p.line, p.char_start, p.char_end)), 1, 16) as evidence_id
    from printed as p
    left join resolved.names as platform
        on
        platform.kind = 'platforms'
        and p.platform_printed = platform.name_printed
        and p.suite is not distinct from platform.suite
),

-- A correction changes the value and its interval; evidence and the printed text stay.
corrected as (
    select
        n.* replace (
            case when k.correction_action = 'override' then k.value else n.value end as value,
            case when k.correction_action = 'override' then k.value_low else n.value_low end as value_low,
            case when k.correction_action = 'override' then k.value_high else n.value_high end as value_high,
            case when k.correction_action = 'override' then 'eq' else n.bound end as bound
        )
    from named as n
    left join internal.known_error_places as k
        on n.evidence_id = k.evidence_id and n.metric = k.metric and k.is_as_expected
    where k.correction_action is distinct from 'drop'
),

described as (
    select
        name,
        min(vendor) as vendor,
        min(chip) as chip,
        min(platform_kind) as platform_kind
    from resolved.names
    where kind = 'platforms'
    group by name
)

select
    f.platform,
    f.platform_printed,
    k.vendor,
    k.chip,
    k.platform_kind,
    f.accelerator_count,
    f.fact,
    f.precision,
    f.terms,
    f.value,
    f.value_low,
    f.value_high,
    f.bound,
    f.unit,
    f.conditions,
    f.document_id,
    f.evidence_id,
    f.line,
    d.publisher,
    d.source,
    d.snapshot_on as valid_from
from corrected as f
inner join raw.documents as d on f.document_id = d.document_id
left join described as k on f.platform = k.name
order by f.document_id, f.line, f.evidence_id, f.fact
