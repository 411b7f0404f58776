-- The division and the submitter that the logs of an MLPerf score print against those of its description.
-- grain: one row per relation, description and printed word
with described as (
    select
        result_id,
        dimension,
        value,
        evidence_id
    from resolved.result_conditions
    where dimension in ('division', 'submitter') and evidence_id is not null
),

-- What all runs of a score print; a placeholder says nothing.
logged as (
    select
        result_id,
        'division' as dimension,
        division as value,
        min(evidence_id) as evidence_id
    from resolved.training_runs
    where result_id is not null and division is not null
    group by result_id, division
    union all
    select
        result_id,
        'submitter' as dimension,
        submitter as value,
        min(evidence_id) as evidence_id
    from resolved.training_runs
    where
        result_id is not null
        and submitter is not null
        -- `SUBMISSION_ORG_PLACEHOLDER`, `reference_implementation`
        and not regexp_matches(submitter, '(?i)placeholder|^reference')
    group by result_id, submitter
),

paired as (
    select
        r.document_id,
        d.evidence_id,
        e.line,
        r.section,
        d.dimension,
        d.value,
        o.value as other,
        o.evidence_id as other_evidence_id,
        lower(regexp_replace(d.value, '[^A-Za-z0-9]', '', 'g')) as word,
        lower(regexp_replace(o.value, '[^A-Za-z0-9]', '', 'g')) as other_word,
        list_transform(regexp_extract_all(d.value, '[A-Za-z0-9]+'), lambda x: lower(x)) as words, -- noqa: RF02
        list_transform(regexp_extract_all(o.value, '[A-Za-z0-9]+'), lambda x: lower(x)) as other_words -- noqa: RF02
    from described as d
    inner join logged as o on d.result_id = o.result_id and d.dimension = o.dimension
    inner join resolved.results as r on d.result_id = r.result_id
    inner join resolved.evidence as e on d.evidence_id = e.evidence_id
),

judged as (
    select
        *,
        -- `Habana` is of `Intel-HabanaLabs`, `CoreWeave + IBM + NVIDIA` is `IBM+CoreWeave+NVIDIA`.
        contains(word, other_word)
        or contains(other_word, word)
        or (dimension = 'submitter' and list_has_any(words, other_words)) as holds
    from paired
    qualify row_number() over (partition by document_id, dimension, evidence_id, other order by other_evidence_id) = 1
)

select
    dimension || '_of_the_logs' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    1.0 as expected_low,
    1.0 as expected_high,
    case when holds then 1.0 else 2.0 end as printed,
    dimension || 's' as unit,
    [other_evidence_id] as inputs,
    format(
        'the description says the {0} {1}, the logs of {2} say {3}', dimension, value, section, other
    ) as reason
from judged
order by document_id, line, check_name, evidence_id, inputs
