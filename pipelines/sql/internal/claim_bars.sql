-- Bars on the slide of a claim, or of the same claim elsewhere, and the side that each represents.
-- grain: one row per claim and bar
with bars as (
    select distinct
        c.claim_id,
        r.result_id,
        r.document_id,
        r.evidence_id,
        r.platform,
        c.platform as subject_platform,
        c.opponent_platform as baseline_platform,
        t.document_id || ' ' || t.section_line as chart,
        case c.better when 'higher' then r.value else -r.value end as goodness
    from internal.claim_sides as c
    inner join internal.claim_sides as t
        on c.side = t.side
        and c.model_key = t.model_key
        and c.metric = t.metric
        and c.statistic is not distinct from t.statistic
        and c.factor = t.factor
        and c.task is not distinct from t.task
        and c.platform = t.platform
        and c.opponent_platform = t.opponent_platform
        and coalesce(c.published_on >= t.published_on, true)
    inner join resolved.results as r
        on t.document_id = r.document_id
        and t.section_line = r.section_line
        and t.model is not distinct from r.model
        and t.metric = r.metric
        and coalesce(t.statistic = r.statistic, t.statistic is null)
    where
        c.side = 'subject'
        -- A drawn label may name it, the text beside the number does not.
        and r.platform_printed is null
        -- In running text a number without a platform is not half of a picture.
        and source_format(r.extractor).medium = 'slide'
        and r.correction_action is distinct from 'drop'
),

-- Labels say whose bar it is. Without them a claim of an advantage makes the worst bar the baseline's; one bar alone
-- cannot be told, and more than two systems under two frameworks make are a curve, on which some pair would give any
-- ratio.
charts as (
    select
        *,
        min(goodness) over (partition by claim_id, chart) as worst,
        count(*) over (partition by claim_id, chart) as bars,
        bool_or(platform is null) over (partition by claim_id, chart) as is_unnamed
    from bars
)

select
    claim_id,
    case
        when is_unnamed and goodness = worst then 'baseline'
        when is_unnamed or platform = subject_platform then 'subject'
        else 'baseline'
    end as side,
    result_id,
    document_id,
    evidence_id,
    chart,
    is_unnamed
from charts
where
    is_unnamed and bars between 2 and 4
    or not is_unnamed and platform in (subject_platform, baseline_platform) and subject_platform <> baseline_platform
order by claim_id, result_id
