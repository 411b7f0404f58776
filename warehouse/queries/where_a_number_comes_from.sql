-- Which document and line does each ResNet-50 training time come from?
-- Check path, line, char_start and char_end: the place of text_printed in the document.
with training_times as (
    select r.*
    from resolved.results as r
    semi join main.current_results as c on r.result_id = c.result_id
    where r.model like 'ResNet-50%' and r.metric = 'time_to_train'
)

select
    t.platform,
    t.value,
    t.unit,
    e.text_printed,
    d.publisher,
    d.interest,
    d.published_on,
    d.edition,
    d.path,
    e.line,
    e.char_start,
    e.char_end,
    e.extractor
from training_times as t
inner join resolved.evidence as e on t.evidence_id = e.evidence_id
inner join raw.documents as d on e.document_id = d.document_id
order by t.value, d.path, e.line, e.char_start
