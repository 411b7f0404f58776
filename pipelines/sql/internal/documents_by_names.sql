-- Documents whose rows depend on names in other documents: the label of a bar may begin with such a name.
-- grain: one row per document
select distinct document_id
from extracted.chart_values
where printed_value is not null
order by document_id
