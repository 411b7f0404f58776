-- Snapshots with a refused table: missing results may still be printed in it.
-- grain: one row per source and snapshot
select distinct
    s.source,
    s.snapshot_at
from raw.sightings as s
inner join extracted.rejects as x on s.document_id = x.document_id
where
    source_format(x.extractor).is_republished_whole
    and (
        (x.scope = 'table' and x.rule <> 'section_gone')
        -- Several documents may share a mapping: a section is gone where none of them has it.
        or (
            x.rule = 'section_gone'
            and not exists (
                select 1
                from raw.sightings as o
                inner join resolved.results as r on o.document_id = r.document_id
                anti join extracted.rejects as g
                    on o.document_id = g.document_id and g.rule = 'section_gone' and x.reason = g.reason
                where
                    source_format(r.extractor).is_republished_whole
                    and o.source = s.source
                    and o.snapshot_on = s.snapshot_on
            )
        )
    )
