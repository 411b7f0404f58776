-- Rows whose evidence or document is not in the warehouse.
select 'results' as table_name, r.result_id as id
from resolved.results as r
left join resolved.evidence as e on r.evidence_id = e.evidence_id
left join raw.documents as d on r.document_id = d.document_id
where e.evidence_id is null or d.document_id is null
union all
select 'claims' as table_name, c.claim_id as id
from resolved.claims as c
left join resolved.evidence as e on c.evidence_id = e.evidence_id
where e.evidence_id is null
union all
select 'training_runs' as table_name, t.run_id as id
from resolved.training_runs as t
left join resolved.evidence as e on t.evidence_id = e.evidence_id
where e.evidence_id is null
union all
select 'result_conditions' as table_name, c.result_id as id
from resolved.result_conditions as c
left join resolved.evidence as e on c.evidence_id = e.evidence_id
where e.evidence_id is null and c.level not in ('mapping', 'vocabulary')
