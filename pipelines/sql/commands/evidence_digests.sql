-- What is said of the places of each document; it changes with how the document is read, and any row that points at it.
-- grain: one row per document with evidence, and one without document_id for rows that point at no evidence
with said as (
    select evidence_id, hash(results) as digest from resolved.results
    union all
    select evidence_id, hash(result_conditions) as digest from resolved.result_conditions
    where evidence_id is not null
    union all
    select evidence_id, hash(claims) as digest from resolved.claims
    union all
    select evidence_id, hash(training_runs) as digest from resolved.training_runs
    union all
    select evidence_id, hash(training_epochs) as digest from resolved.training_epochs
    union all
    select evidence_id, hash(prices) as digest from resolved.prices
    union all
    select evidence_id, hash(configurations) as digest from resolved.configurations
    union all
    select evidence_id, hash(submissions) as digest from resolved.submissions
    union all
    -- A drawn value is printed nowhere.
    select evidence_id, hash(chart_values) as digest from resolved.chart_values
    where evidence_id is not null
    union all
    select evidence_id, hash(evidence) as digest from resolved.evidence
)

select
    e.document_id,
    concat_ws(' ', min(d.path), min(d.format), min(d.charset), count(*), sum(s.digest::hugeint)) as digest
from said as s
left join resolved.evidence as e on s.evidence_id = e.evidence_id
left join raw.documents as d on e.document_id = d.document_id
group by e.document_id
order by e.document_id nulls first
