-- Which claims do the numbers bear out, which do they not, and what is missing for the others?
-- Look at recomputed_low to recomputed_high: null means that no pair of numbers could be formed.
-- break_even is where a claim that rests on a price or on linear scaling stops holding.
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
