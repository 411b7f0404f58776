-- All measured numbers under canonical names, with the key of their benchmark.
-- grain: one row per number measured, as one document prints it
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with measured as (
    select
        m.* replace (
            -- Logs of MLPerf do not say which round they were made for; their source does.
            case
                when m.suite in ('MLPerf Training', 'MLPerf HPC', 'MLPerf Inference')
                    then concat_ws(' ', m.suite, d.round)
                else m.suite
            end as suite,
            coalesce(m.sdk_version, b.sdk_version) as sdk_version,
            coalesce(m.precision, b.precision) as precision,
            coalesce(m.framework_printed, b.framework_printed) as framework_printed,
            coalesce(m.accelerator_count, b.accelerator_count) as accelerator_count
        ),
        -- `latency_p99_9`: each statistic of a metric is a benchmark of its own, the mean is that of the metric.
        concat_ws(
            '_', m.metric, case when m.statistic not in ('mean', 'median') then replace(m.statistic, '.', '_') end
        ) as quantity,
        d.source
    from extracted.measurements as m
    inner join raw.documents as d on m.document_id = d.document_id
    left join internal.bar_notes as b
        on
        m.document_id = b.document_id
        and m.line = b.line
        and m.char_start = b.char_start
        and source_format(m.extractor).medium = 'slide'
),

named as (
    select
        m.* exclude (higher_is_better) replace (
            coalesce(m.framework_version, framework.version_printed) as framework_version
        ),
        -- A row that prints only a family (GPT2) means the model that its variant names (GPT2-Large).
        coalesce(case when model.is_family then variant.name end, model.name, m.model_printed) as model,
        case when model.is_family and variant.name is not null then null else m.variant_name end as variant_words,
        -- For comparison only; an unknown model is comparable with itself.
        coalesce(
            case when model.is_family then variant.comparable_as end, model.comparable_as, m.model_printed
        ) as model_family,
        coalesce(metric.name, m.metric) as metric_name,
        coalesce(m.higher_is_better, metric.better = 'higher') as higher_is_better,
        -- A page that counts inferences or samples leaves open of what; for models that take one thing it is known,
        -- whatever the page calls it: to ResNet a frame is an image.
        case
            when metric.unit not like 'items/s%' then null
            when
                coalesce(m.item, 'items')
                in ('items', 'inferences', 'samples', 'examples', 'frames', 'sequences')
                then coalesce(variant.item, model.item, m.item)
            else m.item
        end as item_counted,
        coalesce(platform.name, m.platform_printed) as platform,
        platform.vendor,
        platform.maker,
        platform.platform_kind,
        platform.chip,
        platform.devices_per_chip,
        platform.multiplier,
        coalesce(
            m.accelerator_count, platform.multiplier * coalesce(platform.chips, 1), platform.chips
        ) as accelerators,
        coalesce(framework.name, m.framework_printed) as framework,
        coalesce(dataset.name, m.dataset_printed) as dataset,
        substr(sha256(concat_ws('|', m.document_id, m.line, m.char_start, m.char_end)), 1, 16) as evidence_id,
        -- `v0.2.0`, `b3451`, `2.5.0.dev20240801`, `2.1.0a0+32f93b1`, `20211208`; the hash of a commit has no order.
        nullif(regexp_extract(
            coalesce(m.framework_version, framework.version_printed),
            '^[vVbBrR]?\.?((?:\d+|\d+(?:\.\d+)+(?:[ab]\d+)?)'
            || '(?:[-._ ]?(?:rc|alpha|beta|dev|post|py|pre)[-.]?\d*)*)(?:\+.*)?$',
            1
        ), '') as framework_release
    from measured as m
    left join resolved.names as model
        on model.kind = 'models'
        and m.model_printed = model.name_printed
        and m.suite is not distinct from model.suite
    left join resolved.names as metric on metric.kind = 'metrics' and m.metric = metric.name_printed
    left join resolved.names as variant
        on variant.kind = 'variants'
        and m.variant_name = variant.name_printed
        and m.suite is not distinct from variant.suite
    left join resolved.names as platform
        on platform.kind = 'platforms'
        and m.platform_printed = platform.name_printed
        and m.suite is not distinct from platform.suite
    left join resolved.names as framework
        on framework.kind = 'frameworks'
        and m.framework_printed = framework.name_printed
        and m.suite is not distinct from framework.suite
    left join resolved.names as dataset
        on dataset.kind = 'datasets'
        and m.dataset_printed = dataset.name_printed
        and m.suite is not distinct from dataset.suite
    -- What a system costs, and what its data sheet states, is no result; it is in resolved.platform_facts.
    where metric.price_terms is null and metric.metric_kind is distinct from 'platform'
),

-- `3.4-rc1` is the release 3.4 at the stage rc, number 1.
-- 2.4 and 2.4.0 are one release, and 2.10 comes after 2.9. Behind the numbers of a final release stands 0, and of what
-- came before it something less: 3.4-rc1 is [3, 4, -1, 1], and comes before 3.4, [3, 4, 0]. `NGC 24.10-py3` is the
-- release 24.10 of a container, and `a1b2c3d` has no order.
versions as (
    select
        version,
        regexp_replace(
            regexp_extract(version, '^(?:[A-Za-z]+ )*[vVrR]?(\d+(?:\.\d+)*)', 1), '(\.0+)+$', ''
        ) as release_printed,
        lower(regexp_extract(version, '\d[^A-Za-z]*([A-Za-z]+)\.?\d*$', 1)) as release_stage,
        coalesce(try_cast(regexp_extract(version, '[A-Za-z]\.?(\d+)$', 1) as bigint), 0) as stage_number,
        if(release_printed = '', null, list_concat(
            try_cast(regexp_extract_all(release_printed, '\d+') as bigint[]),
            case
                when release_stage in ('', 'py') then [0]
                when release_stage = 'post' then [0, stage_number]
                else [
                        case release_stage
                            when 'rc' then -1
                            when 'beta' then -2
                            when 'b' then -2
                            when 'alpha' then -3
                            when 'a' then -3
                            else -4
                        end,
                        stage_number
                    ]
            end
        )) as version_order
    from (
        select sdk_version as version from named
        union
        select framework_release as version from named
    ) as printed
    where version is not null
),

-- Where no SDK is stated, the version of the framework is the release: it sorts before every SDK.
released as (
    select
        n.*,
        f.version_order as framework_order,
        case when n.sdk_version is null then list_concat([-1], f.version_order) else s.version_order end as sdk_order
    from named as n
    left join versions as s on n.sdk_version = s.version
    left join versions as f on n.framework_release = f.version
),

-- The columns that readers give, and those that conditions give under the name of their dimension.
complete as (
    select
        n.* exclude (accelerators, accelerator_count, multiplier, variant_name, is_packed, conditions),
        n.variant_words as variant_name,
        if(c.said['packing'] = 'packed', true, n.is_packed) as is_packed,
        c.said['batch_size_kind'] as batch_size_kind,
        c.said['scenario'] as scenario,
        -- A version of a framework is a release of the framework.
        coalesce(
            c.said['release_product'],
            case when n.sdk_version is null and n.framework_order is not null then n.framework end
        ) as release_product,
        c.said['weights_precision'] as weights_precision,
        try_cast(c.said['input_length'] as bigint) as input_length,
        try_cast(c.said['output_length'] as bigint) as output_length,
        try_cast(c.said['concurrency'] as bigint) as concurrency,
        try_cast(c.said['request_rate'] as double) as request_rate,
        try_cast(c.said['tensor_parallel'] as bigint) as tensor_parallel,
        try_cast(c.said['pipeline_parallel'] as bigint) as pipeline_parallel,
        try_cast(c.said['data_parallel'] as bigint) as data_parallel,
        try_cast(c.said['expert_parallel'] as bigint) as expert_parallel,
        -- A model in 8 parts or copies ran on more than the one chip of an `H100`. Where a document has rates per
        -- device or per user of a model on a platform, their rows may be of many. A chip of an instance has several
        -- cores.
        if(
            n.accelerator_count is null
            and n.multiplier is null
            and n.accelerators = 1
            and (
                greatest(
                    try_cast(c.said['tensor_parallel'] as bigint),
                    try_cast(c.said['pipeline_parallel'] as bigint),
                    try_cast(c.said['data_parallel'] as bigint)
                ) > 1
                or c.said['measured_on'] = 'deployment'
                or (
                    n.platform_kind in ('chip', 'card')
                    and bool_or(regexp_matches(n.metric_name, '_per_(device|user)'))
                        over (partition by n.document_id, n.platform, n.model)
                )
            ),
            null,
            n.accelerators
        ) as accelerator_count,
        n.accelerator_count is not null as prints_count,
        coalesce(c.conditions, map([]::varchar[], []::varchar[])) as conditions,
        c.other_conditions
    from released as n
    left join internal.stated_conditions as c
        on
        n.document_id = c.document_id
        and n.line = c.line
        and n.char_start = c.char_start
        and n.metric = c.metric
),

-- What identifies the benchmark. A tuning or a batch size defines a test of inference; in training both change from
-- release to release. An unnamed model is the same only within its source.
identified as (
    select
        c.*,
        concat_ws(
            '|',
            quantity,
            case when model is null then '<null>@' || source end,
            list_filter(
                identity_entries(c),
                lambda entry: entry.key not in ('platform', 'batch_size')
                and (
                    dimension(entry.key).identity = 'key'
                    or (dimension(entry.key).identity = 'inference' and coalesce(task = 'inference', false))
                )
            )::varchar
        ) as test
    from complete as c
),

-- A platform that is not named is the same where a source prints the row again under the same heading. Rows of one
-- document that nothing tells apart may be of different platforms: their order does.
unnamed as (
    select
        evidence_id,
        quantity,
        concat_ws(
            ' / ',
            source,
            coalesce(section, '-'),
            row_number() over (
                partition by document_id, section, test, sdk_order, framework_order, batch_size
                order by line, char_start
            )
        ) as unnamed_platform
    from identified
    where platform is null
),

keyed as (
    select
        i.*,
        u.unnamed_platform,
        concat_ws('|', i.test, coalesce(i.platform, '<null>@' || u.unnamed_platform)) as identity
    from identified as i
    left join unnamed as u on i.evidence_id = u.evidence_id and i.quantity = u.quantity
),

-- Several versions of a framework that one document prints under one SDK are releases, too.
versioned as (
    select
        * replace (
            case
                when min(framework_order) over by_release is distinct from max(framework_order) over by_release
                    and sdk_version is not null
                    then list_concat(sdk_order, framework_order)
                else sdk_order
            end as sdk_order
        )
    from keyed
    window by_release as (partition by document_id, identity, sdk_order)
),

-- In training the batch is tuned with each release and is no part of the benchmark, unless one document prints the same
-- benchmark and release at several batch sizes: then it is a curve, and the batch size tells its points apart. Beside
-- an unnamed platform a row without a batch size is another row, too.
curves as (
    select
        document_id,
        identity,
        sdk_order
    from versioned
    group by document_id, identity, sdk_order
    having count(distinct case when platform is null then coalesce(batch_size, 0) else batch_size end) > 1
),

swept as (
    select
        k.*,
        k.task = 'inference' or c.identity is not null as batch_defines
    from versioned as k
    left join curves as c
        on
        k.document_id = c.document_id and k.identity = c.identity and k.sdk_order is not distinct from c.sdk_order
),

-- A bar whose number stands without a platform has the one that the drawn label below it begins with.
drawn as (
    select
        substr(sha256(concat_ws('|', v.document_id, v.line, v.char_start, v.char_end)), 1, 16) as evidence_id,
        max((len(n.name_printed), n.name, n.vendor, n.maker, n.platform_kind, n.chip)) as longest
    from extracted.chart_values as v
    inner join resolved.names as n
        on
        n.kind = 'platforms'
        and n.suite is null
        and n.name is not null
        and starts_with(lower(v.category_printed) || ' ', lower(n.name_printed) || ' ')
    where v.printed_value is not null
    group by all
),

-- A correction changes the value and its interval; identity, evidence and the printed text stay.
corrected as (
    select
        s.* replace (
            coalesce(s.platform, b.longest[2]) as platform,
            coalesce(s.vendor, b.longest[3]) as vendor,
            coalesce(s.maker, b.longest[4]) as maker,
            coalesce(s.platform_kind, b.longest[5]) as platform_kind,
            coalesce(s.chip, b.longest[6]) as chip,
            case when k.correction_action = 'override' then k.value else s.value end as value,
            case when k.correction_action = 'override' then k.value_low else s.value_low end as value_low,
            case when k.correction_action = 'override' then k.value_high else s.value_high end as value_high,
            case when k.correction_action = 'override' then 'eq' else s.bound end as bound
        ),
        k.correction,
        k.correction_action,
        k.correction_reason,
        case when k.correction_action = 'override' then s.value end as value_uncorrected
    from swept as s
    left join drawn as b on s.evidence_id = b.evidence_id and s.platform is null
    left join internal.known_error_places as k
        on s.evidence_id = k.evidence_id and s.metric = k.metric and k.is_as_expected
),

-- An instance that serves a model in 8 parts leaves its other chips idle. Training repeats the parts on all of them; so
-- may a test for which a number of devices is printed, unless it prints that nothing is repeated.
placed as (
    select
        *,
        case
            when task = 'training' or tensor_parallel is null then null
            when prints_count and data_parallel is null then null
            else
                greatest(tensor_parallel * coalesce(pipeline_parallel, 1) * coalesce(data_parallel, 1), expert_parallel)
        end as devices,
        least(accelerator_count, ceil(devices / coalesce(devices_per_chip, 1))::bigint) as chips
    from corrected
)

select
    substr(sha256(concat_ws('|', evidence_id, quantity)), 1, 16) as result_id,
    document_id,
    evidence_id,
    line,
    section,
    section_line,
    row_line,
    task,
    suite,
    stage,
    phase,
    model,
    model_printed,
    model_family,
    variant_printed,
    variant_name,
    sequence_length,
    is_packed,
    image_size,
    configuration,
    platform,
    platform_printed,
    unnamed_platform,
    vendor,
    maker,
    platform_kind,
    chip,
    chips,
    accelerator_count,
    release_product,
    sdk_version,
    sdk_order,
    framework,
    framework_printed,
    framework_version,
    dataset,
    dataset_printed,
    batch_size,
    batch_size_kind,
    input_length,
    output_length,
    concurrency,
    request_rate,
    scenario,
    tensor_parallel,
    pipeline_parallel,
    data_parallel,
    expert_parallel,
    conditions,
    other_conditions,
    precision,
    weights_precision,
    activation_bits,
    weight_bits,
    division,
    submission_id,
    quality_target,
    ranking,
    metric_name as metric,
    statistic,
    higher_is_better,
    epoch,
    value,
    value_low,
    value_high,
    bound,
    case when item_counted is null then unit else replace(unit, 'items', item_counted) end as unit,
    unit_printed,
    item_counted as item,
    text_printed as value_printed,
    extractor,
    substr(
        sha256(
            concat_ws(
                '|',
                identity,
                case when batch_defines then coalesce(batch_size::varchar, '<null>') else '-' end
            )
        ),
        1,
        32
    ) as benchmark_key,
    correction,
    correction_action,
    correction_reason,
    value_uncorrected
from placed
order by document_id, line, char_start, result_id
