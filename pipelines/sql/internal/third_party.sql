-- Results that other publishers than the maker of the platform print, in words, against the published file.
-- grain: one row per maker, publisher and way in which its owner prints them
with newest as (
    select
        document_id,
        publisher
    from raw.documents
    qualify snapshot_at = max(snapshot_at) over (partition by source)
),

printed as (
    select distinct
        r.benchmark_key,
        r.maker,
        n.publisher
    from resolved.results as r
    inner join newest as n on r.document_id = n.document_id
    where lower(r.maker) <> lower(n.publisher)
),

-- The maker owns what it prints; else whoever has printed it first.
owned as (
    select
        p.benchmark_key,
        p.maker,
        p.publisher,
        coalesce(bool_or(lower(f.publisher) = lower(p.maker)), false) as is_makers,
        min(f.publisher) filter (where lower(f.publisher) <> lower(p.maker)) as other_publisher
    from printed as p
    left join internal.former_values as f
        on p.benchmark_key = f.benchmark_key and lower(p.publisher) <> lower(f.publisher)
    group by p.benchmark_key, p.maker, p.publisher
),

counted as (
    select
        maker,
        is_makers,
        case when not is_makers then other_publisher end as owner,
        count(*) as results
    from owned
    group by all
)

select
    format(
        '{:,} result{} third party: the maker of the platform is {}, whose own results of the benchmark are {}',
        results,
        if(results = 1, ' is', 's are'),
        maker,
        case
            when is_makers then 'in the ledger'
            when owner is null then 'not in the ledger; these become current'
            else format('not in the ledger; {} prints it, and the first publisher is current', owner)
        end
    ) as words
from counted
order by results desc, words asc
