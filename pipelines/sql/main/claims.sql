-- Every claim with its verdict and the reason.
-- grain: one row per claim
select
    c.claim_id,
    d.publisher,
    d.source,
    d.published_on,
    c.document_id,
    c.line,
    c.task,
    c.model,
    c.subject_platform,
    c.baseline_platform,
    c.baseline_sdk_version,
    c.metric,
    c.statistic,
    c.factor,
    c.bound,
    c.factor_low,
    c.factor_high,
    v.verdict,
    v.grade,
    v.interpretation,
    v.recomputed_low,
    v.recomputed_high,
    v.reason,
    v.differences,
    v.nearest_low,
    v.nearest_high,
    v.nearest_differences,
    v.assumption,
    v.assumed_value,
    v.assumption_unit,
    v.break_even,
    c.conditions,
    c.sentence,
    c.edition,
    c.is_paraphrase,
    v.inputs,
    v.method_version
from resolved.claims as c
inner join raw.documents as d on c.document_id = d.document_id
inner join audit.claim_verdicts as v on c.claim_id = v.claim_id
order by d.published_on, d.source, c.line, c.factor, c.claim_id
