-- Serving results as reports in llm-d's schema, version 0.2: those of a model, a platform and a framework, with a mean.
-- grain: one row per source, model, platform and conditions
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02
with serving as (
    select
        r.*,
        o.request_rate,
        d.url,
        e.document_id,
        e.line as printed_line,
        e.text_printed,
        -- A rate without a statistic is that of the whole run.
        coalesce(if(r.statistic = 'median', 'p50', r.statistic), case when r.unit like '%/s' then 'mean' end) as place,
        case
            when r.metric = 'ttft' then 'time_to_first_token'
            when r.metric = 'tpot' then 'time_per_output_token'
            when r.metric in ('inter_token_latency', 'request_latency') then r.metric
            when r.metric = 'throughput' and r.unit = 'input tokens/s' then 'input_token_rate'
            when r.metric = 'throughput' and r.unit = 'output tokens/s' then 'output_token_rate'
            when r.metric = 'total_token_throughput' then 'total_token_rate'
            when r.metric = 'request_throughput' then 'request_rate'
        end as measured,
        -- A report is a test: all that identifies a result without what is measured of it.
        md5(to_json([
            r.source,
            list_filter(identity_entries(o), lambda entry: entry.key <> 'statistic')::varchar
        ])::varchar) as report
    from main.current_results as r
    inner join resolved.results as o on r.result_id = o.result_id
    inner join resolved.evidence as e on o.evidence_id = e.evidence_id
    inner join raw.documents as d on e.document_id = d.document_id
    where r.task = 'inference' and r.bound = 'eq'
),

known as (
    select s.*
    from serving as s
    where
        s.measured is not null and s.model is not null and s.platform is not null and s.framework is not null
        and regexp_matches(s.place, '^(mean|min|max|p1|p5|p10|p25|p50|p75|p90|p95|p99)$')
),

-- Of two values for one place none is stated.
placed as (
    select
        report,
        measured,
        place,
        min(value) as value
    from known
    group by report, measured, place
    having min(value) = max(value)
),

statistics as (
    select
        p.report,
        p.measured,
        json_merge_patch(
            json_object('units', case
                when p.measured in ('inter_token_latency', 'time_per_output_token') then 'ms/token'
                when p.measured = 'request_rate' then 'queries/s'
                when ends_with(p.measured, '_rate') then 'tokens/s'
                else 'ms'
            end),
            to_json(map(list(p.place order by p.place), list(p.value order by p.place)))
        ) as numbers
    from placed as p
    group by p.report, p.measured
    having bool_or(p.place = 'mean')
),

performance as (
    select
        report,
        ends_with(measured, '_rate') as is_rate,
        to_json(map(list(measured order by measured), list(numbers order by measured))) as numbers
    from statistics
    group by report, is_rate
),

aggregates as (
    select
        report,
        to_json(map(
            list(case when is_rate then 'throughput' else 'latency' end order by is_rate),
            list(numbers order by is_rate)
        )) as numbers
    from performance
    group by report
),

described as (
    select
        report,
        min(source) as source,
        min(url) as url,
        min(model) as model,
        min(platform) as platform,
        min(framework) as framework,
        min(framework_version) as framework_version,
        min(accelerator_count) as accelerator_count,
        min(tensor_parallel) as tensor_parallel,
        min(pipeline_parallel) as pipeline_parallel,
        min(data_parallel) as data_parallel,
        json_object(
            'precision', min(precision), 'batch_size', min(batch_size), 'input_length', min(input_length),
            'output_length', min(output_length), 'concurrency', min(concurrency), 'request_rate', min(request_rate),
            'conditions', to_json(min(conditions))
        ) as conditions,
        to_json(list({
            'metric': metric,
            'statistic': statistic,
            'document': document_id,
            'line': printed_line,
            'printed': text_printed
        } order by result_id)) as evidence
    from known
    group by report
)

select
    d.report || '.json' as name,
    json_object(
        'version', '0.2',
        'run', json_object(
            'uid', d.report, 'description', 'Published results of ' || d.source || coalesce(', ' || d.url, '')
        ),
        'scenario', json_object('stack', json_array(json_object(
            'metadata', json_object('label', d.framework, 'cfg_id', d.report),
            'standardized', json_object(
                'kind', 'generic',
                'tool', d.framework,
                'tool_version', coalesce(d.framework_version, 'not stated'),
                'model', json_object('name', d.model),
                'accelerator', json_object(
                    'model', d.platform,
                    'count', d.accelerator_count,
                    'parallelism', json_object(
                        'tp', d.tensor_parallel, 'pp', d.pipeline_parallel, 'dp', d.data_parallel
                    )
                )
            ),
            'native', json_object('config', json_object(
                'conditions', d.conditions, 'link', d.url, 'evidence', d.evidence
            ))
        ))),
        'results', json_object('request_performance', json_object('aggregate', a.numbers))
    )::varchar as report
from described as d
inner join aggregates as a on d.report = a.report
order by name
