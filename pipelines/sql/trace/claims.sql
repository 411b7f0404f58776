-- The claims in the sections of configurations.
-- grain: one row per configuration and claim of its section
select
    o.configuration_id as traced_id,
    c.*
from resolved.configurations as o
inner join resolved.claims as c on o.document_id = c.document_id and o.section_line = c.section_line
where o.configuration_id in (select unnest($1::varchar[]))
order by c.line, c.metric
