-- Tables of the newest page of a source that are refused whole, and entries of its mapping that have no table.
-- grain: one row per source
with newest as (
    select
        source,
        document_id
    from raw.sightings
    qualify snapshot_at = max(snapshot_at) over (partition by source)
),

refused as (
    select
        n.source,
        x.rule || ': ' || x.reason as reason,
        min(x.line) as line
    from audit.rejects as x
    inner join newest as n on x.document_id = n.document_id
    where
        x.rule = 'mapping_error'
        or (source_format(x.extractor).takes_mapping and (x.scope = 'table' or x.rule = 'section_gone'))
    group by all
)

select
    source,
    list(reason order by line, reason) as reasons
from refused
group by source
order by source
