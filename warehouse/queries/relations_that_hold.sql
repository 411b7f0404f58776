-- How many relations between printed numbers were checked, and how many hold?
-- Look at relations_failed against relations_checked: a check that never fails and one that never runs look alike.
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
