-- Factors recomputed for claims: every pair of numbers that fits, and the nearest pair.
-- grain: one row per claim and pair of numbers
-- The argument of a lambda is a text, which the linter reads as a column.
-- noqa: disable=RF02
with claims as (
    select
        s.claim_id,
        s.document_id,
        s.metric,
        s.model,
        s.is_release_gain,
        s.is_round_gain,
        s.is_round_named,
        s.suite as subject_suite,
        b.suite as baseline_suite,
        s.conditions_evidence_id is not null and b.conditions_evidence_id is not null as states_conditions,
        s.accelerator_count is not null and b.accelerator_count is not null as states_accelerators,
        s.readings,
        c.bound
    from resolved.claims as c
    inner join internal.claim_sides as s on c.claim_id = s.claim_id and s.side = 'subject'
    inner join internal.claim_sides as b on c.claim_id = b.claim_id and b.side = 'baseline'
),

candidates as (
    select
        i.*,
        len(i.mismatches) = 0 as is_fitting,
        list_transform(
            i.mismatches, lambda reason: coalesce(s.platform, i.side) || ': ' || reason
        ) as named_mismatches
    from internal.claim_inputs as i
    inner join internal.claim_sides as s on i.claim_id = s.claim_id and i.side = s.side
    -- Of numbers that do not fit only the nearest are compared.
    where i.keeps_conditions
    qualify
        len(i.mismatches) = 0
        or row_number() over (
            partition by i.claim_id, i.side, i.metric
            order by
                i.is_of_its_day desc, len(i.mismatches) asc, i.is_cited desc, i.days_apart asc, i.goodness desc,
                i.number_id asc
        ) <= 20
),

pairs as (
    select
        c.*,
        s.metric as input_metric,
        s.evidence_id as subject_evidence_id,
        b.evidence_id as baseline_evidence_id,
        s.number_id as subject_number_id,
        b.number_id as baseline_number_id,
        s.value_words as subject_words,
        b.value_words as baseline_words,
        s.goodness_low as subject_low,
        b.goodness_low as baseline_low,
        s.goodness_low / b.goodness_high as raw_low,
        if(b.goodness_low > 0, s.goodness_high / b.goodness_low, 'inf'::double) as raw_high,
        case
            when s.is_unnamed then 'bars_without_names'
            when c.is_release_gain then 'release_gain'
            when c.is_round_gain then 'round_gain'
            when c.metric = 'price' then 'price'
            when c.metric = 'performance_per_dollar' then 'price_performance'
            else 'results'
        end as kind,
        s.is_fitting and b.is_fitting as is_fitting,
        s.named_mismatches || b.named_mismatches as mismatches,
        s.is_cited::int + b.is_cited::int as cited,
        (s.is_fitting or s.is_of_its_day)::int + (b.is_fitting or b.is_of_its_day)::int as of_its_day,
        coalesce(s.days_apart + b.days_apart, 1e6) as days_apart,
        s.workload = b.workload
        and coalesce(s.item = b.item, true)
        and coalesce(s.systems = b.systems or c.states_accelerators, true) as is_comparable,
        s.is_own and b.is_own as is_own,
        coalesce(s.vendor <> b.vendor, false) as is_between_vendors,
        s.is_vague or b.is_vague as is_vague,
        s.scale <> 1 or b.scale <> 1 as is_scaled,
        case when s.scale <> 1 then s.scale end as subject_scale,
        case when b.scale <> 1 then b.scale end as baseline_scale,
        [
            case
                when s.model <> b.model then format('model {} against {}', s.model, b.model)
                when s.model <> c.model then format('model {} instead of {}', s.model, c.model)
            end,
            case
                when s.workload <> b.workload
                    then format(
                            'workload {} against {}',
                            coalesce(nullif(s.workload, ''), 'not stated'),
                            coalesce(nullif(b.workload, ''), 'not stated')
                        )
            end,
            case
                when s.systems <> b.systems
                    then format('accelerators {} against {}', s.accelerator_count, b.accelerator_count)
            end,
            case when s.item <> b.item then format('{} against {}', s.item, b.item) end,
            case
                when s.precision <> b.precision then format('precision {} against {}', s.precision, b.precision)
            end,
            case
                when s.batch_size <> b.batch_size
                    then format('batch size {} against {}', s.batch_size, b.batch_size)
            end,
            case when s.dataset <> b.dataset then format('dataset {} against {}', s.dataset, b.dataset) end,
            case
                -- TensorFlow 1 is TensorFlow.
                when not (starts_with(s.framework, b.framework) or starts_with(b.framework, s.framework))
                    then format('framework {} against {}', s.framework, b.framework)
            end,
            case
                when s.configuration <> b.configuration
                    then format('configuration {} against {}', s.configuration, b.configuration)
            end,
            case
                when s.publisher <> b.publisher
                    then format('published by {} against {}', s.publisher, b.publisher)
            end,
            case
                when c.is_round_gain and not c.is_round_named
                    then format('round assumed: {} against {}', c.subject_suite, c.baseline_suite)
            end
        ]
        || list_transform(
            list_filter(
                list_sort(list_distinct(map_keys(s.ran) || map_keys(b.ran))),
                lambda name: s.ran[name] is distinct from b.ran[name]
            ),
            lambda name: format(
                '{} {} against {}',
                replace(name, '_', ' '),
                coalesce(s.ran[name], 'not stated'),
                coalesce(b.ran[name], 'not stated')
            )
        ) as possible_differences
    from claims as c
    inner join candidates as s on c.claim_id = s.claim_id and s.side = 'subject'
    inner join candidates as b on c.claim_id = b.claim_id and b.side = 'baseline' and s.metric = b.metric
    where
        s.chart is not distinct from b.chart
        and s.number_id <> b.number_id
        and coalesce(s.task = b.task, true)
        and (s.benchmark_key = b.benchmark_key or not c.is_release_gain)
        and (s.platform = b.platform or not c.is_round_gain)
        and (s.metric <> 'price' or c.metric = 'price')
),

priced as (
    select
        p.*,
        case when p.kind = 'price_performance' then ps.evidence_id end as subject_price_evidence_id,
        case when p.kind = 'price_performance' then pb.evidence_id end as baseline_price_evidence_id,
        case
            when p.kind = 'price_performance' then format(' at {} against {}', ps.value_words, pb.value_words) else ''
        end as price_words,
        case when p.kind = 'price_performance' then pb.value_low / ps.value_high else 1 end as price_low,
        case when p.kind = 'price_performance' then pb.value_high / ps.value_low else 1 end as price_high,
        case
            when p.kind = 'price_performance' and ps.bound in ('eq', 'approx') and pb.bound in ('eq', 'approx')
                then pb.value / ps.value
        end as price_stated
    from pairs as p
    left join internal.claim_inputs as ps on p.claim_id = ps.claim_id and ps.side = 'subject' and ps.is_list_price
    left join internal.claim_inputs as pb on p.claim_id = pb.claim_id and pb.side = 'baseline' and pb.is_list_price
    where p.kind <> 'price_performance' or (ps.evidence_id is not null and pb.evidence_id is not null)
),

ranked as (
    select
        *,
        list_filter(possible_differences, lambda difference: difference is not null) as differences,
        raw_low * price_low as ratio_low,
        raw_high * price_high as ratio_high,
        rank() over (alike order by cited desc, len(differences) asc) = 1 as is_like_for_like,
        max(subject_low) over alike = subject_low and max(baseline_low) over alike = baseline_low as is_best,
        not is_fitting
        and kind = 'results'
        and row_number() over (
            partition by claim_id, is_fitting
            order by
                is_comparable desc, of_its_day desc, len(mismatches) asc, len(differences) asc, cited desc,
                days_apart asc, subject_low desc, baseline_low desc, subject_number_id asc, baseline_number_id asc
        ) = 1 as is_nearest,
        list_filter(
            readings,
            -- A ratio at the very edge of the printed rounding still agrees.
            lambda reading: raw_low * price_low <= reading['high'] * (1 + 1e-9)
            and raw_high * price_high >= reading['low'] * (1 - 1e-9)
        ) as met_readings
    from priced
    window alike as (partition by claim_id, is_fitting, is_comparable)
),

judged as (
    select
        *,
        len(met_readings) > 0 as meets,
        case
            when len(differences) = 0 then 'same'
            -- Framework, batch size or parallelism are how the same work was run.
            when is_comparable
                and not regexp_matches(array_to_string(differences, '; '), '(^|; )(workload|accelerators|dataset) ')
                then 'close'
            else 'indicative'
        end as grade,
        -- A claim that names no conditions is read twice: like for like, and the best of each side.
        is_fitting
        and is_comparable
        and case
            when kind = 'bars_without_names' or bound = 'up_to' then true
            else is_like_for_like or is_best
        end as is_meant,
        min(ratio_low) over (partition by claim_id, is_fitting, is_comparable) as all_low,
        max(ratio_high) over (partition by claim_id, is_fitting, is_comparable) as all_high
    from ranked
),

held as (
    select
        *,
        -- The claim's own document or its conditions account for what differs. Each vendor runs its own side.
        (grade = 'same' or is_own or states_conditions or (grade = 'close' and is_between_vendors))
        and not is_vague
        -- What an assumed round gives can support a claim, and not contradict it.
        and (is_round_named or not is_round_gain) as is_firm
    from judged
)

select
    claim_id,
    kind,
    input_metric,
    subject_number_id,
    baseline_number_id,
    list_filter(
        [subject_evidence_id, baseline_evidence_id, subject_price_evidence_id, baseline_price_evidence_id],
        lambda id: id is not null
    ) as inputs,
    ratio_low,
    ratio_high,
    meets,
    is_fitting,
    is_nearest,
    is_meant,
    is_comparable,
    is_firm,
    met_readings[1].interpretation as interpretation,
    grade,
    case
        when is_nearest
            then mismatches || list_filter(
                    differences,
                    lambda difference: not contains(
                        array_to_string(mismatches, ', '), split_part(difference, ' ', 1) || ' '
                    )
                )
        else differences
    end as differences,
    subject_scale,
    baseline_scale,
    raw_high as performance_high,
    format(
        '{} against {}{}{} gives {}',
        subject_words,
        baseline_words,
        price_words,
        case
            when is_scaled
                then format(', taken {:.4g} and {:.4g} times,', coalesce(subject_scale, 1), coalesce(baseline_scale, 1))
            else ''
        end,
        case
            when isinf(ratio_high) then format('{:.4g} or more', ratio_low)
            when format('{:.4g}', ratio_low) = format('{:.4g}', ratio_high) then format('{:.4g}', ratio_low)
            else format('{:.4g} to {:.4g}', ratio_low, ratio_high)
        end
        || coalesce(format(' ({:.4g} at exactly these prices)', sqrt(raw_low * raw_high) * price_stated), '')
    ) as arithmetic
from held
-- Of the pairs that nobody means, the extreme ones say how far the numbers reach.
where is_meant or is_nearest or is_fitting and (ratio_low = all_low or ratio_high = all_high)
order by claim_id, subject_number_id, baseline_number_id
