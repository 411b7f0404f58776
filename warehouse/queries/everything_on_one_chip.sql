-- What is published of the H100, in all its forms?
-- Check chip: SXM, PCIe and NVL are different chips, and `H100` is one whose form the page does not print.
select
    chip,
    platform,
    model,
    task,
    metric,
    statistic,
    value,
    unit,
    chips,
    precision,
    batch_size,
    scenario,
    sdk_version,
    publisher,
    last_published_on
from main.current_results
where chip like 'H100%'
order by model, task, metric, statistic, chip, chips, value, benchmark_key
