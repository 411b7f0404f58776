-- Values of documents that are looked at with a mapping, and that look wrong.
-- grain: one row per document, check and metric
with own as (
    select
        r.*,
        d.source,
        coalesce(m.headings_printed, '') as heading,
        coalesce(r.row_line, r.line) as row_of_table,
        regexp_replace(r.metric, '_p\d[\d_]*$', '') as measured,
        -- A rate grows with the chips; an accuracy does not.
        case when r.unit like '%/s' then r.value / coalesce(r.accelerator_count, 1) else r.value end as value_per_chip,
        case
            when r.statistic in ('min', 'mean', 'max') then r.statistic
            when r.statistic = 'median' then 'p50'
            when regexp_matches(coalesce(r.statistic, ''), '^p\d') then r.statistic
        end as place,
        to_json([
            r.model, r.platform, r.batch_size::varchar, r.concurrency::varchar, r.request_rate::varchar,
            r.input_length::varchar, r.output_length::varchar, r.sequence_length::varchar, r.precision, r.framework,
            r.sdk_version, r.accelerator_count::varchar, r.other_conditions, r.configuration, r.dataset, r.scenario
        ])::varchar as conditions
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    inner join resolved.evidence as e on r.evidence_id = e.evidence_id
    left join extracted.measurements as m
        on r.document_id = m.document_id and e.line = m.line and e.char_start = m.char_start and r.metric = m.metric
    where r.epoch is null
),

ranked as (
    select
        *,
        case
            when place = 'min' then 0
            when place = 'max' then 1000
            when starts_with(place, 'p') then try_cast(substr(place, 2) as double)
        end as place_order
    from own
),

-- minimum <= p50 <= p90 <= p99 <= maximum, and minimum <= mean <= p99
unordered as (
    select
        a.document_id,
        'order' as check_name,
        a.measured as metric,
        a.line,
        concat(
            a.place, ' ', a.value_printed, ' is greater than ', b.place, ' ', b.value_printed, ' of the same ',
            a.measured
        ) as reason
    from ranked as a
    inner join ranked as b
        on a.document_id = b.document_id
        and a.row_of_table = b.row_of_table
        and a.measured = b.measured
        and a.unit = b.unit
        and a.conditions = b.conditions
    where
        a.value_low > b.value_high
        and (
            a.place_order < b.place_order
            or a.place = 'min' and b.place = 'mean'
            or a.place = 'mean' and b.place_order >= 99
        )
        and (not a.higher_is_better or a.place = 'min' or b.place = 'max')
),

-- The first of five guesses is right at most as often as any of them; a first token is there before the last one.
exceeding as (
    select
        a.document_id,
        'order' as check_name,
        a.metric,
        a.line,
        concat(a.metric, ' ', a.value_printed, ' is greater than ', b.metric, ' ', b.value_printed) as reason
    from own as a
    inner join own as b
        on a.document_id = b.document_id and a.row_of_table = b.row_of_table and a.unit = b.unit
        and a.conditions = b.conditions and a.statistic is not distinct from b.statistic
    where
        a.value_low > b.value_high
        and (a.metric, b.metric) in (
            ('accuracy', 'top_5_accuracy'), ('mean_average_precision', 'mean_average_precision_50'),
            ('ttft', 'request_latency'), ('tpot', 'ttft')
        )
),

spread as (
    select
        document_id,
        'magnitude' as check_name,
        measured as metric,
        arg_max(line, (value, line)) as line,
        concat(
            'values of one table are between ', format('{:g}', min(value)), ' and ', format('{:g}', max(value)),
            ' ', unit
        ) as reason
    from own
    where value > 0
    group by document_id, section_line, measured, statistic, unit, heading
    having max(value) > 10000 * min(value)
),

shares as (
    select
        document_id,
        'share' as check_name,
        measured as metric,
        arg_min(line, (value, line)) as line,
        concat(
            'values of one table are between ', format('{:g}', min(value)), ' and ', format('{:g}', max(value)),
            ' ', unit, ': are some of them shares of 1?'
        ) as reason
    from own
    where unit in ('%', 'mAP', 'mIoU', 'F1', 'DICE', 'AUC', 'HR', 'MRR', 'NDCG')
    group by document_id, section_line, measured, unit, heading
    having (unit = '%' and max(value) <= 1 and count(*) > 1) or (min(value) < 1 and max(value) > 50)
),

published as (
    select
        document_id,
        model,
        platform,
        metric,
        statistic,
        unit,
        min(value_per_chip) as lowest,
        max(value_per_chip) as highest
    from (
        select
            *,
            case when unit like '%/s' then value / coalesce(accelerator_count, 1) else value end as value_per_chip
        from internal.former_values
    ) as f
    where value > 0 and model is not null
    group by document_id, model, platform, metric, statistic, unit
),

-- Tenfold is more than batch sizes, precisions and releases make of one model on one chip; a hundredfold more than the
-- difference of chips.
far as (
    select
        o.document_id,
        'ledger' as check_name,
        o.measured as metric,
        o.line,
        concat(
            o.value_printed, ' (', format('{:g}', o.value), ' ', o.unit, ') of ', o.model,
            ' is far from the published ', format('{:g}', min(p.lowest)), ' to ', format('{:g}', max(p.highest)),
            case when o.unit like '%/s' then ' per chip' else '' end
        ) as reason
    from own as o
    inner join published as p
        on o.model = p.model
        and o.metric = p.metric
        and o.unit = p.unit
        and o.statistic is not distinct from p.statistic
        and o.document_id <> p.document_id
    group by o.document_id, o.measured, o.line, o.value_printed, o.value, o.unit, o.model, o.value_per_chip, o.platform
    having
        o.value_per_chip > coalesce(10 * max(p.highest) filter (where p.platform = o.platform), 100 * max(p.highest))
        or o.value_per_chip < coalesce(min(p.lowest) filter (where p.platform = o.platform) / 10, min(p.lowest) / 100)
),

published_by_source as (
    select source, metric, statistic, unit, min(value) as lowest, max(value) as highest
    from internal.former_values
    where value > 0
    group by source, metric, statistic, unit
),

-- Ten times beyond all that two other sources or more have published of the metric.
beyond as (
    select
        o.document_id,
        'ledger' as check_name,
        o.measured as metric,
        arg_max(o.line, (o.value, o.line)) as line,
        concat(
            format('{:g}', min(o.value)), ' to ', format('{:g}', max(o.value)), ' ', o.unit, ' ',
            concat_ws(' ', o.metric, o.statistic), ' is far from the published ', format('{:g}', min(p.lowest)), ' to ',
            format('{:g}', max(p.highest))
        ) as reason
    from own as o
    inner join published_by_source as p
        on o.metric = p.metric
        and o.unit = p.unit
        and o.statistic is not distinct from p.statistic
        and o.source <> p.source
    where o.value > 0
    group by o.document_id, o.measured, o.metric, o.statistic, o.unit
    having
        count(distinct p.source) > 1
        and (max(o.value) > 10 * max(p.highest) or min(o.value) < min(p.lowest) / 10)
),

-- The printed numbers of a column in another snapshot of the source were another metric.
columns_now as (
    select document_id, source, metric, statistic, list(value_printed order by line, value_printed) as printed
    from own
    group by document_id, source, metric, statistic, heading
    having count(distinct value_printed) > 2
),

columns_before as (
    select document_id, source, metric, statistic, list(value_printed order by line, value_printed) as printed
    from internal.former_values
    group by document_id, source, metric, statistic
    having count(distinct value_printed) > 2
),

exchanged as (
    select
        n.document_id,
        'previous' as check_name,
        n.metric,
        null::bigint as line,
        concat('another snapshot prints the same numbers as ', concat_ws(' ', b.metric, b.statistic)) as reason
    from columns_now as n
    inner join columns_before as b on n.source = b.source and n.printed = b.printed and n.document_id <> b.document_id
    where n.metric <> b.metric or n.statistic is distinct from b.statistic
),

-- Little's law: throughput x latency is what is in flight.
flights as (
    select
        t.document_id,
        t.line,
        t.value_printed as rate_printed,
        l.value_printed as latency_printed,
        l.metric,
        t.value * l.value / 1000 as in_flight,
        coalesce(t.concurrency, t.batch_size, 1) as at_least,
        coalesce(t.concurrency, t.batch_size) * coalesce(t.accelerator_count, 1) as at_most
    from own as t
    inner join own as l
        on t.document_id = l.document_id and t.row_of_table = l.row_of_table and t.conditions = l.conditions
    where
        t.measured = 'throughput'
        and (l.measured = 'latency' and t.item is distinct from 'tokens' or l.measured = 'tpot' and t.item = 'tokens')
        and (l.place is null or l.place in ('mean', 'p50'))
),

in_flight as (
    select
        document_id,
        'little' as check_name,
        metric,
        line,
        concat(
            rate_printed, ' per second at ', latency_printed, ' are ', format('{:g}', in_flight),
            ' in flight, where ', at_least::varchar, ' are stated'
        ) as reason
    from flights
    where in_flight < at_least / 100 or in_flight > 100 * at_most
),

-- The relations of a build that are about whole columns.
columns as (
    select
        c.document_id,
        'column' as check_name,
        r.metric,
        c.line,
        c.reason
    from internal.column_relations as c
    inner join resolved.results as r on c.evidence_id = r.evidence_id
    where not c.holds
),

found as (
    select * from unordered
    union all
    select * from exceeding
    union all
    select * from spread
    union all
    select * from shares
    union all
    select * from far
    union all
    select * from beyond
    union all
    select * from exchanged
    union all
    select * from in_flight
    union all
    select * from columns
)

select
    document_id,
    check_name || ' ' || metric as key,
    count(*) as places,
    coalesce(min(line), 1) as line,
    arg_min(reason, (line, reason)) as reason
from found
group by document_id, check_name, metric
order by document_id, key
