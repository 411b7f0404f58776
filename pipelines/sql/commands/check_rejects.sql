-- What is not read of a file, with what to give where a model or a platform is missing.
-- grain: one row per rule and reason
with refused as (
    select
        line,
        rule,
        reason
    from extracted.rejects
    union all
    select
        line,
        rule,
        reason
    from internal.refused
)

select
    coalesce(min(line), 1) as line,
    count(*) as places,
    rule,
    if(
        rule = 'no_subject',
        split_part(reason, ': add ', 1) || ': give --model or --platform',
        reason
    ) as reason
from refused
group by all
order by all
