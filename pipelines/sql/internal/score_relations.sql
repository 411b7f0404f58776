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
),

-- The entry of MLPerf Inference that a result is of: its submitter, its system and its target of accuracy.
stated as (
    select
        result_id,
        min(lower(value)) filter (where dimension = 'submitter') as submitter,
        -- `h13_u2_preview_dc`
        min(regexp_replace(lower(value), '[^a-z0-9]', '', 'g')) filter (where dimension = 'system_id') as system_id,
        min(value) filter (where dimension = 'accuracy_target') as accuracy_target,
        bool_or(dimension = 'measured_as') as is_another_count
    from resolved.result_conditions
    group by result_id
),

entries as (
    select
        r.*,
        t.submitter,
        t.system_id,
        t.accuracy_target,
        source_format(r.extractor).medium as medium
    from resolved.results as r
    inner join stated as t on r.result_id = t.result_id
    where not t.is_another_count and r.correction_action is distinct from 'drop'
),

summarised as (
    select
        p.document_id,
        p.evidence_id,
        p.line,
        p.value as printed,
        p.value_printed,
        p.unit,
        p.model,
        p.scenario,
        p.submitter,
        l.value,
        l.value_low,
        l.value_high,
        [l.evidence_id] as inputs,
        -- Summaries have six digits of what the log has: `102012.0` of 102011.66.
        pow(10, floor(log10(p.value)) - 5) / 2 as half_digit,
        p.value_low <= l.value_high + half_digit and p.value_high >= l.value_low - half_digit as holds
    from entries as p
    inner join entries as l
        on p.suite = l.suite
        and p.submitter = l.submitter
        and p.system_id = l.system_id
        and p.division = l.division
        and p.model = l.model
        and p.scenario = l.scenario
        and p.metric = l.metric
        and p.unit = l.unit
        and p.statistic is not distinct from l.statistic
        and p.accuracy_target is not distinct from l.accuracy_target
    where p.medium = 'table' and l.medium = 'log' and p.value > 0
    qualify row_number()
            over (partition by p.result_id order by holds desc, abs(p.value - l.value) asc, l.evidence_id asc)
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
union all
select
    'score_of_the_logs' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    value_low - half_digit as expected_low,
    value_high + half_digit as expected_high,
    printed,
    unit,
    inputs,
    format(
        'the summary has {} {} of {} in {} by {}, the log {} {:.10g}',
        value_printed,
        unit,
        model,
        scenario,
        submitter,
        case when holds then 'also' else 'gives' end,
        value
    ) as reason
from summarised
order by document_id, line, evidence_id
