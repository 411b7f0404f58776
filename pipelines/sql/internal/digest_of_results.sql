-- What two builds are compared by: how many results are current, and a fingerprint of them.
-- grain: one row per warehouse
select
    count(*) as results,
    coalesce(
        sum(
            hash(
                c.benchmark_key, c.model, c.platform, c.task, c.metric, c.sdk_version, c.value, c.unit
            )::hugeint
        ),
        0
    )::varchar as digest
from main.current_results as c
