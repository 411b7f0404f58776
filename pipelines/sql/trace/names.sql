-- What the vocabularies say of printed names.
-- grain: one row per vocabulary, printed name and suite
select * from resolved.names
where name_printed in (select unnest($1::varchar[]))
