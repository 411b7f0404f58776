-- How many relations between printed numbers were checked, and how many hold?
-- Check relations_failed and relations_checked together: 0 failures are meaningless without checks.
select
    r.check_name,
    documents.source,
    count(*) as relations_checked,
    count(*) filter (where r.holds) as relations_held,
    count(*) filter (where not r.holds) as relations_failed
from audit.relations as r
inner join raw.documents as documents on r.document_id = documents.document_id
group by r.check_name, documents.source
order by r.check_name, documents.source
