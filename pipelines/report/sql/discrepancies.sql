-- Relations between printed numbers that do not hold, with how far the printed number is off. Of each line with such
-- numbers one row is its `finding`: the number that most relations contradict, else the farthest off. Findings are
-- numbered, those that most checks contradict first.
-- grain: one row per relation that does not hold
with unfit as (
    select
        x.relation_id,
        x.check_name,
        x.document_id,
        x.evidence_id,
        e.text_printed,
        x.line,
        x.printed,
        x.expected_low,
        x.expected_high,
        x.unit,
        x.reason,
        x.known_error,
        d.source,
        d.publisher,
        d.title,
        d.published_on,
        d.path,
        case
            when x.printed > x.expected_high and x.expected_high > 0 then x.printed / x.expected_high
            when x.printed < x.expected_low and x.printed > 0 then x.expected_low / x.printed
        end as times_off
    from audit.discrepancies as x
    inner join raw.documents as d on x.document_id = d.document_id
    left join resolved.evidence as e on x.evidence_id = e.evidence_id
),

lines as (
    select
        document_id,
        line,
        list(distinct check_name order by check_name) as check_names,
        len(check_names) as checks,
        list(distinct reason order by reason) as reasons
    from unfit
    group by document_id, line
),

counted as (
    select
        u.*,
        l.checks,
        l.check_names,
        l.reasons,
        coalesce(u.times_off, 1) as distance,
        count(*) over (partition by u.document_id, u.line, u.evidence_id) as at_place
    from unfit as u
    inner join lines as l on u.document_id = l.document_id and u.line = l.line
),

firsts as (
    select * from counted
    qualify row_number() over (partition by document_id, line order by -at_place, -distance, relation_id) = 1
),

findings as (
    select
        relation_id,
        row_number() over (order by -checks, -distance, relation_id) as finding
    from firsts
)

select
    c.* exclude (c.at_place, c.distance),
    f.finding
from counted as c
left join findings as f on c.relation_id = f.relation_id
order by
    c.times_off desc nulls last,
    c.source asc,
    c.path asc,
    c.line asc,
    c.check_name asc,
    c.relation_id asc
