-- MLPerf results printed in pages against the scores from their logs.
-- grain: one row per printed result whose logs are stored
with entered as (
    select
        result_id,
        list(evidence_id order by training_time_s, evidence_id) as inputs
    from resolved.training_runs
    where scored_as = 'counted'
    group by result_id
),

factors as (
    select
        result_id,
        min(try_cast(value as double)) as factor
    from resolved.result_conditions
    where dimension = 'scaling_factor'
    group by result_id
),

scores as (
    select
        r.*,
        e.inputs,
        '' as scaled_words
    from resolved.results as r
    inner join entered as e on r.result_id = e.result_id
    union all by name
    -- What is published may be the score as the review has scaled it.
    select
        r.* replace (
            r.value * f.factor as value, r.value_low * f.factor as value_low, r.value_high * f.factor as value_high
        ),
        e.inputs,
        format(', scaled {:.4f} times', f.factor) as scaled_words
    from resolved.results as r
    inner join entered as e on r.result_id = e.result_id
    inner join factors as f on r.result_id = f.result_id
    where f.factor > 0
),

-- A page that leaves the division or the framework out may mean any of the scores that the logs give.
paired as (
    select
        p.document_id,
        p.evidence_id,
        p.line,
        p.value as printed,
        p.value_printed,
        p.model,
        p.platform,
        s.value,
        s.value_low,
        s.value_high,
        s.division,
        s.inputs,
        s.scaled_words,
        p.value_low <= s.value_high and p.value_high >= s.value_low as holds
    from resolved.results as p
    inner join scores as s
        on p.suite = s.suite
        and p.model = s.model
        and p.platform = s.platform
        and p.metric = s.metric
        and p.accelerator_count is not distinct from s.accelerator_count
        and coalesce(p.division = s.division, true)
        and coalesce(p.framework = s.framework, true)
    where not source_format(p.extractor).gives_scores and p.correction_action is distinct from 'drop'
    qualify row_number()
            over (partition by p.result_id order by holds desc, abs(p.value - s.value) asc, s.division asc, s.value asc)
        = 1
)

select
    'score_of_the_logs' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    value_low as expected_low,
    value_high as expected_high,
    printed,
    's' as unit,
    inputs,
    format(
        '{} of {} on {}: the logs of the {} division give {:.3f} min, the mean of {} runs{}',
        case
            when regexp_matches(value_printed, '[A-Za-z]') then value_printed
            else format('{:.4g} min', printed / 60)
        end,
        model,
        platform,
        lower(division),
        value / 60,
        len(inputs),
        scaled_words
    ) as reason
from paired
order by document_id, line, evidence_id
