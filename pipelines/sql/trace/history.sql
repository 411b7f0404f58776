-- Other values of the benchmark of each result, and their relation to it.
-- grain: one row per result and value of its benchmark
with history as (
    select
        h.*,
        coalesce(h.sdk_order, []) as release,
        list({ 'result_id': r.result_id, 'path': d.path, 'line': r.line } order by d.path, r.line) as results
    from main.result_history as h
    inner join resolved.results as r
        on h.benchmark_key = r.benchmark_key and h.sdk_order is not distinct from r.sdk_order and h.value = r.value
    inner join raw.documents as d on r.document_id = d.document_id
    where h.benchmark_key in (
            select o.benchmark_key from resolved.results as o
            where o.result_id in (select unnest($1))
        )
    group by all
)

select
    r.result_id as traced_id,
    case
        when own.status is null then ''
        when own.release = h.release and own.value = h.value then 'this value'
        when own.release < h.release then 'superseded by'
        when own.release > h.release then 'supersedes'
        when 'conflicting' in (own.status, h.status) then 'conflicts with'
        when own.status = 'replaced' and h.stands_in_release then 'replaced by'
        when h.status = 'replaced' then 'replaces'
        when h.stands_in_release then 'restated as'
        else 'restates'
    end as relation,
    h.sdk_version, h.value, h.unit, h.status, h.stands, h.first_published_on, h.last_published_on,
    h.first_captured_on, h.last_captured_on, h.results
from resolved.results as r
inner join history as h on r.benchmark_key = h.benchmark_key
left join history as own
    on r.benchmark_key = own.benchmark_key and r.sdk_order is not distinct from own.sdk_order and r.value = own.value
where r.result_id in (select unnest($1))
order by
    r.result_id asc,
    h.sdk_order desc nulls last,
    h.last_published_on desc nulls last,
    h.last_captured_on desc,
    h.value asc
