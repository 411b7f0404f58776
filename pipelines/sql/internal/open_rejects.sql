-- Rejects of this build, each with the time of the first build that refused it.
-- grain: one row per reject
with placed as (
    select r.* replace (coalesce(r.path, d.path) as path)
    from internal.refused_now as r
    left join raw.documents as d on r.document_id = d.document_id
),

worded as (
    select
        *,
        reject_text(coalesce(document_id, path), line, char_start, extractor, rule, row_json) as text
    from placed
),

-- The same thing refused twice at one place, as far as can be told, is counted.
identified as (
    select
        *,
        row_number() over (partition by text order by path, char_end, reason, scope, row_json) as number,
        substr(sha256(text || ' ' || number), 1, 16) as reject_id
    from worded
)

select
    i.reject_id,
    i.document_id,
    i.path,
    i.line,
    i.char_start,
    i.char_end,
    i.extractor,
    i.rule,
    i.reason,
    i.scope,
    i.row_json,
    coalesce(f.first_seen, getvariable('build_time')) as first_seen
from identified as i
left join internal.former_rejects as f on i.reject_id = f.reject_id
order by
    coalesce(i.path, ''),
    coalesce(i.line, 0),
    coalesce(i.char_start, 0),
    i.rule,
    i.reason,
    coalesce(i.row_json, ''),
    i.reject_id
