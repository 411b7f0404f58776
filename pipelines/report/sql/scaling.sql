-- How results grow with the number of accelerators, against the smallest system.
-- grain: one row per benchmark, larger system and batch size
select
    s.*,
    s.platform_to as platform,
    s.accelerators_to / s.accelerators_from as times_accelerators,
    round(100 * s.efficiency)::int as percent_of_linear,
    r.vendor
from main.scaling as s
inner join resolved.results as r on s.result_id_to = r.result_id
where s.is_from_smallest
order by s.model, s.result_id_from, s.accelerators_to, s.result_id_to
