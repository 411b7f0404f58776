-- The current results on a given date: main.current_results from the documents up to that date.
-- grain: one row per benchmark
create or replace macro main.results_as_of(day) as table (
    -- As internal.refused_snapshots has it.
    with refused as (
        select distinct
            s.source,
            s.snapshot_at
        from raw.sightings as s
        inner join audit.rejects as x on s.document_id = x.document_id
        where
            x.extractor = 'results_page'
            and (
                (x.scope = 'table' and x.rule <> 'section_gone')
                or (
                    x.rule = 'section_gone'
                    and not exists (
                        select 1
                        from raw.sightings as o
                        inner join resolved.results as r on o.document_id = r.document_id
                        anti join audit.rejects as g
                            on o.document_id = g.document_id and g.rule = 'section_gone' and x.reason = g.reason
                        where r.extractor = 'results_page' and o.source = s.source and o.snapshot_on = s.snapshot_on
                    )
                )
            )
    ),

    submitted as (
        select
            result_id,
            min(submitter) as submitter
        from resolved.training_runs
        where result_id is not null
        group by result_id
    ),

    printed as (
        select
            r.*,
            d.source,
            p.publisher,
            coalesce(s.submitter, p.publisher) as measured_by,
            d.snapshot_at,
            r.extractor <> 'results_page'
            or d.snapshot_at >= coalesce(
                max(d.snapshot_at) filter (where x.source is null) over (partition by d.source, r.extractor),
                d.snapshot_at
            ) as is_latest,
            case
                when r.extractor in ('training_log', 'program_log', 'mlperf_training') then 1
                when r.extractor = 'results_page' then 2
                when r.extractor = 'slides' then 3
                when r.extractor = 'claim_prose' then 4
                else 5
            end as distance
        from resolved.results as r
        inner join raw.sightings as d on r.document_id = d.document_id
        inner join raw.documents as p on r.document_id = p.document_id
        left join submitted as s on r.result_id = s.result_id
        left join refused as x on d.source = x.source and d.snapshot_at = x.snapshot_at
        where d.snapshot_on <= day::date and r.correction_action is distinct from 'drop' -- noqa: RF02
    ),

    publishers as (
        select distinct
            result_id,
            publisher,
            measured_by
        from printed
    ),

    owned as (
        select
            *,
            lower(coalesce(
                max(publisher) filter (where lower(publisher) = lower(vendor)) over (partition by benchmark_key),
                first_value(publisher) over (partition by benchmark_key order by snapshot_at, document_id)
            )) in (lower(publisher), lower(measured_by)) as is_own
        from printed
    ),

    dated as (
        select
            *,
            max(snapshot_at) over (partition by benchmark_key, sdk_order, source) as last_snapshot_at,
            bool_or(is_latest) over (partition by benchmark_key, sdk_order, is_own) as is_printed_now,
            is_own = bool_or(is_own) over (partition by benchmark_key, sdk_order, value) as counts
        from owned
    ),

    valued as (
        select
            benchmark_key,
            sdk_order,
            bool_or(is_own) as is_own,
            bool_or(snapshot_at = last_snapshot_at and counts) as holds,
            bool_or(is_printed_now and counts) as is_printed_now,
            max(snapshot_at) filter (where snapshot_at = last_snapshot_at and counts) as held_on,
            min(distance) filter (where snapshot_at = last_snapshot_at and counts) as distance,
            list(distinct document_id order by document_id) as document_ids,
            arg_min(result_id, (not counts, -epoch(snapshot_at), distance, document_id, line, result_id)) as result_id
        from dated
        group by benchmark_key, sdk_order, value
    ),

    newest as (
        select
            r.*,
            v.held_on,
            v.distance,
            w.publisher,
            w.measured_by,
            len(v.document_ids) as documents
        from valued as v
        inner join resolved.results as r on v.result_id = r.result_id
        inner join publishers as w on v.result_id = w.result_id
        qualify row_number() over (
                partition by v.benchmark_key
                order by
                    v.is_own desc,
                    v.sdk_order desc nulls last,
                    v.holds desc,
                    v.held_on desc,
                    v.distance asc,
                    v.document_ids asc,
                    v.result_id asc
            ) = 1 and v.is_printed_now
    ),

    outlived as (
        select distinct a.result_id
        from newest as a
        inner join newest as b
            on
            a.model_family = b.model_family
            and a.platform = b.platform
            and a.task = b.task
            and a.metric = b.metric
            and a.statistic is not distinct from b.statistic
            and a.suite is not distinct from b.suite
        where
            a.distance >= 3
            and b.distance < 3
            and (
                a.held_on < b.held_on
                or regexp_matches(a.suite, ' v\d')
                and a.value_low <= b.value_high
                and b.value_low <= a.value_high
                and b.value_high - b.value_low < a.value_high - a.value_low
            )
            and lower(a.publisher) in (lower(b.publisher), lower(b.measured_by))
            and coalesce(a.framework = b.framework, a.framework is null)
            and coalesce(a.dataset = b.dataset, a.dataset is null)
            and coalesce(a.precision = b.precision, a.precision is null)
            and coalesce(a.batch_size = b.batch_size, a.batch_size is null)
            and coalesce(a.accelerator_count = b.accelerator_count, a.accelerator_count is null)
    )

    select n.* exclude (held_on, distance, publisher, measured_by) -- noqa: RF02
    from newest as n
    anti join outlived as o on n.result_id = o.result_id
    order by n.benchmark_key
)
