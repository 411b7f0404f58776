-- Rejects by rule: count, and place and text of the first one; for whole documents and empty lines the reason.
-- grain: one row per rule
with numbered as (
    select
        rule,
        concat_ws(', line ', path, line) as place,
        case when scope = 'document' then reason else coalesce(nullif(row_json, '[""]'), reason) end as text,
        row_number() over (partition by rule order by path nulls last, line, text) as number,
        count(*) over (partition by rule) as rejects
    from audit.rejects
)

select
    rule,
    rejects,
    place as example,
    case when length(text) > 120 then text[:117] || '...' else text end as text
from numbered
where number = 1
order by rejects desc, rule asc
