-- Which systems had their power measured, and how many joules does an item take?
-- Check scenario and item: the measured power is that of the whole system, with its host.
select
    e.model,
    e.item,
    e.scenario,
    e.platform,
    e.chips,
    e.suite,
    round(e.value, 1) as value,
    e.unit,
    round(e.power_w, 0) as measured_w,
    round(e.joules_per_item, 5) as joules_per_item,
    e.power_source,
    e.result_id
from main.energy as e
where e.power_basis = 'measured'
order by e.model, e.item, e.scenario, joules_per_item, e.result_id
