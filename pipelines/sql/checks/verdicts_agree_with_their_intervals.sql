-- Verdicts that do not follow from the claim and the printed numbers, derived again from their inputs.
with claimed as (
    select
        v.claim_id,
        v.verdict,
        v.recomputed_low,
        v.recomputed_high,
        v.inputs,
        v.interpretation,
        coalesce(v.assumption, '') like 'scaling%' as is_scaled,
        coalesce(c.subject_basis = 'comparison' and c.baseline_basis = 'comparison', false) as states_both_sides,
        c.factor - 1 as share,
        -- A step of the last printed digit: 0.1 in 1.9x, 0.01 in 31%.
        case when v.interpretation is null then 1 else 0.01 end
        / pow(10, length(regexp_extract(c.text_printed, '\d\.(\d+)', 1))) as step,
        case c.bound when 'up_to' then least(1, c.factor_high) else c.factor_low end as factor_low,
        case c.bound when 'up_to' then c.factor_high + step / 2 else c.factor_high end as factor_high
    from audit.claim_verdicts as v
    inner join resolved.claims as c on v.claim_id = c.claim_id
    where v.verdict <> 'not_checkable'
),

-- What `31% faster` means under the interpretation that holds: more in the same time, or the same in less time.
bounded as (
    select
        *,
        case
            when interpretation like 'rate%' then 1 + share - step / 2
            when interpretation like 'time%' then 1 / (1 - share + step / 2)
            else factor_low
        end as claim_low,
        case
            when interpretation like 'rate%' then 1 + share + step
            when interpretation like 'time%' then 1 / (1 - share - step)
            else factor_high
        end as claim_high
    from claimed
),

numbers as (
    select
        c.claim_id,
        r.evidence_id,
        r.metric,
        r.value_low,
        r.value_high
    from claimed as c
    inner join resolved.results as r on list_contains(c.inputs, r.evidence_id)
    union all
    select
        c.claim_id,
        p.evidence_id,
        'price' as metric,
        p.price_low_usd as value_low,
        p.price_high_usd as value_high
    from claimed as c
    inner join resolved.prices as p on list_contains(c.inputs, p.evidence_id)
),

-- Each number against each other one of its metric; which of them is the subject's does not matter here.
ratios as (
    select
        a.claim_id,
        a.metric,
        a.value_low / b.value_high as low,
        case when b.value_low > 0 then a.value_high / b.value_low else 'inf'::double end as high
    from numbers as a
    inner join numbers as b on a.claim_id = b.claim_id and a.metric = b.metric and a.evidence_id <> b.evidence_id
),

-- A performance per dollar is a ratio of numbers times a ratio of prices.
intervals as (
    select
        r.claim_id,
        r.low * coalesce(p.low, 1) as low,
        r.high * coalesce(p.high, 1) as high
    from ratios as r
    left join ratios as p on r.claim_id = p.claim_id and p.metric = 'price' and r.metric <> 'price'
),

derived as (
    select
        *,
        recomputed_low <= claim_high * (1 + 1e-9) and recomputed_high >= claim_low * (1 - 1e-9) as meets,
        recomputed_low > 0
        and isfinite(recomputed_high)
        and recomputed_high - recomputed_low <= 0.1 * (recomputed_high + recomputed_low) as is_narrow
    from bounded
),

-- The interval is made of the inputs. Epochs of a log are inputs, too, and no results.
made as (
    select
        d.claim_id,
        bool_or(abs(i.low - d.recomputed_low) <= 1e-9 * d.recomputed_low) as is_low_made,
        bool_or(
            i.high = d.recomputed_high or abs(i.high - d.recomputed_high) <= 1e-9 * d.recomputed_high
        ) as is_high_made
    from derived as d
    inner join intervals as i on d.claim_id = i.claim_id
    where not d.is_scaled
    group by d.claim_id
)

select
    d.claim_id,
    d.verdict,
    d.recomputed_low,
    d.recomputed_high
from derived as d
left join made as m on d.claim_id = m.claim_id
where
    not (m.is_low_made and m.is_high_made)
    or d.verdict = 'contradicted' and not d.states_both_sides
    or d.verdict
    <> case when d.meets and d.is_narrow then 'confirmed' when d.meets then 'consistent' else 'contradicted' end
order by d.claim_id
