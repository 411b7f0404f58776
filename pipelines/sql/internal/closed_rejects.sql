-- Rejects of earlier builds that this one does not refuse.
-- grain: one row per reject
select
    f.* replace (
        coalesce(f.closed_at, getvariable('build_time')) as closed_at,
        coalesce(
            f.closed_because,
            case
                when f.extractor <> 'store' and f.document_id is not null and d.document_id is null
                    then 'document_removed'
                else 'no_longer_refused'
            end
        ) as closed_because
    )
from internal.former_rejects as f
left join raw.documents as d on f.document_id = d.document_id
anti join audit.rejects as r on f.reject_id = r.reject_id
order by closed_at, coalesce(f.path, ''), coalesce(f.line, 0), f.reject_id
