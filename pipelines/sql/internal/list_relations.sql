-- Lists of submission identifiers against the tables of the same document.
-- grain: one row per relation and printed number
with listed as (
    select
        document_id,
        suite,
        submission_id,
        min(line) as line,
        arg_min(evidence_id, (line, evidence_id)) as evidence_id
    from resolved.submissions
    group by document_id, suite, submission_id
),

tabled as (
    select
        document_id,
        suite,
        submission_id,
        arg_min(evidence_id, (line, evidence_id)) as evidence_id
    from resolved.results
    where submission_id is not null
    group by document_id, suite, submission_id
),

lists as (
    select
        l.document_id,
        l.suite,
        min(l.line) as line,
        arg_min(l.evidence_id, (l.line, l.submission_id, l.evidence_id)) as evidence_id,
        case when count(distinct l.line) > 1 then 'lines ' else 'line ' end
        || array_to_string(list_sort(list_distinct(list(l.line))), ' and ') as lines_printed
    from listed as l
    group by l.document_id, l.suite
),

compared as (
    select
        t.document_id,
        t.suite,
        count(*) as tabled_ids,
        count(l.submission_id) as listed_ids,
        list(t.evidence_id order by t.submission_id) as inputs,
        string_agg(t.submission_id, ', ' order by t.submission_id) filter (where l.submission_id is null) as missing
    from tabled as t
    left join listed as l
        on t.document_id = l.document_id
        and t.suite is not distinct from l.suite
        and t.submission_id = l.submission_id
    group by t.document_id, t.suite
)

select
    'listed_submissions' as check_name,
    c.document_id,
    i.evidence_id,
    i.line,
    c.missing is null as holds,
    c.tabled_ids::double as expected_low,
    c.tabled_ids::double as expected_high,
    c.listed_ids::double as printed,
    'identifiers' as unit,
    c.inputs,
    format(
        'the list in {} has {} of the {} {} identifiers of the table{}',
        i.lines_printed,
        case when c.missing is null then 'all' else c.listed_ids::varchar end,
        c.tabled_ids,
        coalesce(c.suite, 'submission'),
        coalesce(', not ' || c.missing, '')
    ) as reason
from compared as c
inner join lists as i on c.document_id = i.document_id and c.suite is not distinct from i.suite
-- A list that names a few of them names its own and is none of the table.
where c.listed_ids >= 2 and c.listed_ids * 2 >= c.tabled_ids
order by c.document_id, i.line, i.evidence_id
