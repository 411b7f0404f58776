-- Relations between printed numbers that do not hold: each fact once, at the latest document that prints it.
-- grain: one row per source, check and printed numbers
with known as (
    select
        evidence_id,
        min(correction) as correction
    from resolved.results
    where correction is not null
    group by evidence_id
),

failing as (
    select
        r.*,
        d.source,
        d.snapshot_at,
        e.text_printed,
        k.correction
    from audit.relations as r
    inner join raw.documents as d on r.document_id = d.document_id
    inner join resolved.evidence as e on r.evidence_id = e.evidence_id
    left join known as k on r.evidence_id = k.evidence_id
    where not r.holds
),

compared as (
    select
        i.relation_id,
        list(e.text_printed order by e.text_printed) as texts
    from (
        select
            relation_id,
            unnest(inputs) as input
        from failing
    ) as i
    left join resolved.evidence as e on i.input = e.evidence_id
    group by i.relation_id
),

-- Snapshots move a row, and tables around it grow: what stays of a fact are its own numbers. Where one document prints
-- the same numbers twice, these are two facts.
numbered as (
    select
        f.*,
        c.texts,
        row_number() over (
            partition by f.document_id, f.check_name, f.text_printed, c.texts order by f.line, f.evidence_id, f.inputs
        ) as occurrence
    from failing as f
    left join compared as c on f.relation_id = c.relation_id
),

facts as (
    select
        max(correction) as known_error,
        list(document_id order by snapshot_at, document_id) as document_ids,
        arg_max(relation_id, (snapshot_at, document_id, relation_id)) as relation_id
    from numbered
    group by source, check_name, text_printed, texts, occurrence
)

select
    r.relation_id,
    r.check_name,
    r.document_id,
    r.evidence_id,
    r.line,
    r.expected_low,
    r.expected_high,
    r.printed,
    r.unit,
    r.inputs,
    r.reason,
    f.known_error,
    len(f.document_ids) as documents,
    f.document_ids,
    f.document_ids[1] as first_document_id
from facts as f
inner join audit.relations as r on f.relation_id = r.relation_id
order by r.document_id, r.line, r.check_name, r.evidence_id, r.inputs
