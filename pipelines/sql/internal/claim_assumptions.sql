-- Assumptions of claims (list price, linear scaling), and the value at which the claim no longer holds.
-- grain: one row per claim with an assumption
with recomputed as (
    select
        claim_id,
        max(performance_high) as performance_high,
        max(ratio_high) as ratio_high,
        max(subject_scale) as subject_scale,
        max(baseline_scale) as baseline_scale
    from internal.claim_recomputations
    where is_meant and isfinite(ratio_high)
    group by claim_id
),

claims as (
    select
        c.claim_id,
        c.document_id,
        c.line,
        c.metric,
        c.factor,
        c.factor_low,
        s.is_linear,
        s.platform as subject_platform,
        b.platform as baseline_platform,
        s.systems as subject_systems,
        b.systems as baseline_systems,
        -- The price that is only known roughly is the assumption; of two list prices it is the baseline's.
        coalesce(ps.bound <> 'eq' and pb.bound = 'eq', false) as is_subject_price,
        ps.evidence_id as subject_price_evidence_id,
        pb.evidence_id as baseline_price_evidence_id,
        ps.value as subject_price,
        pb.value as baseline_price,
        ps.value_low as subject_price_low,
        pb.value_high as baseline_price_high,
        ps.value_words as subject_price_words,
        pb.value_words as baseline_price_words,
        case when c.metric = 'price' then 1 else r.performance_high end as performance_high,
        r.ratio_high,
        r.subject_scale is not null and r.baseline_scale is null or coalesce(b.systems, 1) = 1 and s.systems > 1
            as is_subject_scaled
    from resolved.claims as c
    inner join internal.claim_sides as s on c.claim_id = s.claim_id and s.side = 'subject'
    inner join internal.claim_sides as b on c.claim_id = b.claim_id and b.side = 'baseline'
    left join internal.claim_inputs as ps on c.claim_id = ps.claim_id and ps.side = 'subject' and ps.is_list_price
    left join internal.claim_inputs as pb on c.claim_id = pb.claim_id and pb.side = 'baseline' and pb.is_list_price
    left join recomputed as r on c.claim_id = r.claim_id
),

-- `reached` is the greatest ratio that the other numbers allow when the assumption holds exactly; `slope` is 1 where
-- the ratio grows with the assumed value, -1 where it falls.
assumptions as (
    select
        *,
        case
            when is_subject_price then format('{} costs {}', subject_platform, subject_price_words)
            else format('{} costs {}', baseline_platform, baseline_price_words)
        end as assumption,
        'USD' as assumption_unit,
        case when is_subject_price then subject_price else baseline_price end as assumed_value,
        performance_high * case
            when is_subject_price then baseline_price_high / subject_price else baseline_price / subject_price_low
        end as reached,
        case when is_subject_price then -1 else 1 end as slope,
        list_filter([subject_price_evidence_id, baseline_price_evidence_id], lambda id: id is not null) as inputs
    from claims
    where
        metric in ('price', 'performance_per_dollar')
        and case when is_subject_price then subject_price else baseline_price end > 0
    union all by name
    select
        *,
        format(
            'scaling is linear: {:.4g} {} do {:.4g} times the work of one',
            case when is_subject_scaled then subject_systems else baseline_systems end,
            case when is_subject_scaled then subject_platform else baseline_platform end,
            case when is_subject_scaled then subject_systems else baseline_systems end
        ) as assumption,
        'ratio' as assumption_unit,
        1 as assumed_value,
        ratio_high as reached,
        case when is_subject_scaled then 1 else -1 end as slope,
        [] as inputs
    from claims
    where is_linear and (subject_systems > 1 or baseline_systems > 1)
)

select
    claim_id,
    assumption,
    assumption_unit,
    assumed_value,
    case when factor_low > 0 then assumed_value * pow(factor_low / coalesce(reached, factor), slope) end as break_even,
    assumed_value * pow(1 / coalesce(reached, factor), slope) as break_even_parity,
    case when reached is null then 'claim' else 'numbers' end as break_even_basis,
    inputs
from assumptions
order by claim_id, assumption
