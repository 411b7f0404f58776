-- Numbers at the places of known errors, and whether they are printed as expected.
-- grain: one row per known error and number at its place
-- The argument of a lambda is a condition, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03
with placed as (
    select
        m.*,
        k as entry
    from internal.known_errors as k
    inner join extracted.measurements as m
        on k.metric = m.metric
        and coalesce(k.line = m.line, true)
        and (k.section is null or k.section is not distinct from m.section)
        and (k.extractor is null or k.extractor = m.extractor)
        and (k.task is null or k.task is not distinct from m.task)
        and (k.suite is null or k.suite is not distinct from m.suite)
        and (k.model_printed is null or k.model_printed is not distinct from m.model_printed)
        and (k.variant_printed is null or k.variant_printed is not distinct from m.variant_printed)
        and (k.platform_printed is null or k.platform_printed is not distinct from m.platform_printed)
        and (k.accelerator_count is null or k.accelerator_count is not distinct from m.accelerator_count)
        and (k.sdk_version is null or k.sdk_version is not distinct from m.sdk_version)
        and (k.framework_printed is null or k.framework_printed is not distinct from m.framework_printed)
        and (k.dataset_printed is null or k.dataset_printed is not distinct from m.dataset_printed)
        and (k.batch_size is null or k.batch_size is not distinct from m.batch_size)
        and (k.precision is null or k.precision is not distinct from m.precision)
        and (k.division is null or k.division is not distinct from m.division)
        and (k.submission_id is null or k.submission_id is not distinct from m.submission_id)
),

-- What the whole row prints: a table row by its first line, a sentence by its line.
rows_printed as (
    select
        m.document_id,
        coalesce(m.row_line, m.line) as row_line,
        list(m.metric || ' ' || m.text_printed order by m.line, m.char_start, m.metric) as row_prints
    from extracted.measurements as m
    semi join placed as p
        on m.document_id = p.document_id and coalesce(m.row_line, m.line) = coalesce(p.row_line, p.line)
    group by m.document_id, coalesce(m.row_line, m.line)
),

-- The conditions that have no column.
listed as (
    select
        document_id,
        extractor,
        line,
        char_start,
        metric,
        unnest(conditions) as number
    from placed
),

stated as (
    select
        l.document_id,
        l.line,
        l.char_start,
        l.metric,
        { 'key': c.dimension, 'value': texts_of(list(c.value)) } as condition
    from listed as l
    inner join extracted.conditions as c
        on l.document_id = c.document_id and l.extractor = c.extractor and l.number = c.number
    where c.dimension not in ('metric', 'unit') and not dimension(c.dimension).has_column
    group by l.document_id, l.line, l.char_start, l.metric, c.dimension
),

worded as (
    select
        document_id,
        line,
        char_start,
        metric,
        words_of(list(condition)) as other_conditions
    from stated
    group by document_id, line, char_start, metric
)

select
    p.entry.correction,
    p.entry.correction_action,
    p.entry.reason as correction_reason,
    p.document_id,
    substr(sha256(concat_ws('|', p.document_id, p.line, p.char_start, p.char_end)), 1, 16) as evidence_id,
    p.line,
    p.metric,
    p.text_printed as value_printed,
    coalesce(p.text_printed = p.entry.value_printed, true)
    and list_has_all(r.row_prints, p.entry.expected)
    and coalesce(p.unit = p.entry.unit, true) as is_as_expected,
    p.entry.value,
    p.entry.value_low,
    p.entry.value_high
from placed as p
inner join rows_printed as r on p.document_id = r.document_id and coalesce(p.row_line, p.line) = r.row_line
inner join raw.documents as d on p.document_id = d.document_id
left join worded as w
    on p.document_id = w.document_id and p.line = w.line and p.char_start = w.char_start and p.metric = w.metric
where
    (p.entry.other_conditions is null or p.entry.other_conditions is not distinct from w.other_conditions)
    -- In a document that the entry does not name, another number at the place is nothing but another number.
    and (
        list_contains(p.entry.known_in, d.source)
        or list_contains(p.entry.known_in, d.document_id)
        or (p.entry.is_anywhere and is_as_expected)
    )
order by p.entry.correction, p.document_id, p.line, p.char_start
