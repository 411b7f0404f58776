-- Which script of the site's data has each result: scripts have a part of one document each.
-- grain: one row per result
select
    result_id,
    left(document_id, 12) || '-'
    || (row_number() over (partition by document_id order by line, result_id) - 1) // 400 as script
from resolved.results
order by document_id, line, result_id
