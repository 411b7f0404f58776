-- Counts of a warehouse for the end of a build, with the words behind each, null for losses.
-- grain: one row per count
with counted as (
    select
        (select count(*) from raw.documents) as documents,
        (select count(*) from raw.sources) as sources,
        (select count(distinct lower(publisher)) from raw.documents) as publishers,
        (select count(*) from resolved.results) as results,
        (select count(distinct vendor) from resolved.results) as vendors,
        (
            select count(*) from (
                select distinct
                    vendor,
                    sdk_order
                from resolved.results
                where sdk_version is not null
            ) as printed
        ) as releases,
        (select count(*) from main.current_results) as current_results,
        (select count(*) from resolved.claims) as claims,
        (select count(*) from resolved.training_epochs) as epochs,
        (select count(*) from resolved.training_runs) as runs,
        (select count(*) from audit.rejects) as rejects,
        (
            select count(*) from audit.rejects
            where scope in ('document', 'page', 'table', 'row')
        ) as losses,
        (
            select count(*) from audit.snapshots
            where is_latest and lost_too_many
        ) as lost_sources,
        (select count(*) from audit.closed_rejects) as closed_rejects,
        (select count(*) from audit.unresolved_names) as unresolved_names,
        (select count(*) from audit.conflicts) as conflicts
),

counts as (
    select
        1 as number,
        'documents' as name,
        documents as count,
        format(
            'document{} of {:,} source{}, by {:,} publisher{}', if(documents = 1, '', 's'), sources,
            if(sources = 1, '', 's'), publishers, if(publishers = 1, '', 's')
        ) as words,
        false as is_fault
    from counted
    union all
    select
        2 as number,
        'results' as name,
        results as count,
        format(
            'result{}, {:,} current; {:,} vendor{}, {:,} release{}', if(results = 1, '', 's'), current_results, vendors,
            if(vendors = 1, '', 's'), releases, if(releases = 1, '', 's')
        ) as words,
        false as is_fault
    from counted
    union all
    select
        3 as number,
        'claims' as name,
        claims as count,
        if(claims = 1, 'claim', 'claims') as words,
        false as is_fault
    from counted
    union all
    select
        4 as number,
        'epochs' as name,
        epochs as count,
        format(
            'epoch{} in {:,} training run{}', if(epochs = 1, '', 's'), runs, if(runs = 1, '', 's')
        ) as words,
        false as is_fault
    from counted
    union all
    select
        5 as number,
        'conflicts' as name,
        conflicts as count,
        if(conflicts = 1, 'conflict', 'conflicts') as words,
        conflicts > 0 as is_fault
    from counted
    union all
    select
        6 as number,
        'unresolved_names' as name,
        unresolved_names as count,
        if(unresolved_names = 1, 'unresolved name', 'unresolved names') as words,
        unresolved_names > 0 as is_fault
    from counted
    union all
    select
        7 as number,
        'rejects' as name,
        rejects as count,
        format(
            'reject{}, {} of them documents, pages, tables or rows{}', if(rejects = 1, '', 's'), losses,
            case
                when closed_rejects = 1 then '; 1 earlier one has closed'
                when closed_rejects > 1 then format('; {:,} earlier ones have closed', closed_rejects)
                else ''
            end
        ) as words,
        rejects > 0 as is_fault
    from counted
    union all
    select
        8 as number,
        'losses' as name,
        -- Rejects but those of sentences, and sources whose latest snapshot lost too much.
        losses + lost_sources as count,
        null as words,
        false as is_fault
    from counted
)

select
    name,
    count,
    words,
    is_fault
from counts
order by number
