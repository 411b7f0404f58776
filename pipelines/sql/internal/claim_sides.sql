-- Both sides of each claim and the number that each would need.
-- grain: one row per claim and side
-- The argument of a lambda is no column of a table, which the linter takes it for.
-- noqa: disable=RF02
with better as (
    select
        name,
        min(better) as better
    from resolved.names
    where kind = 'metrics'
    group by name
),

shares as (
    select
        claim_id,
        -- 31 in `31%`, where it is read as 1.31 times.
        try_cast(regexp_extract(text_printed, '(\d+(?:\.\d+)?)\s*(?:%|per)', 1) as double) / 100 as share
    from resolved.claims
    where abs(share + 1 - factor) < 1e-6
),

-- What a claim states of both sides: `with TensorFlow`, `at batch size 1`, `at lowest latency`.
stated as (
    select
        c.claim_id,
        regexp_matches(
            concat_ws('; ', 'at ' || c.conditions, c.sentence),
            '(?i)\b(?:at|using)\b[^;,.]{0,40}\b(?:lowest|minimum)\s+(?:possible\s+)?latency'
        ) as is_at_lowest_latency,
        list_distinct(
            regexp_extract_all(
                regexp_replace(c.sentence, '(\d),(\d{3})\b', '\1\2', 'g'),
                '(?i)\b(?:batch(?:[ -]size)?|bs)(?:\s+of)?[ =:-]+(\d+)\b',
                1
            )
        )::bigint[] as batch_sizes,
        list_distinct(
            regexp_extract_all(upper(c.sentence), '\b(?:(?:NV|MX)?FP[48]|BF16|FP16|[FT][FP]32|INT[48])\b')
        ) as precisions,
        -- As a number says it of itself: `concurrency 64`, `offline`.
        list_distinct(
            list_transform(
                regexp_extract_all(
                    lower(regexp_replace(c.sentence, '(\d),(\d{3})\b', '\1\2', 'g')),
                    '\b(?:concurrency|(?:input|output|sequence) length)(?: of)?[ =:]+\d+\b'
                )
                || regexp_extract_all(
                    lower(c.sentence), '\b(?:offline|(?:server|interactive|single-?stream|multi-?stream) scenario)\b'
                ),
                lambda word: regexp_replace(
                    replace(replace(word, ' scenario', ''), '-', ''), '(?: of)?[ =:]+(\d+)$', ' \1'
                )
            )
        ) as workload,
        list_distinct(
            list_transform(
                regexp_extract_all(
                    lower(c.sentence),
                    '\b(\d+|single|one|two|four|eight|sixteen)(?:x | |-)'
                    || '(?:(?:[a-z]{1,3}\d{1,4}[a-z]* )?(?:gpu|chip|accelerator|card)s?|[a-z]{1,3}\d{2,4}[a-z]*)\b',
                    1
                ),
                lambda count: coalesce(
                    map { 'single': 1, 'one': 1, 'two': 2, 'four': 4, 'eight': 8, 'sixteen': 16 }[count],
                    try_cast(count as bigint)
                )
            )
        ) as accelerators,
        -- What no column tells: no number is known to keep it.
        nullif(
            regexp_extract(
                lower(c.sentence),
                '\b(?:speculative decoding|draft models?|eagle|medusa|sparsity|disaggregat\w+|contexts? of'
                || '|batch (?:size )?(?:of )?one|(?:latency|ttft|tpot) (?:limit|constraint|budget|sla|slo|target)s?)\b'
            ),
            ''
        ) as untold,
        string_agg(distinct f.name, ' or ' order by f.name) as frameworks
    from resolved.claims as c
    left join resolved.names as f
        on
        f.kind = 'frameworks'
        and contains(
            ' ' || regexp_replace(lower(c.conditions), '[^a-z0-9.+-]+', ' ', 'g') || ' ',
            ' ' || lower(f.name_printed) || ' '
        )
    group by c.claim_id, c.conditions, c.sentence
),

claims as (
    select
        c.*,
        coalesce(t.is_at_lowest_latency, false) as is_at_lowest_latency,
        -- Two of them are one of each side, or of another comparison.
        case when len(t.batch_sizes) = 1 then t.batch_sizes[1] end as stated_batch_size,
        case when len(t.precisions) = 1 then t.precisions[1] end as stated_precision,
        t.frameworks as stated_frameworks,
        t.workload as stated_workload,
        t.accelerators as stated_accelerators,
        coalesce(
            t.untold,
            -- `with TensorRT-LLM`, where no number names it; `on` and `across` are where software ran.
            list_filter(
                string_split(c.conditions, '; '),
                lambda words: source_format(c.extractor).medium = 'sentence'
                and t.frameworks is null
                and regexp_matches(lower(words), '^(?:with|using|running) [a-z]')
                and not regexp_matches(
                    lower(words), '\b(?:batch|concurrency|length|latency|tokens?|[bf][fp]\d+|nvfp4|mxfp4|tf32|int\d)\b'
                )
            )[1]
        ) as untold_condition,
        coalesce(c.model, '<null>@' || c.document_id) as model_key,
        d.publisher,
        d.published_on,
        -- A gain from one release to another is measured on one platform, whichever it is.
        case
            when c.baseline_sdk_version is null then false
            when c.baseline_platform is null then true
            else coalesce(c.subject_platform = c.baseline_platform, false)
        end as is_release_gain,
        -- A gain from one round of a suite to another is, too.
        c.baseline_round is not null
        and coalesce(c.baseline_platform = c.subject_platform, c.baseline_platform is null) as is_round_gain,
        coalesce(p.vendor, d.publisher) as vendor,
        -- One system on both sides differs in something that no column tells.
        coalesce(
            c.subject_platform = c.baseline_platform
            and not coalesce(c.subject_accelerator_count <> c.baseline_accelerator_count, false)
            and c.baseline_sdk_version is null
            and c.baseline_round is null,
            false
        ) as is_self_comparison,
        -- Up to 3.2x higher is at least no loss.
        case c.bound when 'up_to' then least(1, c.factor_high) else c.factor_low end as least_factor,
        -- And 1.902 is up to 1.9: half a step of the last printed digit is its rounding.
        case c.bound
            when 'up_to'
                then c.factor_high + 0.5 / pow(10, length(regexp_extract(c.text_printed, '\d\.(\d+)', 1)))
            else c.factor_high
        end as greatest_factor,
        -- The share of `31% faster`: more in the same time or less time may be meant. And a step of its last digit.
        case when better.better = 'lower' and c.bound in ('eq', 'approx') and s.share < 0.99 then s.share end as share,
        0.01 / pow(10, length(regexp_extract(c.text_printed, '\d\.(\d+)', 1))) as step,
        coalesce(regexp_matches(c.conditions, '(?i)\blinear(?:ly)?\b.*\bscal|\bscal\w*\s+linear'), false) as is_linear,
        case c.metric
            when 'performance_per_dollar'
                then ['throughput', 'time_to_train', 'time_to_result', 'training_time', 'price']
            -- One publisher calls it both.
            when 'time_to_train' then ['time_to_train', 'time_to_result']
            when 'time_to_result' then ['time_to_result', 'time_to_train']
            else [c.metric]
        end as metrics,
        better.better
    from resolved.claims as c
    inner join raw.documents as d on c.document_id = d.document_id
    inner join better on c.metric = better.name
    inner join stated as t on c.claim_id = t.claim_id
    left join shares as s on c.claim_id = s.claim_id
    left join internal.systems as p on c.subject_platform = p.platform
),

-- The rounds that a vendor had entered when it made a claim, as far as the warehouse knows them.
entered as (
    select
        c.claim_id,
        c.baseline_round,
        r.suite,
        -- A suite that the claim names is that of its subject, where it is not the other one.
        case when not ends_with(c.suite, c.baseline_round) then c.suite = r.suite end as is_named,
        string_split(regexp_extract(r.suite, '[\d.]+$'), '.')::bigint[] as round_order
    from claims as c
    inner join resolved.results as r
        on c.vendor = r.vendor
        and starts_with(
            r.suite,
            coalesce(
                nullif(regexp_extract(c.suite, '^\w+ \w+ '), ''),
                format('MLPerf {}{} ', upper(c.task[1]), c.task[2:])
            )
        )
    inner join raw.documents as d on r.document_id = d.document_id
    where c.is_round_gain and d.published_on <= c.published_on
),

subjects as (
    select
        claim_id,
        max(round_order) filter (where is_named is not false) as round_order
    from entered
    group by claim_id
),

rounds as (
    select
        e.claim_id,
        max_by(e.suite, (e.round_order, e.suite)) filter (where e.round_order = s.round_order) as subject_suite,
        case
            when min(e.baseline_round) = 'first'
                then min_by(e.suite, (e.round_order, e.suite)) filter (where e.round_order < s.round_order)
            when min(e.baseline_round) = 'previous'
                then max_by(e.suite, (e.round_order, e.suite)) filter (where e.round_order < s.round_order)
            else
                min(e.suite) filter (
                    where ends_with(e.suite, ltrim(e.baseline_round, 'v')) and e.round_order < s.round_order
                )
        end as baseline_suite,
        -- Whether the claim names both rounds; else the warehouse may lack the one that it means.
        bool_or(coalesce(e.is_named, false)) and min(e.baseline_round) not in ('first', 'previous') as is_round_named
    from entered as e
    inner join subjects as s on e.claim_id = s.claim_id
    group by e.claim_id
),

claims_of_rounds as (
    select
        c.*,
        r.subject_suite,
        r.baseline_suite,
        coalesce(r.is_round_named, false) as is_round_named
    from claims as c
    left join rounds as r on c.claim_id = r.claim_id
),

-- Shares are rounded, or rounded down.
read_claims as (
    select
        *,
        case
            when share is null
                then [struct_pack(interpretation := null::text, low := least_factor, high := greatest_factor)]
            else [
                    struct_pack(interpretation := 'rate', low := 1 + share - step / 2, high := 1 + share + step / 2),
                    struct_pack(
                        interpretation := 'time', low := 1 / (1 - share + step / 2), high := 1 / (1 - share - step / 2)
                    ),
                    struct_pack(interpretation := 'rate, rounded down', low := 1 + share, high := 1 + share + step),
                    struct_pack(
                        interpretation := 'time, rounded down', low := 1 / (1 - share), high := 1 / (1 - share - step)
                    )
                ]
        end as readings,
        case
            when share is null then [least_factor, greatest_factor]
            else [1 + share - step / 2, 1 / (1 - share - step)]
        end as hull
    from claims_of_rounds
),

sides as (
    select
        * replace (if(is_round_gain, coalesce(subject_suite, 'a later round'), suite) as suite),
        'subject' as side,
        subject_platform as platform,
        baseline_platform as opponent_platform,
        baseline_sdk_version as opponent_sdk_version,
        subject_accelerator_count as accelerator_count,
        subject_sdk_version as sdk_version,
        subject_framework as framework,
        subject_precision as precision,
        subject_batch_size_low as batch_size_low,
        coalesce(subject_batch_size_high, 1e18) as batch_size_high,
        subject_batch_sizes_printed as batch_sizes_printed,
        subject_dataset as dataset,
        subject_measured_by as measured_by,
        subject_conditions_evidence_id as conditions_evidence_id
    from read_claims
    union all
    select
        * replace (if(is_round_gain, coalesce(baseline_suite, 'the ' || baseline_round || ' round'), suite) as suite),
        'baseline' as side,
        case when is_release_gain or is_round_gain then subject_platform else baseline_platform end as platform,
        subject_platform as opponent_platform,
        subject_sdk_version as opponent_sdk_version,
        baseline_accelerator_count as accelerator_count,
        baseline_sdk_version as sdk_version,
        baseline_framework as framework,
        baseline_precision as precision,
        baseline_batch_size_low as batch_size_low,
        coalesce(baseline_batch_size_high, 1e18) as batch_size_high,
        baseline_batch_sizes_printed as batch_sizes_printed,
        baseline_dataset as dataset,
        baseline_measured_by as measured_by,
        baseline_conditions_evidence_id as conditions_evidence_id
    from read_claims
)

select
    s.claim_id,
    s.side,
    s.document_id,
    s.section_line,
    s.publisher,
    s.published_on,
    s.task,
    s.suite,
    s.model,
    s.model_key,
    s.platform,
    s.opponent_platform,
    p.chip,
    p.chips,
    s.accelerator_count,
    -- Systems of the platform: two of DGX A100 are 16 accelerators.
    s.accelerator_count / p.chips as systems,
    s.sdk_version,
    -- As in resolved.results: 2.4 and 2.4.0 are one release, 2.10 comes after 2.9, and a final release ends with 0.
    try_cast(regexp_extract_all(regexp_replace(s.sdk_version, '(\.0+)+$', ''), '\d+') as bigint[]) || [0] as sdk_order,
    try_cast(regexp_extract_all(regexp_replace(s.opponent_sdk_version, '(\.0+)+$', ''), '\d+') as bigint[])
    || [0] as opponent_sdk_order,
    s.framework,
    s.precision,
    s.batch_sizes_printed,
    s.batch_size_low,
    s.batch_size_high,
    s.dataset,
    s.measured_by,
    s.is_at_lowest_latency,
    s.stated_batch_size,
    s.stated_precision,
    s.stated_frameworks,
    s.stated_workload,
    s.stated_accelerators,
    s.untold_condition,
    s.metric,
    s.statistic,
    s.metrics,
    s.better,
    s.factor,
    s.hull[1] as factor_low,
    s.hull[2] as factor_high,
    s.readings,
    s.is_release_gain,
    s.is_round_gain,
    s.is_round_named,
    s.baseline_round,
    s.vendor,
    s.is_self_comparison,
    s.is_linear,
    s.conditions_evidence_id
from sides as s
left join internal.systems as p on s.platform = p.platform
order by s.claim_id asc, s.side desc
