-- Claims in documents, each with its section.
-- grain: one row per claim
select * from resolved.claims
where document_id in (select unnest($1::varchar[])) and section_line is not null
order by line, metric
