-- Configurations to be traced.
-- grain: one row per configuration
select * from resolved.configurations
where configuration_id in (select unnest($1::varchar[]))
