-- The results that stood on a day: what main.current_results would have been, had the ledger ended with that day.
-- grain: one row per benchmark
create macro main.results_as_of(day) as table (
    with printed as (
        select
            r.*,
            d.source,
            d.snapshot_at,
            r.extractor <> 'results_page'
            or d.snapshot_at = max(d.snapshot_at) over (partition by d.source, r.extractor) as is_latest,
            case
                when r.extractor in ('training_log', 'program_log') then 1
                when r.extractor = 'results_page' then 2
                when r.extractor = 'chart_deck' then 3
                when r.extractor = 'claim_prose' then 4
                else 5
            end as distance
        from resolved.results as r
        inner join raw.sightings as d on r.document_id = d.document_id
        where d.snapshot_on <= day::date -- noqa: RF02
    ),

    dated as (
        select
            *,
            max(snapshot_at) over (partition by benchmark_key, sdk_order, source) as last_snapshot_at,
            bool_or(is_latest) over (partition by benchmark_key, sdk_order) as is_printed_now
        from printed
        where correction_action is distinct from 'drop'
    ),

    valued as (
        select
            benchmark_key,
            sdk_order,
            max(snapshot_at) filter (where snapshot_at = last_snapshot_at) as held_on,
            min(distance) filter (where snapshot_at = last_snapshot_at) as distance,
            list(distinct document_id order by document_id) as document_ids,
            arg_min(result_id, (-epoch(snapshot_at), distance, document_id, line, result_id)) as result_id
        from dated
        where is_printed_now
        group by benchmark_key, sdk_order, value
        having bool_or(snapshot_at = last_snapshot_at)
    ),

    standing as (
        select *
        from valued
        qualify row_number() over (
                partition by benchmark_key
                order by sdk_order desc nulls last, held_on desc, distance asc, document_ids asc, result_id asc
            ) = 1
    )

    select
        r.*,
        len(s.document_ids) as documents
    from standing as s
    inner join resolved.results as r on s.result_id = r.result_id
    order by r.benchmark_key
)
