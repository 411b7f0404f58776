-- Documents whose rows depend on which names other documents print: a bar's label may begin with one of them.
-- grain: one row per document
select distinct document_id
from extracted.chart_values
where printed_value is not null
order by document_id
