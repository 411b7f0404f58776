-- Conditions of each result (model, platform, precision ...), with the printed place of each.
-- grain: one row per result and condition
with listed as (
    select
        m.document_id,
        m.extractor,
        substr(sha256(concat_ws('|', m.document_id, m.line, m.char_start, m.char_end)), 1, 16) as evidence_id,
        m.metric,
        m.statistic,
        unnest(m.conditions) as number
    from extracted.measurements as m
),

-- The places of conditions are few beside the results that they hold for.
stated as (
    select
        document_id,
        extractor,
        number,
        dimension,
        value,
        level,
        value_printed,
        case when level not in ('mapping', 'vocabulary') then text_printed end as text_printed,
        case
            when level not in ('mapping', 'vocabulary')
                then substr(sha256(concat_ws('|', document_id, line, char_start, char_end)), 1, 16)
        end as evidence_id,
        case
            when dimension in ('model', 'platform', 'framework', 'dataset') then dimension || 's'
        end as kind
    from extracted.conditions
),

held as (
    select
        r.result_id,
        r.suite,
        s.*,
        -- Of a model and its size, a framework and its version, a system and its chip each prints a part of the name.
        case s.dimension
            when 'model' then r.model_printed
            when 'framework' then r.framework_printed
            when 'platform'
                then if(source_format(r.extractor).medium = 'log' and r.suite is not null, r.platform_printed, null)
        end as whole_name
    from listed as l
    inner join resolved.results as r
        on
        l.evidence_id = r.evidence_id and l.metric = r.metric and l.statistic is not distinct from r.statistic
    inner join stated as s
        on l.document_id = s.document_id and l.extractor = s.extractor and l.number = s.number
),

printed as (
    select
        *,
        case
            when starts_with(whole_name, value || ' ') or ends_with(whole_name, ' ' || value) then whole_name
            when kind is not null then value
        end as name_printed
    from held
),

named as (
    select
        p.result_id,
        p.dimension,
        coalesce(n.name, p.name_printed, p.value) as value,
        p.name_printed,
        p.text_printed,
        p.evidence_id,
        p.level,
        p.value_printed
    from printed as p
    left join resolved.names as n
        on p.kind = n.kind and p.name_printed = n.name_printed and p.suite is not distinct from n.suite
),

uncounted as (
    select result_id
    from named
    group by result_id
    having not bool_or(dimension = 'accelerator_count')
),

-- How many chips a platform has, its entry says where the document does not.
chips as (
    select
        u.result_id,
        'accelerator_count' as dimension,
        r.accelerator_count::varchar as value,
        null::varchar as name_printed,
        null::varchar as text_printed,
        null::varchar as evidence_id,
        'vocabulary' as level,
        null::varchar as value_printed
    from uncounted as u
    inner join resolved.results as r on u.result_id = r.result_id
    where r.accelerator_count is not null
)

select * from named
union all
select * from chips
order by result_id, dimension, value, evidence_id nulls last
