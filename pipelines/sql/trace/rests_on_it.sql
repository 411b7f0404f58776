-- Rows that use a printed place as evidence: a heading may state a condition of thousands of results.
-- grain: one row per place and row that uses it
with asked as (
    select unnest($1::varchar[]) as evidence_id
),

-- What is printed beside a price says whose it is.
beside_prices as (
    select
        e.evidence_id,
        p.price_usd
    from resolved.evidence as e
    inner join resolved.prices as p
        on e.document_id = p.document_id and e.line = p.line and e.evidence_id <> p.evidence_id
),

conditions as (
    select
        evidence_id,
        dimension,
        value,
        count(*) as results
    from resolved.result_conditions
    where evidence_id in (select asked.evidence_id from asked)
    group by evidence_id, dimension, value
),

repeats as (
    select
        unnest(repeat_evidence_ids) as evidence_id,
        claim_id
    from resolved.claims
),

resting as (
    select evidence_id, 'result' as kind, result_id as id, concat_ws(' ', model, platform, metric, value, unit) as what
    from resolved.results
    union all
    select
        evidence_id,
        'condition' as kind,
        null as id,
        format('{} {} of {} result{}', replace(dimension, '_', ' '), value, results, if(results > 1, 's', '')) as what
    from conditions
    union all
    select evidence_id, 'claim' as kind, claim_id as id, concat_ws(' ', factor || 'x', metric, model) as what
    from resolved.claims
    union all
    select evidence_id, 'claim' as kind, claim_id as id, 'repeated' as what
    from repeats
    union all
    select evidence_id, 'run' as kind, run_id as id, concat_ws(' ', accelerator, training_time_s, 's') as what
    from resolved.training_runs
    union all
    select evidence_id, 'run' as kind, run_id as id, concat_ws(' ', 'epoch', epoch, epoch_time_s, 's') as what
    from resolved.training_epochs
    union all
    select evidence_id, 'configuration' as kind, configuration_id as id, concat_ws(' ', role, platform, model) as what
    from resolved.configurations
    union all
    select evidence_id, 'price' as kind, null as id, concat_ws(' ', platform, price_usd, 'USD') as what
    from resolved.prices
    union all
    select evidence_id, 'price' as kind, null as id, concat_ws(' ', 'condition of', price_usd, 'USD') as what
    from beside_prices
    union all
    select evidence_id, 'submission' as kind, null as id, concat_ws(' ', submission_id, suite) as what
    from resolved.submissions
)

select
    evidence_id as traced_id,
    *
from resting
where evidence_id in (select asked.evidence_id from asked)
order by evidence_id, kind, id, what
