-- The configurations in the sections of claims.
-- grain: one row per claim and configuration of its section
select
    c.claim_id as traced_id,
    o.*
from resolved.claims as c
inner join resolved.configurations as o on c.document_id = o.document_id and c.section_line = o.section_line
where c.claim_id in (select unnest($1::varchar[]))
order by o.line asc, o.role desc
