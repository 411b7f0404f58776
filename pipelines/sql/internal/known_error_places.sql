-- Numbers at the places of known errors, and whether they are printed as expected.
-- grain: one row per known error and number at its place
with printed as (
    select
        m.*,
        c.other_conditions,
        substr(sha256(concat_ws('|', m.document_id, m.line, m.char_start, m.char_end)), 1, 16) as evidence_id,
        -- What the whole row prints: a table row by its first line, a sentence by its line.
        list(m.metric || ' ' || m.text_printed order by m.line, m.char_start, m.metric)
            over (partition by m.document_id, coalesce(m.row_line, m.line)) as row_prints
    from extracted.measurements as m
    left join internal.stated_conditions as c
        on
        m.document_id = c.document_id
        and m.line = c.line
        and m.char_start = c.char_start
        and m.metric = c.metric
)

select
    k.correction,
    k.correction_action,
    k.reason as correction_reason,
    m.document_id,
    m.evidence_id,
    m.line,
    m.metric,
    m.text_printed as value_printed,
    coalesce(m.text_printed = k.value_printed, true)
    and list_has_all(m.row_prints, k.expected)
    and coalesce(m.unit = k.unit, true) as is_as_expected,
    k.value,
    k.value_low,
    k.value_high
from internal.known_errors as k
inner join printed as m
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
    and (k.other_conditions is null or k.other_conditions is not distinct from m.other_conditions)
inner join raw.documents as d on m.document_id = d.document_id
-- In a document that the entry does not name, another number at the place is nothing but another number.
where
    list_contains(k.known_in, d.source)
    or list_contains(k.known_in, d.document_id)
    or (k.is_anywhere and is_as_expected)
order by k.correction, m.document_id, m.line, m.char_start
