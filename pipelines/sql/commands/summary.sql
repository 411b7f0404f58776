-- Counts of a warehouse for the end of a build; losses are rejects other than sentences.
-- grain: one row per warehouse
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
    (select count(*) from audit.closed_rejects) as closed_rejects,
    (select count(*) from audit.unresolved_names) as unresolved_names,
    (select count(*) from audit.conflicts) as conflicts
