-- Checks of a printed number against others that determine it, such as throughput times latency against the batch size.
-- grain: one row per check and printed number
with checked as (
    select * from internal.rate_relations
    union all
    select * from internal.chart_relations
    union all
    select * from internal.run_relations
    union all
    select * from internal.log_table_relations
    union all
    select * from internal.curve_relations
    union all
    select * from internal.scaling_relations
    union all
    select * from internal.claim_relations
    union all
    select * from internal.list_relations
    union all
    select * from internal.score_relations
    union all
    select * from internal.serving_relations
    union all
    select * from internal.repeated_number_relations
    union all
    select * from internal.release_relations
    union all
    select * from internal.column_relations
    union all
    select * from internal.count_relations
    union all
    select * from internal.entry_relations
    union all
    select * from internal.note_relations
)

select
    substr(sha256(concat_ws('|', check_name, evidence_id, array_to_string(inputs, ','))), 1, 16) as relation_id,
    check_name,
    document_id,
    evidence_id,
    line,
    holds,
    expected_low,
    expected_high,
    printed,
    unit,
    inputs,
    reason
from checked
order by document_id, line, check_name, evidence_id, inputs
