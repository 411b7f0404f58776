-- Warnings in words: lost content first, then content without a mapping.
-- grain: one row per warning
with lost as (
    select
        1 as number,
        source || ' lost ' || results_lost || ' of ' || results_before || ' benchmarks on ' || snapshot_at::date
        || '; audit.snapshot_events lists them' as words,
        source as place
    from audit.snapshots
    where is_latest and lost_too_many
),

faulty as (
    select
        2 as number,
        reason || '; ' || count(*) || if(count(*) = 1, ' document was', ' documents were') || ' not read' as words
    from audit.rejects
    where rule = 'mapping_error'
    group by reason
),

unread as (
    select
        2 as number,
        format(
            '{}: {:,} table{}: benchledger map {}',
            d.source,
            count(*),
            case
                when r.rule = 'no_mapping' then if(count(*) = 1, ' has no mapping', 's have no mapping')
                else if(count(*) = 1, ' is refused', 's are refused')
            end,
            d.source
        ) as words
    from audit.rejects as r
    inner join raw.documents as d on r.document_id = d.document_id
    where source_format(r.extractor).takes_mapping and r.scope = 'table'
    group by d.source, r.rule = 'no_mapping'
),

-- Who owns a result is defined in docs/how-it-works.md.
third_party as (
    select
        3 as number,
        format(
            '{}: {:,} result{} third party: the maker of the platform is {}, '
            || 'whose own results of the benchmark are {}',
            d.source,
            count(*),
            if(count(*) = 1, ' is', 's are'),
            coalesce(r.maker, 'unknown'),
            case
                when o.publisher is null then 'no longer printed'
                when lower(o.publisher) = lower(r.maker) then 'in the ledger'
                else 'not in the ledger; ' || o.publisher || ' printed it first'
            end
        ) as words
    from main.result_history as h
    inner join resolved.results as r on h.result_id = r.result_id
    inner join raw.documents as d on r.document_id = d.document_id
    left join main.current_results as o on h.benchmark_key = o.benchmark_key
    where h.status = 'third_party'
    group by d.source, o.publisher, r.maker
),

warnings as (
    select * from lost
    union all
    select
        *,
        words as place
    from faulty
    union all
    select
        *,
        words as place
    from unread
    union all
    select
        *,
        words as place
    from third_party
)

select words from warnings
order by number, place
