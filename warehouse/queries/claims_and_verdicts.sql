-- Which claims do the numbers confirm or contradict, and what is missing for the others?
-- Check recomputed_low to recomputed_high: null means that no pair of numbers was found.
-- break_even is the price, or the scaling efficiency, at which the claim no longer holds.
select
    publisher,
    source,
    line,
    model,
    subject_platform,
    baseline_platform,
    metric,
    factor,
    bound,
    verdict,
    recomputed_low,
    recomputed_high,
    reason,
    assumption,
    break_even,
    assumption_unit
from main.claims
order by verdict, published_on, source, line, factor, model
