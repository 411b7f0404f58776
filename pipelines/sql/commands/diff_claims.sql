-- Differences between the verdicts of claims before and after; contradicted claims first.
-- grain: one row per claim with a new or changed verdict, or withdrawn
select
    coalesce(a.verdict, 'withdrawn') as verdict,
    b.verdict as verdict_before,
    coalesce(a.text_printed, b.text_printed) as claim,
    coalesce(a.model, b.model) as model,
    coalesce(a.platform, b.platform) as platform,
    coalesce(a.metric, b.metric) as metric,
    coalesce(a.publisher, b.publisher) as publisher,
    coalesce(a.sentence, b.sentence) as sentence,
    coalesce(a.edition, b.edition) as edition,
    coalesce(a.reason, b.reason) as reason,
    coalesce(a.claim_id, b.claim_id) as claim_id
from after as a
full outer join before as b on a.claim_id = b.claim_id
where a.verdict is distinct from b.verdict
order by
    list_position(
        ['contradicted', 'confirmed', 'consistent', 'not_checkable', 'withdrawn'], coalesce(a.verdict, 'withdrawn')
    ),
    model, platform, metric, claim_id
