-- Candidate numbers for checking a claim, and their differences from the stated configuration.
-- grain: one row per claim, side and number of the warehouse
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=AL05,RF01,RF02,RF03
with better as (
    select
        name as metric,
        min(better) as better
    from resolved.names
    where kind = 'metrics'
    group by name
),

numbers as (
    select
        result_id as number_id,
        document_id,
        evidence_id,
        section_line,
        metric,
        statistic,
        model,
        model_family,
        task,
        platform,
        vendor,
        -- A bar that only its drawn label names says nothing beyond its chart.
        source_format(extractor).medium = 'slide' and platform_printed is null as is_bar,
        accelerator_count,
        sdk_version,
        case when sdk_version is not null then sdk_order end as sdk_order,
        framework,
        dataset,
        batch_size,
        coalesce(batch_size, concurrency) as in_flight,
        precision,
        suite,
        configuration,
        benchmark_key,
        item,
        -- What makes it another workload, not another way to run the same one.
        concat_ws(
            ', ', suite, division || ' division', stage, 'phase ' || phase, 'sequence length ' || sequence_length,
            'image size ' || image_size, variant_name, scenario, 'input length ' || input_length,
            'output length ' || output_length, 'concurrency ' || concurrency,
            nullif(array_to_string(list_transform(
                list_filter(
                    map_entries(conditions),
                    lambda entry: entry.key <> 'submitter'
                    and dimension(entry.key).is_lent
                    and dimension(entry.key).identity = 'key'
                ),
                lambda entry: replace(entry.key, '_', ' ') || ' ' || entry.value
            ), ', '), ''),
            quality_target
        ) as workload,
        -- How it was run, beyond what has a column here: parallelism, quantization, the cache.
        map_from_entries(list_filter(
            identity_entries(r),
            lambda entry: not dimension(entry.key).is_lent
            and entry.key not in (
                'platform', 'chip', 'accelerator_count', 'nodes', 'accelerators_per_node', 'sdk_version', 'framework',
                'framework_version', 'precision', 'batch_size', 'configuration', 'concurrency'
            )
        )) as ran,
        value,
        value_low,
        value_high,
        unit,
        bound,
        case bound when 'lt' then 'less than ' when 'gt' then 'more than ' when 'approx' then 'about ' else '' end
        || case
            -- What the log prints is the moment at which the run ends.
            when source_format(extractor).gives_scores then format('{:.3f} min', value / 60)
            when regexp_matches(value_printed, '[A-Za-z]') then value_printed
            -- The unit is that of the stored value: a page may print the number in another one.
            when abs(value - try_cast(replace(value_printed, ',', '') as double)) <= 1e-9 * abs(value)
                then value_printed || ' ' || unit
            else format('{:.10g} {}', value, unit)
        end as value_words
    from resolved.results as r
    where correction_action is distinct from 'drop'
    union all by name
    select
        r.run_id || ' training_time' as number_id,
        r.document_id,
        r.evidence_id,
        'training' as task,
        'training_time' as metric,
        r.accelerator as platform,
        r.accelerator_count,
        r.batch_size,
        '' as workload,
        r.training_time_s as value,
        r.training_time_s as value_low,
        r.training_time_s as value_high,
        'eq' as bound,
        format('{:.1f} s', r.training_time_s) as value_words
    from resolved.training_runs as r
    -- Runs of MLPerf enter as the score that is made of them.
    where r.training_time_s > 0 and r.status is null
    union all by name
    -- The first epoch also compiles and warms up; the bar prints whole seconds.
    select
        r.run_id || ' epoch ' || e.epoch as number_id,
        r.document_id,
        e.evidence_id,
        'training' as task,
        'epoch_time' as metric,
        r.accelerator as platform,
        r.accelerator_count,
        r.batch_size,
        '' as workload,
        e.epoch_time_s as value,
        e.epoch_time_s - 0.5 as value_low,
        e.epoch_time_s + 0.5 as value_high,
        'eq' as bound,
        format('{} s', e.epoch_time_s) as value_words
    from resolved.training_runs as r
    inner join resolved.training_epochs as e on r.run_id = e.run_id
    where e.epoch > 1 and e.epoch_time_s > 0
    union all by name
    select
        p.evidence_id || ' price' as number_id,
        p.document_id,
        p.evidence_id,
        'price' as metric,
        '<any>' as model_key,
        p.platform,
        '' as workload,
        p.price_usd as value,
        p.price_low_usd as value_low,
        p.price_high_usd as value_high,
        p.bound,
        case p.bound when 'eq' then '' when 'lt' then 'less than ' when 'gt' then 'more than ' else 'about ' end
        || format('{:,} USD', p.price_usd::bigint) as value_words
    from resolved.prices as p
    where p.terms = 'list'
),

-- A number without a model is the model of a claim without one in the same document only.
dated as (
    select
        n.* exclude (model_key) replace (coalesce(n.ran, map([]::varchar[], []::varchar[])) as ran),
        coalesce(n.model_key, n.model, '<null>@' || n.document_id) as model_key,
        d.source,
        d.publisher,
        d.published_on,
        d.snapshot_on,
        m.better as number_better,
        c.chip,
        n.accelerator_count / c.chips as systems,
        -- What is tuned for throughput, and then what has the most in flight, has the higher latency.
        case
            when n.in_flight is not null
                then struct_pack(tuned := coalesce(contains(n.configuration, 'throughput'), false), load := n.in_flight)
        end as latency_order,
        min(latency_order) over curve as lowest_latency
    from numbers as n
    inner join raw.documents as d on n.document_id = d.document_id
    left join better as m on n.metric = m.metric
    left join internal.systems as c on n.platform = c.platform
    window curve as (
        partition by
            n.document_id, n.model, n.task, n.platform, n.accelerator_count, n.framework, n.sdk_order, n.metric,
            n.statistic
    )
),

measured_models as (
    select distinct
        model_key,
        model_family
    from dated
),

-- ResNet-50 v1.5 is what a claim about ResNet-50 may mean. EfficientNet-B4 comes near one about EfficientNet, as a
-- DGX A100 640GB does to one about a DGX A100.
fuller_models as (
    select distinct
        s.model_key,
        n.model_key as name
    from internal.claim_sides as s
    inner join measured_models as n
        on
        s.model_key in (n.model_key, n.model_family)
        or starts_with(n.model_key, s.model_key || ' ')
        or starts_with(n.model_key, s.model_key || '-')
),

wanted as (
    select
        s.*,
        c.metric as wanted_metric,
        case c.metric when 'price' then '<any>' else m.name end as wanted_model
    from internal.claim_sides as s, unnest(s.metrics) as c (metric) -- noqa: AL05
    left join fuller_models as m on s.model_key = m.model_key and c.metric <> 'price'
    where not s.is_self_comparison
),

candidates as (
    select
        w.*,
        n.number_id,
        null as chart,
        false as is_unnamed,
        w.accelerator_count / nullif(n.accelerator_count, 0) as scale
    from wanted as w
    inner join dated as n
        on w.wanted_model = n.model_key
        and w.wanted_metric = n.metric
        -- A time to result is one to train where one publisher writes both.
        and (w.publisher = n.publisher or w.metric = n.metric or w.metric = 'performance_per_dollar')
        -- A percentile is claimed in so many words; what is not one may be a mean, or not say what it is.
        and coalesce(w.statistic = n.statistic, true)
        and coalesce(w.statistic like 'p%', false) = coalesce(n.statistic like 'p%', false)
        -- Another system of the same chip is no side of the claim, but may be the nearest to one.
        and coalesce(
            w.platform = n.platform
            or starts_with(n.platform, w.platform || ' ')
            or w.chip = n.chip,
            -- A gain from release to release or round to round is of the systems of whoever claims it.
            w.is_release_gain and w.publisher = n.publisher or w.is_round_gain and w.vendor = n.vendor
        )
        and n.is_bar is not true
        and coalesce(w.task = n.task, true)
        and not coalesce(w.is_release_gain and w.side = 'subject' and w.opponent_sdk_order >= n.sdk_order, false)
    union all by name
    select
        w.*,
        b.result_id as number_id,
        b.chart,
        b.is_unnamed
    from wanted as w
    inner join internal.claim_bars as b
        on w.claim_id = b.claim_id and w.side = b.side and w.metric = w.wanted_metric
),

fitted as (
    select
        c.claim_id,
        c.side,
        n.* replace (
            case
                when n.model <> c.model and n.model_family = c.model then format('{} of {}', n.value_words, n.model)
                else n.value_words
            end as value_words,
            coalesce(n.accelerator_count / c.chips, n.systems) as systems,
            if(c.is_round_gain, replace(n.workload, n.suite, ''), n.workload) as workload
        ),
        coalesce(lower(n.publisher) = lower(c.measured_by), false) as is_cited,
        abs(date_diff('day', c.published_on, n.published_on)) as days_apart,
        c.chart,
        c.is_unnamed,
        -- What the document says of the side and nobody says of the number.
        n.document_id <> c.document_id
        and (
            c.precision is not null and n.precision is null or c.batch_size_low is not null and n.batch_size is null
        ) as is_vague,
        case when c.is_linear then coalesce(c.scale, 1) else 1 end as scale,
        -- What is printed within a month of the claim speaks of its day, and so does what has its release.
        coalesce(
            c.sdk_order = n.sdk_order[1:len(c.sdk_order)], n.document_id = c.document_id or days_apart <= 31, false
        ) as is_of_its_day,
        -- A number without a release has that of the day on which its publisher also makes the claim.
        n.sdk_order is null
        and n.document_id <> c.document_id
        and not coalesce(n.publisher = c.publisher and n.published_on = c.published_on, false) as is_of_no_release,
        -- Each with what the number has, and what the claim states of its side.
        [
            row('model', n.model, c.model, n.model <> c.model and n.model_family <> c.model),
            row('platform', n.platform, c.platform, n.platform <> c.platform),
            row(
                'accelerators',
                n.accelerator_count::varchar,
                c.accelerator_count::varchar,
                c.scale <> 1 and not c.is_linear
            ),
            row('SDK', n.sdk_version, c.sdk_version, c.sdk_order <> n.sdk_order[1:len(c.sdk_order)]),
            row('SDK', 'not stated', c.sdk_version, c.sdk_order is not null and is_of_no_release),
            row(
                'precision',
                n.precision,
                c.precision,
                replace(c.precision, 'FP32', '32.32') <> replace(n.precision, 'FP32', '32.32')
            ),
            row(
                'batch size', n.batch_size::varchar, c.batch_sizes_printed,
                not n.batch_size between c.batch_size_low and c.batch_size_high
            ),
            row(
                'dataset', n.dataset, c.dataset,
                not (starts_with(c.dataset, n.dataset) or starts_with(n.dataset, c.dataset))
            ),
            -- TensorFlow 1 is TensorFlow; PyTorch + TensorFlow is either.
            row(
                'framework', n.framework, c.framework,
                c.stated_frameworks is null and not contains(c.framework, split_part(n.framework, ' ', 1))
            ),
            row(
                'suite', coalesce(n.suite, 'not stated'), c.suite,
                c.suite <> coalesce(n.suite, '') and n.metric <> 'price' and not c.is_release_gain
            )
        ] as sides_differ,
        -- What the claim states of both sides holds for every number that speaks of it.
        [
            case
                when c.is_at_lowest_latency and n.latency_order is null then 'not stated to be at lowest latency'
                when c.is_at_lowest_latency and n.latency_order <> n.lowest_latency then 'not at lowest latency'
            end,
            case
                when c.stated_batch_size is not null and n.batch_size is distinct from c.stated_batch_size
                    then format(
                            'batch size {} instead of {}',
                            coalesce(n.batch_size::varchar, 'not stated'),
                            c.stated_batch_size
                        )
            end,
            case
                when n.precision <> c.stated_precision
                    then format('precision {} instead of {}', n.precision, c.stated_precision)
            end,
            case
                when not contains(c.stated_frameworks, split_part(n.framework, ' ', 1))
                    then format('framework {} instead of {}', n.framework, c.stated_frameworks)
            end,
            case
                when not list_has_all(string_split(lower(n.workload), ', '), c.stated_workload)
                    then format(
                            '{} instead of {}',
                            coalesce(nullif(n.workload, ''), 'workload not stated'),
                            array_to_string(c.stated_workload, ', ')
                        )
            end,
            -- Two counts are one of each side.
            case
                when
                    c.accelerator_count is null
                    and len(c.stated_accelerators) > 0
                    and [n.accelerator_count] <> c.stated_accelerators
                    then format(
                            'accelerators {} instead of {}',
                            coalesce(n.accelerator_count::varchar, 'not stated'),
                            array_to_string(c.stated_accelerators, ' and ')
                        )
            end,
            case when c.untold_condition is not null then format('not stated: {}', c.untold_condition) end
        ] as broken_conditions,
        case
            when c.sdk_order is null and n.published_on > c.published_on
                then format('printed later, on {}', n.published_on)
        end as printed_later,
        n.document_id = c.document_id as is_own,
        max(n.snapshot_on) over (
            partition by c.claim_id, c.side, n.source, n.benchmark_key, n.sdk_order, n.published_on > c.published_on
        ) as last_snapshot_on
    from candidates as c
    inner join dated as n on c.number_id = n.number_id
),

-- What an earlier snapshot of the same source printed was restated.
compared as (
    select
        *,
        list_filter(broken_conditions, lambda reason: reason is not null) as broken,
        broken
        || list_transform(
            list_filter(sides_differ, lambda difference: difference[4]),
            lambda difference: format('{} {} instead of {}', difference[1], difference[2], difference[3])
        )
        || if(printed_later is null, [], [printed_later]) as mismatches
    from fitted
    where snapshot_on = last_snapshot_on or benchmark_key is null
)

select
    claim_id,
    side,
    number_id,
    document_id,
    evidence_id,
    publisher,
    published_on,
    metric,
    model,
    task,
    platform,
    vendor,
    accelerator_count,
    systems,
    sdk_version,
    framework,
    dataset,
    batch_size,
    precision,
    configuration,
    workload,
    ran,
    item,
    benchmark_key,
    value,
    value_low,
    value_high,
    unit,
    bound,
    value_words,
    chart,
    is_unnamed,
    scale,
    is_vague,
    is_cited,
    days_apart,
    is_of_its_day,
    is_own,
    len(broken) = 0 as keeps_conditions,
    mismatches,
    -- How good a number is, at the scale of the claim: of a time or a price its inverse, so that more is better.
    scale * if(number_better = 'higher', value_low, 1 / value_high) as goodness_low,
    scale * case
        when number_better = 'higher' then value_high when value_low > 0 then 1 / value_low else 'inf'::double
    end as goodness_high,
    scale * if(number_better = 'higher', value, 1 / value) as goodness,
    -- Of several list prices of a side the one beside the claim counts, else the latest.
    metric = 'price'
    and len(mismatches) = 0
    and row_number() over (
        partition by claim_id, side, metric
        order by len(mismatches) asc, is_own desc, published_on desc, evidence_id asc
    ) = 1 as is_list_price
from compared
order by claim_id asc, side desc, document_id asc, number_id asc
