-- Models and platforms of a file that no vocabulary knows.
-- grain: one row per kind and printed name
select
    kind,
    name_printed,
    suggestion
from resolved.names
where name is null and kind in ('models', 'platforms')
group by all
order by all
