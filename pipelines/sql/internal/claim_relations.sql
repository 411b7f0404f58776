-- Claims about the same comparison: on one slide, in two documents, against baselines of two sizes.
-- grain: one row per relation and printed number
with tolerance as (
    select
        -- Documents that were published together speak of one measurement; later ones may speak of a newer release.
        31 as days,
        -- Twice the baseline is at least this share of twice as fast, or nobody would buy the second one.
        0.6 as scaling
),

-- How many accelerators the baseline has: as the notes of the slide say, else one platform of its name.
baselines as (
    select
        document_id,
        section_line,
        platform,
        min(accelerator_count) as accelerator_count
    from resolved.configurations
    where role = 'baseline'
    group by document_id, section_line, platform
    having count(distinct accelerator_count) = 1
),

claimed as (
    select
        c.*,
        d.publisher,
        d.published_on,
        regexp_extract(d.path, '[^/]+$') as file,
        coalesce(b.accelerator_count / n.chips, n.multiplier, 1) as baselines,
        -- What a comparison is taken at, in whatever words: `headline comparisons using lowest latency`.
        regexp_extract(lower(coalesce(c.conditions, '')), '(lowest|highest) (latency|throughput)') as optimum,
        -- `>60x` prints its bound among its characters, `over 5x` before them.
        case
            when starts_with(c.text_printed, '>') or c.bound = 'eq' then ''
            when c.bound = 'gt' then 'over '
            when c.bound = 'lt' then 'under '
            when c.bound = 'up_to' then 'up to '
            else 'about '
        end || c.text_printed as said,
        -- The words without their numbers; `3x faster` alone may label one bar of several.
        trim(regexp_replace(regexp_replace(lower(c.sentence), '\S*\d\S*', '', 'g'), '\s+', ' ', 'g')) as words
    from resolved.claims as c
    inner join raw.documents as d on c.document_id = d.document_id
    left join resolved.names as n
        on n.kind = 'platforms' and c.baseline_printed = n.name_printed and c.suite is not distinct from n.suite
    left join baselines as b
        on c.document_id = b.document_id and c.section_line = b.section_line and c.baseline_platform = b.platform
    where c.model is not null and c.metric is not null and c.subject_platform is not null
),

-- One slide that says the same words with another number. In prose the sentence before may say what differs.
repeated as (
    select
        'claims_of_one_place' as check_name,
        b.document_id,
        b.evidence_id,
        b.line,
        a.factor_low <= b.factor_high and b.factor_low <= a.factor_high as holds,
        a.factor_low as expected_low,
        a.factor_high as expected_high,
        b.factor as printed,
        a.evidence_id as input,
        a.said as earlier_said,
        a.line as earlier_line,
        b.said,
        b.words
    from claimed as a
    inner join claimed as b
        on a.document_id = b.document_id
        and a.section_line is not distinct from b.section_line
        and a.line < b.line
        and a.words = b.words
        and a.model = b.model
        and a.metric = b.metric
        and a.statistic is not distinct from b.statistic
        and a.task is not distinct from b.task
        and a.subject_platform = b.subject_platform
        and a.baseline_platform is not distinct from b.baseline_platform
        and a.conditions is not distinct from b.conditions
    where
        a.words like '% %'
        and source_format(a.extractor).medium <> 'sentence'
        and source_format(b.extractor).medium <> 'sentence'
        -- A headline whose number a bar repeats leaves the other numbers to the other bars.
        and len(a.repeat_evidence_ids) = 0
        and len(b.repeat_evidence_ids) = 0
),

-- Two documents of one publisher about one comparison; a name may be less exact in one of them (A100, A100 80GB).
paired as (
    select
        a.*,
        b.document_id as other_document_id,
        b.evidence_id as other_evidence_id,
        b.file as other_file,
        b.line as other_line,
        b.said as other_said,
        b.factor as other_factor,
        b.factor_low as other_low,
        b.factor_high as other_high,
        b.baselines as other_baselines,
        b.conditions as other_conditions,
        b.optimum as other_optimum
    from claimed as a
    cross join tolerance as t
    inner join claimed as b
        on a.publisher = b.publisher
        and a.metric = b.metric
        and a.statistic is not distinct from b.statistic
        and a.task is not distinct from b.task
        and a.subject_platform = b.subject_platform
        and (a.model = b.model or starts_with(a.model, b.model || ' ') or starts_with(b.model, a.model || ' '))
        and (
            a.baseline_platform = b.baseline_platform
            or starts_with(a.baseline_platform, b.baseline_platform || ' ')
            or starts_with(b.baseline_platform, a.baseline_platform || ' ')
        )
        and coalesce(a.subject_sdk_version = b.subject_sdk_version, true)
        and coalesce(abs(date_diff('day', a.published_on, b.published_on)) <= t.days, true)
        and a.document_id <> b.document_id
    -- Several claims about one thing differ in what could not be read: nobody can say which belongs to which.
    qualify
        count(*) over (partition by a.claim_id, b.document_id) = 1
        and count(*) over (partition by b.claim_id, a.document_id) = 1
),

compared as (
    select
        p.*,
        p.factor_low <= p.other_high and p.other_low <= p.factor_high as meets,
        p.other_low * p.other_baselines / p.baselines * t.scaling as scaled_low,
        p.other_high * p.other_baselines / p.baselines as scaled_high
    from paired as p
    cross join tolerance as t
)

select
    check_name,
    document_id,
    evidence_id,
    line,
    holds,
    expected_low,
    expected_high,
    printed,
    'ratio' as unit,
    [input] as inputs,
    format(
        'line {} claims {}, but line {} claims {} in the same words: {}', line, said, earlier_line, earlier_said, words
    ) as reason
from repeated
union all
select
    'claims_of_two_documents' as check_name,
    document_id,
    evidence_id,
    line,
    meets as holds,
    other_low as expected_low,
    other_high as expected_high,
    factor as printed,
    'ratio' as unit,
    [other_evidence_id] as inputs,
    format(
        '{} of {} on {}: {} claims {} in line {}, {} claims {} in line {}',
        metric,
        model,
        subject_platform,
        file,
        said,
        line,
        other_file,
        other_said,
        other_line
    ) as reason
from compared
where
    baselines = other_baselines
    and (document_id, evidence_id) < (other_document_id, other_evidence_id)
    and (
        meets
        or conditions is not distinct from other_conditions
        or (optimum = other_optimum and optimum <> '')
    )
union all
select
    'claims_of_two_baselines' as check_name,
    document_id,
    evidence_id,
    line,
    factor >= scaled_low and factor_low <= scaled_high as holds,
    scaled_low as expected_low,
    scaled_high as expected_high,
    factor as printed,
    'ratio' as unit,
    [other_evidence_id] as inputs,
    format(
        '{} of {} on {}: {} claims {} against {:g} {} in line {}, {} claims {} against {:g} in line {},'
        || ' which is {:.3g}x against {:g} if the baseline scales',
        metric,
        model,
        subject_platform,
        file,
        said,
        baselines,
        baseline_platform,
        line,
        other_file,
        other_said,
        other_baselines,
        other_line,
        other_factor * other_baselines / baselines,
        baselines
    ) as reason
from compared
where baselines * 1.5 < other_baselines
order by document_id, line, check_name, evidence_id
