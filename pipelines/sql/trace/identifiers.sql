-- Rows whose identifier begins with the text $1, or with a text that differs in up to $2 characters.
-- grain: one row per traceable row
with ids as (
    select 'result' as kind, result_id as id, concat_ws(' ', model, platform, metric, value, unit) as what
    from resolved.results
    union all
    select 'claim' as kind, claim_id as id, concat_ws(' ', text_printed, metric, model, subject_platform) as what
    from resolved.claims
    union all
    select 'run' as kind, run_id as id, concat_ws(' ', accelerator_count, accelerator, 'batch', batch_size) as what
    from resolved.training_runs
    union all
    select 'configuration' as kind, configuration_id as id, concat_ws(' ', role, platform, model) as what
    from resolved.configurations
    union all
    select 'evidence' as kind, evidence_id as id, text_printed as what
    from resolved.evidence
)

select
    kind,
    id,
    what
from ids
where starts_with(id, $1) or ($2 > 0 and damerau_levenshtein(left(id, length($1)), $1) <= $2)
order by if($2 > 0, damerau_levenshtein(left(id, length($1)), $1), 0), if($2 > 0, id, kind), id, kind
