-- Result of checking each claim against the numbers in the warehouse.
-- grain: one row per claim
with recomputed as (
    select
        claim_id as recomputed_claim_id,
        min(kind) as kind,
        bool_or(is_comparable) as has_comparable,
        bool_or(is_meant and meets) as is_met,
        coalesce(bool_and(is_firm) filter (where is_meant), false) as is_firm,
        min(ratio_low) filter (where is_comparable) as all_low,
        max(ratio_high) filter (where is_comparable) as all_high,
        min(ratio_low) filter (where is_meant and meets) as met_low,
        max(ratio_high) filter (where is_meant and meets) as met_high,
        -- 48 hours against less than 3 are 16 times or any more, and a price of about 300,000 is 250,000 to 350,000:
        -- an interval without an end, or wider than 10% of its middle, confirms nothing.
        met_low > 0 and isfinite(met_high) and met_high - met_low <= 0.1 * (met_high + met_low) as is_narrow,
        max(performance_high) filter (where is_meant) as performance_high,
        arg_min(interpretation, (len(differences), interpretation)) filter (where is_meant and meets) as interpretation,
        min(list_position(['same', 'close', 'indicative'], grade)) filter (where is_meant and meets) as met_grade,
        min(list_position(['same', 'close', 'indicative'], grade)) filter (where is_comparable) as all_grade,
        max(baseline_scale) as baseline_scale,
        max(subject_scale) as subject_scale,
        list(arithmetic order by len(differences), arithmetic) filter (where is_meant and meets) as met_arithmetics,
        list(arithmetic order by is_meant desc, len(differences), arithmetic asc) as arithmetics,
        list_distinct(list_sort(flatten(list(inputs) filter (where is_meant and meets)))) as met_inputs,
        list_distinct(list_sort(flatten(list(inputs)))) as other_inputs,
        list_distinct(list_sort(flatten(list(differences) filter (where is_meant and meets)))) as met_differences,
        list_distinct(list_sort(flatten(list(differences)))) as other_differences
    from internal.claim_recomputations
    where is_fitting
    group by claim_id
),

nearest_pairs as (
    select
        claim_id as nearest_claim_id,
        ratio_low as nearest_low,
        ratio_high as nearest_high,
        inputs as nearest_inputs,
        differences as nearest_differences,
        arithmetic as nearest_arithmetic
    from internal.claim_recomputations
    where is_nearest
),

-- What there is and is not on each side of a claim.
sides as (
    select
        s.*,
        count(i.number_id) filter (where len(i.mismatches) = 0) as fitting,
        count(distinct i.value) filter (where len(i.mismatches) = 0) as fitting_values,
        min(i.value_low) filter (where len(i.mismatches) = 0) as fitting_low,
        max(i.value_high) filter (where len(i.mismatches) = 0) as fitting_high,
        list(distinct i.evidence_id order by i.evidence_id) filter (where len(i.mismatches) = 0) as fitting_inputs,
        min(i.value_words) filter (where len(i.mismatches) = 0) as fitting_words,
        min(i.unit) as unit,
        arg_min(
            struct_pack(
                number_id := i.number_id,
                words := format('{} ({})', i.value_words, array_to_string(i.mismatches, ', ')),
                keeps_conditions := i.keeps_conditions,
                low := i.value_low,
                high := i.value_high
            ),
            (
                not i.keeps_conditions, not i.is_of_its_day, len(i.mismatches), i.published_on,
                -i.goodness, i.value_words, i.mismatches, i.value_low, i.value_high,
                i.number_id
            ),
            2
        ) filter (where len(i.mismatches) > 0) as nearest_two,
        concat_ws(
            ' ',
            s.platform,
            case when s.systems <> 1 then format('({} accelerators)', s.accelerator_count) end,
            s.model,
            case when s.metric not like '%train%' then s.task end,
            s.statistic,
            case
                when s.metric = 'performance_per_dollar' then 'time to train or throughput'
                else replace(s.metric, '_', ' ')
            end,
            case when not s.is_release_gain then 'in ' || s.suite end,
            case
                when s.is_release_gain and s.side = 'subject' and s.sdk_version is null then 'under a later SDK'
                else 'under SDK ' || s.sdk_version
            end
        ) as needed
    from internal.claim_sides as s
    left join internal.claim_inputs as i
        on s.claim_id = i.claim_id and s.side = i.side and (i.metric <> 'price' or s.metric = 'price')
    group by all
),

-- One row is not the nearest for both sides: then the next one is the baseline's.
told as (
    select
        b.*,
        case
            when b.side = 'baseline' and s.fitting = 0 and b.nearest_two[1].number_id = s.nearest_two[1].number_id
                then b.nearest_two[2].words
            else b.nearest_two[1].words
        end as nearest,
        -- A number that is alone on its side, or else the nearest one, says what the other side would have to be.
        case
            when b.fitting_values = 1 then 'fitting'
            when b.fitting > 0 then 'several'
            when b.nearest_two[1].keeps_conditions and s.fitting = 0 and o.fitting = 0 then 'nearest'
            when b.nearest_two is not null and not b.nearest_two[1].keeps_conditions then 'other'
            else 'none'
        end as known,
        case when b.fitting = 0 then b.nearest_two[1].low else b.fitting_low end as known_low,
        case when b.fitting = 0 then b.nearest_two[1].high else b.fitting_high end as known_high
    from sides as b
    inner join sides as s on b.claim_id = s.claim_id and s.side = 'subject'
    inner join sides as o on b.claim_id = o.claim_id and o.side = 'baseline'
),

needs as (
    select
        claim_id as needing_claim_id,
        array_to_string(
            list(
                case when regexp_matches(needed, '^([AEIO]|[FHLMNRSX][A-Z0-9])') then 'an ' else 'a ' end || needed
                order by side desc
            ) filter (where fitting = 0),
            ' and '
        ) as missing,
        count(*) filter (where fitting = 0) as missing_sides,
        coalesce(array_to_string(
            list(format('; the nearest for {} is {}', coalesce(platform, 'the ' || side), nearest) order by side desc)
            filter (where fitting = 0 and nearest is not null),
            ''
        ), '') as nearest_words,
        min(coalesce(platform, side)) filter (where fitting_values = 1) as known_platform,
        min(fitting_words) filter (where fitting_values = 1) as known_words,
        min(side) filter (where known in ('fitting', 'nearest')) as known_side,
        min(known_low) filter (where known in ('fitting', 'nearest')) as known_low,
        min(known_high) filter (where known in ('fitting', 'nearest')) as known_high,
        min(coalesce(platform, 'the ' || side)) filter (where known = 'none') as unknown_platform,
        min(unit) as needed_unit,
        flatten(list(fitting_inputs order by fitting_inputs) filter (where fitting > 0)) as known_inputs,
        min(better) as better,
        min(factor_low) as least_factor,
        min(factor_high) as greatest_factor,
        min(readings) as readings,
        min(is_self_comparison) as is_self_comparison
    from told
    group by claim_id
),

assumptions as (
    select
        claim_id as assuming_claim_id,
        assumption,
        assumption_unit,
        assumed_value,
        break_even,
        break_even_parity,
        break_even_basis,
        inputs as assumed_inputs
    from internal.claim_assumptions
),

judged as (
    select
        c.*,
        r.*,
        n.*,
        p.*,
        a.*,
        -- With one number known, the claim itself says what the other would have to be.
        coalesce(
            r.arithmetics is null
            and n.known_side is not null
            and n.unknown_platform is not null
            -- Of a side that nobody names there is nothing to say.
            and (c.baseline_platform is not null or c.baseline_sdk_version is not null or c.baseline_round is not null)
            and c.metric not in ('price', 'performance_per_dollar'),
            false
        ) as is_one_known,
        case
            when r.is_met and r.is_narrow then 'confirmed'
            when r.is_met then 'consistent'
            when
                r.has_comparable
                and r.is_firm
                -- A side that only the text around states may be another one than the claim means.
                and c.subject_basis = 'comparison'
                and c.baseline_basis = 'comparison'
                and len(
                    list_filter(
                        n.readings,
                        lambda reading: r.all_low <= reading['high'] and r.all_high >= reading['low'] -- noqa: RF02
                    )
                ) = 0
                then 'contradicted'
            else 'not_checkable'
        end as verdict,
        case
            when isinf(c.factor_high) then format('{:.4g} or more', c.factor_low)
            when c.bound = 'up_to' then format('up to {:.4g}', c.factor_high)
            else format('{:.4g} to {:.4g}', c.factor_low, c.factor_high)
        end as claimed_words,
        case when r.is_met then r.met_arithmetics else r.arithmetics end as shown,
        array_to_string(shown[1:3], '; ')
        || case when len(shown) > 3 then format('; and {} more pairs', len(shown) - 3) else '' end as arithmetic_words,
        case
            when r.is_narrow then ''
            when isinf(r.met_high) then '; an interval without an end confirms nothing'
            else '; an interval wider than 10% of its middle confirms nothing'
        end as width_words,
        coalesce(case when r.is_met then r.met_differences else r.other_differences end, []) as differing
    from resolved.claims as c
    left join recomputed as r on c.claim_id = r.recomputed_claim_id
    left join needs as n on c.claim_id = n.needing_claim_id
    left join nearest_pairs as p on c.claim_id = p.nearest_claim_id
    left join assumptions as a on c.claim_id = a.assuming_claim_id
),

decided as (
    select
        *,
        case
            when not is_one_known then null
            when better = 'higher' and known_side = 'subject' then known_low / factor_high
            when better = 'higher' then known_low * factor_low
            when known_side = 'subject' then known_low * factor_low
            else known_low / factor_high
        end as needed_low,
        case
            when not is_one_known then null
            when better = 'higher' and known_side = 'subject' then known_high / nullif(factor_low, 0)
            when better = 'higher' then known_high * factor_high
            when known_side = 'subject' then known_high * factor_high
            else known_high / nullif(factor_low, 0)
        end as needed_high
    from judged
)

select
    claim_id,
    verdict,
    case when is_met then met_low else all_low end as recomputed_low,
    case when is_met then met_high else all_high end as recomputed_high,
    list_sort(
        coalesce(
            case
                when is_met then met_inputs else
                    coalesce(other_inputs, coalesce(known_inputs, []) || coalesce(assumed_inputs, []))
            end,
            []
        )
    ) as inputs,
    case
        when is_met
            then format('{}, and the claim is {}{}', arithmetic_words, claimed_words, width_words)
        when verdict = 'contradicted'
            then format(
                    '{}, {} than the claimed {}',
                    arithmetic_words,
                    case when all_high < least_factor then 'less' else 'more' end,
                    claimed_words
                )
        when metric is null or known_inputs is null and missing is null
            then 'the claim does not state its metric: throughput, latency, a time, a price'
        when has_comparable and not is_met and not (all_high < least_factor or all_low > greatest_factor)
            then format(
                    'the numbers give {:.4g} to {:.4g}, but no pair that fits the claim agrees: {}',
                    all_low,
                    all_high,
                    arithmetic_words
                )
        when has_comparable and is_firm
            then format(
                    '{}, not {}, but the comparison itself does not state the {}',
                    arithmetic_words,
                    claimed_words,
                    case when subject_basis = 'comparison' then 'baseline' else 'subject' end
                )
        when has_comparable
            then format('{}, not {}, but other differences may explain it', arithmetic_words, claimed_words)
        when arithmetics is not null
            then format('only numbers of different workloads are available: {}', arithmetic_words)
        when subject_basis = 'other' and baseline_basis = 'other'
            then format('the claim compares {} with {}, which are no platforms', subject_printed, baseline_printed)
        when 'other' in (subject_basis, baseline_basis)
            then format(
                    'the claim compares with {}, which is no platform',
                    case when baseline_basis = 'other' then baseline_printed else subject_printed end
                )
        when subject_platform is null and baseline_sdk_version is null and baseline_round is null
            then 'the claim does not name the system that it favours'
        when baseline_platform is null and baseline_sdk_version is null and baseline_round is null
            then format('the claim does not state what {} is compared with', subject_platform)
        when is_self_comparison
            then format(
                    'the claim compares {} with itself and does not state how the two sides differ', subject_platform
                )
        when missing <> ''
            then format(
                    'needs {}; {}{}{}',
                    missing,
                    if(nearest_words = '', 'none in the warehouse', 'no matching number in the warehouse'),
                    case
                        when known_words is not null and missing_sides = 1
                            then format('; for {} there is {}', known_platform, known_words)
                        else ''
                    end,
                    case
                        when nearest_arithmetic is null then nearest_words
                        else format(
                                '; the nearest numbers: {}, with {}',
                                nearest_arithmetic,
                                array_to_string(nearest_differences[1:6], ', ')
                            )
                    end
                )
        when metric in ('price', 'performance_per_dollar')
            then 'needs the list prices of both systems and a number in one metric for each; no matching set'
        else 'the numbers of the two sides belong to different benchmarks'
    end
    || case kind
        when 'bars_without_names' then '; the bars have no labels, so the worst bar is used as the baseline' else ''
    end
    || coalesce(
        format(
            '; {} would need {} {}',
            unknown_platform,
            case
                when needed_low = 0 then format('at most {:.4g}', needed_high)
                when isinf(needed_high) then format('at least {:.4g}', needed_low)
                when needed_low >= 1000 then format('{:,} to {:,}', needed_low::bigint, needed_high::bigint)
                else format('{:.4g} to {:.4g}', needed_low, needed_high)
            end,
            needed_unit
        ),
        ''
    )
    || case
        when len(differing) > 0 then '; they differ in: ' || array_to_string(list_sort(differing)[1:6], ', ') else ''
    end as reason,
    '5' as method_version,
    case
        when verdict = 'contradicted' then ['same', 'close', 'indicative'][all_grade]
        when verdict <> 'not_checkable' then ['same', 'close', 'indicative'][met_grade]
    end as grade,
    case when verdict in ('confirmed', 'consistent') then interpretation end as interpretation,
    case when verdict = 'not_checkable' then nearest_low end as nearest_low,
    case when verdict = 'not_checkable' then nearest_high end as nearest_high,
    case when verdict = 'not_checkable' then list_sort(nearest_inputs) end as nearest_inputs,
    case when verdict = 'not_checkable' then nearest_differences end as nearest_differences,
    kind,
    list_sort(differing) as differences,
    needed_low,
    needed_high,
    assumption,
    assumption_unit,
    assumed_value,
    break_even,
    break_even_parity,
    break_even_basis
from decided
order by document_id, line, claim_id
