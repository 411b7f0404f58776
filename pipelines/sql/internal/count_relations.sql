-- The count of accelerators of a row against its nodes, and against what its notes say.
-- grain: one row per relation and printed count
with stated as (
    select
        result_id,
        min(evidence_id) filter (where dimension = 'accelerator_count') as evidence_id,
        max(try_cast(value as bigint)) filter (where dimension = 'nodes') as nodes,
        max(try_cast(value as bigint)) filter (where dimension = 'accelerators_per_node') as per_node,
        -- `PowerEdge XE8640 4xH100-SXM-80GB system (1 GPU used)`
        string_agg(value, '; ' order by value) filter (where regexp_matches(dimension, '(^|_)notes?$')) as notes
    from resolved.result_conditions
    group by result_id
),

counted as (
    select
        r.document_id,
        coalesce(s.evidence_id, r.evidence_id) as evidence_id,
        coalesce(e.line, r.line) as line,
        r.evidence_id as value_evidence_id,
        r.accelerator_count,
        s.nodes,
        s.per_node,
        s.notes,
        -- `Dell Pro Max with GB10. CPU only submission`
        case
            when regexp_matches(s.notes, '(?i)\bCPU[- ]only submission\b') then [0]
            else regexp_extract_all(
                    s.notes, '(?i)\b(\d{1,9})(?: ?x)? ?(?:GPU|TPU|IPU|NPU|HPU|accelerator|card|chip|device)s?\b', 1
                )::bigint[]
        end as noted
    from resolved.results as r
    inner join stated as s on r.result_id = s.result_id
    left join resolved.evidence as e on s.evidence_id = e.evidence_id
    where r.accelerator_count is not null
),

compared as (
    select
        *,
        'accelerators_of_nodes' as check_name,
        [nodes * per_node] as expected,
        format('{} x {}, nodes times accelerators of each', nodes, per_node) as words
    from counted
    where nodes is not null and per_node is not null
    union all
    select
        *,
        'accelerators_in_notes' as check_name,
        noted || list_transform(noted, lambda number: number * coalesce(nodes, 1)) as expected, -- noqa: RF02
        format('the notes "{}"', notes) as words
    from counted
    where len(noted) > 0
),

judged as (
    select
        *,
        list_contains(expected, accelerator_count) as holds
    from compared
    -- All numbers of a row share its count.
    qualify row_number() over (partition by document_id, check_name, evidence_id order by value_evidence_id) = 1
)

select
    check_name,
    document_id,
    evidence_id,
    line,
    holds,
    list_min(expected)::double as expected_low,
    list_max(expected)::double as expected_high,
    accelerator_count::double as printed,
    'accelerators' as unit,
    [value_evidence_id] as inputs,
    format(
        'the row has {} accelerators, {} {}', accelerator_count, case when holds then 'as' else 'against' end, words
    ) as reason
from judged
order by document_id, line, check_name, evidence_id
