-- Throughput on more accelerators against fewer: the efficiency is at most 1.
-- grain: one row per relation and printed number
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=AL05,RF01,RF02,RF03
with tolerance as (
    select
        -- Caches that hold a larger share and batches that fill the devices better give a little more than linear.
        0.05 as share
),

-- `IPU-POD64` names its own count; any other difference of names is another device.
named as (
    select
        *,
        case
            when ends_with(platform, accelerator_count::varchar)
                then left(platform, -len(accelerator_count::varchar))
            else platform
        end as family
    from resolved.results
),

counted as (
    select
        document_id,
        evidence_id,
        line,
        accelerator_count,
        batch_size,
        value,
        value_low,
        value_high,
        value_printed,
        unit,
        unit_printed,
        hash(
            row(
                section,
                family,
                item,
                list_filter(
                    identity_entries(n),
                    lambda entry: entry.key not in ('platform', 'accelerator_count', 'batch_size')
                )
            )
        ) as series
    from named as n
    where
        metric = 'throughput'
        and accelerator_count is not null
        and model is not null
        and platform is not null
        and bound = 'eq'
        and value > 0
        -- A large language model may fit well into the memory of many devices and hardly into that of a few.
        and not (task = 'inference' and coalesce(item, '') like '%token%')
),

-- The batch is tuned with the size of the system. Where one size is printed with several, only equal ones compare.
batched as (
    select
        *,
        count(*) over (partition by document_id, series, accelerator_count) as rows_of_count
    from counted
),

curves as (
    select
        *,
        case when max(rows_of_count) over (partition by document_id, series) > 1 then batch_size end as curve_batch_size
    from batched
),

smaller as (
    select
        *,
        lag(accelerator_count) over curve as smaller_count,
        lag(value) over curve as smaller_value,
        lag(value_low) over curve as smaller_low,
        lag(value_high) over curve as smaller_high,
        lag(value_printed) over curve as smaller_printed,
        lag(line) over curve as smaller_line,
        lag(evidence_id) over curve as smaller_evidence_id
    from curves
    window curve as (partition by document_id, series, curve_batch_size order by accelerator_count, line)
),

compared as (
    select
        s.*,
        s.accelerator_count / s.smaller_count as ratio,
        t.share
    from smaller as s
    cross join tolerance as t
    where s.smaller_count < s.accelerator_count
)

select
    'scaling_efficiency' as check_name,
    document_id,
    evidence_id,
    line,
    value_low <= smaller_high * ratio * (1 + share) as holds,
    0.0 as expected_low,
    smaller_high * ratio * (1 + share) as expected_high,
    value as printed,
    unit,
    [smaller_evidence_id] as inputs,
    format(
        '{} {} on {} accelerators are {:.2f} times the {} of line {} on {}, an efficiency of {:.2f}',
        value_printed,
        coalesce(unit_printed, unit),
        accelerator_count,
        value / smaller_value,
        smaller_printed,
        smaller_line,
        smaller_count,
        value / smaller_value / ratio
    ) as reason
from compared
order by document_id, line, evidence_id
