-- The division and the model that the notes of an MLPerf row state against those in its fields.
-- grain: one row per relation and notes
with noted as (
    select
        r.document_id,
        c.evidence_id,
        e.line,
        r.evidence_id as value_evidence_id,
        c.value as notes,
        r.division,
        r.model
    from resolved.results as r
    inner join resolved.result_conditions as c on r.result_id = c.result_id and c.dimension = 'notes'
    inner join resolved.evidence as e on c.evidence_id = e.evidence_id
    where r.suite is not null
),

-- `Closed division; DeepSeek-R1 NVFP4 weights`, and not `Used closed Division rules, except for our skip technique`.
divisions as (
    select
        *,
        'division' as field,
        division as stated,
        regexp_extract(notes, '(?i)(?:^|[.;] )(closed|open) division(?:[.;,]|$)', 1) as named,
        lower(named) = lower(division) as holds
    from noted
    where division is not null
),

-- What was loaded: `Model = moonshotai/Kimi-K2.6 (kimi_k25, fp8)`, `CentML DeepSeek-R1 NVFP4 v2 checkpoint`.
-- Other models are named for other rows of a system: `INT4 for GPT-J, and INT8 for all other models`.
loaded as (
    select
        *,
        regexp_extract(notes, '(?i)\b(?:model = ([^ ;]+)|((?:[^ ;]+ ){1,5})checkpoint)', ['model', 'checkpoint'])
            as found,
        trim(found['model'] || found['checkpoint']) as words,
        array_to_string(regexp_extract_all(lower(words), '[a-z]+|[0-9]+'), ' ') as tokens,
        array_to_string(regexp_extract_all(lower(model), '[a-z]+|[0-9]+'), ' ') as model_tokens
    from noted
    where model is not null
),

names as (
    select distinct
        name,
        array_to_string(regexp_extract_all(lower(name_printed), '[a-z]+|[0-9]+'), ' ') as tokens
    from resolved.names
    where kind = 'models' and name is not null and not is_family
),

models as (
    select
        l.document_id,
        l.evidence_id,
        l.line,
        l.value_evidence_id,
        l.notes,
        l.model as stated,
        l.words as named,
        bool_or(n.name = l.model or contains(l.model_tokens, n.tokens) or contains(n.tokens, l.model_tokens)) as holds
    from loaded as l
    inner join names as n on n.tokens <> '' and contains(' ' || l.tokens || ' ', ' ' || n.tokens || ' ')
    group by all
),

compared as (
    select
        document_id,
        evidence_id,
        line,
        value_evidence_id,
        notes,
        field,
        stated,
        named,
        holds
    from divisions
    where named <> ''
    union all
    select
        document_id,
        evidence_id,
        line,
        value_evidence_id,
        notes,
        'model' as field,
        stated,
        named,
        holds
    from models
    -- All numbers of a row share its notes.
    qualify row_number() over (partition by document_id, field, evidence_id order by value_evidence_id) = 1
)

select
    field || '_in_notes' as check_name,
    document_id,
    evidence_id,
    line,
    holds,
    1.0 as expected_low,
    1.0 as expected_high,
    case when holds then 1.0 else 2.0 end as printed,
    field || 's' as unit,
    [value_evidence_id] as inputs,
    format(
        'the row has the {} {}, {} the notes say {}', field, stated, case when holds then 'as' else 'where' end, named
    ) as reason
from compared
order by document_id, line, check_name, evidence_id
