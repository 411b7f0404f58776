-- Relations between printed numbers that do not hold, with how far the printed number is off.
-- grain: one row per relation that does not hold
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
    case
        when x.printed > x.expected_high and x.expected_high > 0 then x.printed / x.expected_high
        when x.printed < x.expected_low and x.printed > 0 then x.expected_low / x.printed
    end as times_off
from audit.discrepancies as x
inner join raw.documents as d on x.document_id = d.document_id
left join resolved.evidence as e on x.evidence_id = e.evidence_id
order by
    times_off desc nulls last,
    d.source asc,
    d.path asc,
    x.line asc,
    x.check_name asc,
    x.relation_id asc
