-- Bars without names on the slide of a claim, or of the same claim elsewhere, and the side each is taken for.
-- grain: one row per claim and bar
with bars as (
    select distinct
        c.claim_id,
        r.result_id,
        r.document_id,
        r.evidence_id,
        t.document_id || ' ' || t.section_line as chart,
        case c.better when 'higher' then r.value else -r.value end as goodness
    from internal.claim_sides as c
    inner join internal.claim_sides as t
        on c.side = t.side
        and c.model_key = t.model_key
        and c.metric = t.metric
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
    where
        c.side = 'subject'
        and r.platform is null
        -- In running text a number without a platform is not half of a picture.
        and r.extractor like 'chart%'
        and r.correction_action is distinct from 'drop'
),

-- A claim of an advantage makes the worst bar the baseline's. One bar alone cannot be told, and more than two systems
-- under two frameworks make are a curve, on which some pair would give any ratio.
charts as (
    select
        *,
        min(goodness) over (partition by claim_id, chart) as worst,
        count(*) over (partition by claim_id, chart) as bars
    from bars
)

select
    claim_id,
    case when goodness = worst then 'baseline' else 'subject' end as side,
    result_id,
    document_id,
    evidence_id,
    chart
from charts
where bars between 2 and 4
order by claim_id, result_id
