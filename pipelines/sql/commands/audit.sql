-- Claims with their verdicts, relations between numbers that do not hold, and places that disagree.
-- grain: one row per claim, discrepancy or conflict
-- $1 lists the documents; $2, if given, selects claims with that verdict. The expected interval of a claim is
-- recomputed from the numbers; for a conflict it is the value of the other place.
with claims as (
    select
        'claim' as kind,
        c.verdict as finding,
        c.source,
        c.published_on,
        d.path,
        c.line,
        concat_ws(
            ', ',
            nullif(concat_ws(' ', c.model, c.task), ''),
            nullif(
                concat_ws(
                    ' against ',
                    c.subject_platform,
                    coalesce(c.baseline_platform, 'SDK ' || c.baseline_sdk_version, 'round ' || c.baseline_round)
                ),
                ''
            ),
            replace(c.metric, '_', ' ')
        ) as what,
        r.text_printed as printed,
        c.recomputed_low as expected_low,
        c.recomputed_high as expected_high,
        concat_ws(
            '; ',
            c.reason,
            'it assumes that ' || c.assumption,
            'it no longer holds at ' || case c.assumption_unit
                when 'USD' then format('{:,.0f} USD', c.break_even)
                else format('{:.4g} times linear', c.break_even)
            end
        ) as reason,
        c.claim_id as id,
        list_position(['contradicted', 'confirmed', 'consistent', 'not_checkable'], c.verdict) as rank,
        c.factor
    from main.claims as c
    inner join resolved.claims as r on c.claim_id = r.claim_id
    inner join raw.documents as d on c.document_id = d.document_id
    where list_contains($1, c.document_id) and coalesce(c.verdict = $2, true)
),

discrepancies as (
    select
        'discrepancy' as kind,
        x.check_name as finding,
        d.source,
        d.published_on,
        d.path,
        x.line,
        replace(x.check_name, '_', ' ') as what,
        concat_ws(' ', x.printed, x.unit) as printed,
        x.expected_low,
        x.expected_high,
        concat_ws('; ', x.reason, 'a known error: ' || x.known_error) as reason,
        x.evidence_id as id,
        5 as rank,
        null as factor
    from audit.discrepancies as x
    inner join raw.documents as d on x.document_id = d.document_id
    where list_has_any($1, x.document_ids) and $2 is null
),

conflicts as (
    select
        'conflict' as kind,
        x.kind as finding,
        d.source,
        d.published_on,
        d.path,
        l.line,
        replace(x.kind, '_', ' ') as what,
        l.text_printed as printed,
        x.right_value as expected_low,
        x.right_value as expected_high,
        x.reason,
        x.left_evidence_id as id,
        6 as rank,
        null as factor
    from audit.conflicts as x
    inner join resolved.evidence as l on x.left_evidence_id = l.evidence_id
    inner join resolved.evidence as r on x.right_evidence_id = r.evidence_id
    inner join raw.documents as d on l.document_id = d.document_id
    where (list_contains($1, l.document_id) or list_contains($1, r.document_id)) and $2 is null
),

findings as (
    from claims
    union all
    from discrepancies
    union all
    from conflicts
)

select * exclude (rank, factor) from findings
order by rank, published_on, path, line, factor, finding, reason, id
