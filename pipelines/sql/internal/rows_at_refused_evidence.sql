-- Rows that the evidence check refuses, and those that depend on them.
-- grain: one row per refused row
-- A condition refuses its results, a run its epochs, a claim the claims of its sentence, a place all that it prints.
with recursive depends as (
    select c.evidence_id as on_evidence_id, r.evidence_id
    from resolved.result_conditions as c
    inner join resolved.results as r on c.result_id = r.result_id
    union
    select r.evidence_id as on_evidence_id, e.evidence_id
    from resolved.training_runs as r
    inner join resolved.training_epochs as e on r.run_id = e.run_id
    union
    select
        unnest(
            list_concat(c.repeat_evidence_ids, [c.subject_conditions_evidence_id, c.baseline_conditions_evidence_id])
        ) as on_evidence_id,
        c.evidence_id
    from resolved.claims as c
    union
    select a.evidence_id as on_evidence_id, b.evidence_id
    from resolved.claims as a
    inner join resolved.claims as b on a.document_id = b.document_id and a.sentence = b.sentence
),

-- A value that a mapping has read of a chart has no printed characters. It is that of its bar or point in another unit,
-- and is refused with it.
drawn_faults as (
    select
        e.evidence_id,
        case
            when c.chart_value_id is null then 'no chart is drawn there'
            when r.fault is not null then r.fault
            when abs(v.value_low * c.drawn_value - c.drawn_low * v.value) > 1e-9 * abs(c.drawn_low * v.value)
                or abs(v.value_high * c.drawn_value - c.drawn_high * v.value) > 1e-9 * abs(c.drawn_high * v.value)
                then format('the bar or point is drawn at {}, stored is {}', c.drawn_value, v.value)
        end as fault
    from resolved.evidence as e
    inner join resolved.results as v on e.evidence_id = v.evidence_id
    left join resolved.chart_values as c
        on
        e.document_id = c.document_id
        and e.page = c.page
        and e.x0 = c.x0
        and e.top = c.top
        and e.x1 = c.x1
        and e.bottom = c.bottom
    left join internal.chart_readings as r on c.chart_value_id = r.chart_value_id
    where e.text_printed = ''
        and fault is not null
),

refused as (
    select evidence_id, reason
    from internal.refused_evidence
    union
    select evidence_id, fault as reason
    from drawn_faults
    union
    select d.evidence_id, r.reason
    from refused as r
    inner join depends as d on r.evidence_id = d.on_evidence_id
),

reasons as (
    select evidence_id, min(reason) as reason
    from refused
    group by evidence_id
),

marks as (
    select chart_value_id, document_id, line, to_json(chart_values)::varchar as row_json
    from resolved.chart_values
),

stored as (
    select evidence_id, to_json(results) as row_json
    from resolved.results
    union all
    select evidence_id, to_json(claims) as row_json
    from resolved.claims
    union all
    select evidence_id, to_json(training_runs) as row_json
    from resolved.training_runs
    union all
    select evidence_id, to_json(training_epochs) as row_json
    from resolved.training_epochs
    union all
    select evidence_id, to_json(prices) as row_json
    from resolved.prices
    union all
    select evidence_id, to_json(configurations) as row_json
    from resolved.configurations
    union all
    select evidence_id, to_json(submissions) as row_json
    from resolved.submissions
    union all
    select evidence_id, to_json(chart_values) as row_json
    from resolved.chart_values
)

select
    e.document_id,
    null::varchar as path,
    e.line,
    e.char_start,
    e.char_end,
    'evidence' as extractor,
    'evidence_does_not_hold' as rule,
    reasons.reason,
    'row' as scope,
    stored.row_json::varchar as row_json,
    e.evidence_id
from stored
inner join reasons on stored.evidence_id = reasons.evidence_id
inner join resolved.evidence as e on stored.evidence_id = e.evidence_id
union all
-- What is printed at a bar is right even where its length was misread.
select
    c.document_id,
    null::varchar as path,
    c.line,
    null::bigint as char_start,
    null::bigint as char_end,
    'evidence' as extractor,
    'evidence_does_not_hold' as rule,
    r.fault as reason,
    'row' as scope,
    c.row_json,
    null::varchar as evidence_id
from internal.chart_readings as r
inner join marks as c on r.chart_value_id = c.chart_value_id
where r.fault is not null
order by document_id, line, char_start, row_json
