-- Configurations in documents, each with its section.
-- grain: one row per configuration
select * from resolved.configurations
where document_id in (select unnest($1::varchar[])) and section_line is not null
order by line asc, role desc
