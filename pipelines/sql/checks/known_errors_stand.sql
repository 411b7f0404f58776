-- Entries of corrections.yml that no longer match a stored document, and numbers with two entries.
with named as (
    select
        k.correction,
        k.known_in,
        k.expected,
        d.document_id
    from (
        select
            correction,
            expected,
            unnest(known_in) as known_in
        from internal.known_errors
    ) as k
    inner join raw.documents as d on k.known_in in (d.source, d.document_id)
)

select
    format(
        'known error {}: {} prints {} as {} in line {} where the entry expects {}; if the source was mended, remove '
        'the entry, or name in known_in the sha256 of the documents that still print it',
        p.correction,
        min(d.path),
        min(p.value_printed),
        min(p.metric),
        min(p.line),
        min(array_to_string(k.expected, ', '))
    ) as fault
from internal.known_error_places as p
inner join internal.known_errors as k on p.correction = k.correction
inner join raw.documents as d on p.document_id = d.document_id
group by p.correction, p.document_id
having not bool_or(p.is_as_expected)
union all
select
    format(
        'known error {}: no document of {} has the row any more that prints {}; mend the entry, or remove it',
        n.correction,
        n.known_in,
        min(array_to_string(n.expected, ', '))
    ) as fault
from named as n
left join internal.known_error_places as p on n.correction = p.correction and n.document_id = p.document_id
group by n.correction, n.known_in
having count(p.correction) = 0
union all
select
    format(
        'known errors {}: all of them name the number in line {} of {}; one entry is enough',
        string_agg(p.correction, ', ' order by p.correction),
        min(p.line),
        min(d.path)
    ) as fault
from internal.known_error_places as p
inner join raw.documents as d on p.document_id = d.document_id
where p.is_as_expected
group by p.evidence_id, p.metric
having count(*) > 1
