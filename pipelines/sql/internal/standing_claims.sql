-- Claims and their verdicts, for comparing two builds.
-- grain: one row per claim
select
    c.claim_id, c.verdict, r.text_printed, c.model, c.subject_platform as platform, c.metric, c.publisher, c.sentence,
    d.edition, c.reason
from main.claims as c
inner join resolved.claims as r on c.claim_id = r.claim_id
inner join raw.documents as d on c.document_id = d.document_id
order by c.claim_id
