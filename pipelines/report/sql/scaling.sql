-- How results grow with the number of accelerators, against the smallest system.
-- grain: one row per benchmark, larger system and batch size
select
    s.*,
    r.vendor
from main.scaling as s
inner join resolved.results as r on s.result_id_to = r.result_id
order by s.model, s.result_id_from, s.accelerators_to, s.result_id_to
