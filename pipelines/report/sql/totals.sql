-- What the ledger holds, in figures, for the start page.
-- grain: one row per warehouse
select
    (select count(*) from raw.documents) as documents,
    (select count(distinct lower(publisher)) from raw.documents) as publishers,
    (select count(*) from resolved.results) as results,
    (select count(*) from main.current_results) as current_results,
    (select count(distinct model) from main.current_results) as models,
    (select count(distinct platform) from main.current_results) as platforms,
    (select count(*) from main.claims) as claims,
    (select count(*) from audit.relations) as relations,
    (select count(*) from audit.discrepancies) as discrepancies,
    (select count(*) from audit.conflicts) as conflicts,
    (select count(*) from audit.rejects) as rejects,
    (select sum(numerals) from audit.coverage) as numerals,
    (select sum(numerals_unparsed) from audit.coverage) as numerals_unparsed,
    (select max(published_on) from raw.documents) as last_published_on,
    (select max(retrieved_at) from raw.documents) as last_retrieved_at
