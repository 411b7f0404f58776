-- Every claim with its verdict: those first that are not borne out.
-- grain: one row per claim
select
    c.claim_id,
    c.publisher,
    c.source,
    c.published_on,
    d.snapshot_at,
    d.title,
    c.line,
    c.task,
    c.model,
    c.subject_platform,
    c.baseline_platform,
    coalesce(
        c.baseline_platform, 'SDK ' || c.baseline_sdk_version, 'the ' || c.baseline_round || ' round'
    ) as baseline,
    c.metric,
    c.factor,
    c.factor_low,
    c.factor_high,
    c.bound,
    c.verdict,
    c.recomputed_low,
    c.recomputed_high,
    c.reason,
    c.differences,
    c.assumption,
    c.assumed_value,
    c.assumption_unit,
    c.break_even,
    c.sentence,
    c.is_paraphrase,
    r.text_printed,
    r.evidence_id,
    p.vendor
from main.claims as c
inner join resolved.claims as r on c.claim_id = r.claim_id
inner join raw.documents as d on c.document_id = d.document_id
left join resolved.names as p
    on
    p.kind = 'platforms'
    and r.subject_printed = p.name_printed
    and r.suite is not distinct from p.suite
order by
    list_position(['contradicted', 'confirmed', 'consistent', 'not_checkable'], c.verdict) asc,
    c.published_on desc nulls last,
    c.source asc,
    c.line asc,
    c.factor asc,
    c.claim_id asc
