-- Claims and their verdicts in a build, or until the day $1, for comparing two of them.
-- grain: one row per claim
select
    c.claim_id, c.verdict, r.text_printed, c.model, c.subject_platform as platform, c.metric, c.publisher, c.sentence,
    d.edition, c.reason
from main.claims as c
inner join resolved.claims as r on c.claim_id = r.claim_id
inner join raw.documents as d on c.document_id = d.document_id
where
    $1::date is null
    -- A verdict is that of today: it may rest on numbers that were printed later than the claim.
    or c.document_id in (
        select s.document_id from raw.sightings as s
        where s.snapshot_on <= $1::date
    )
order by c.claim_id
