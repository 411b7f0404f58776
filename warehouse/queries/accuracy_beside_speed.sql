-- What accuracy does a document print on the same line as the speed of a model?
-- Check both values: a quantised model may be faster because it is less accurate.
select
    q.publisher,
    q.model,
    s.platform,
    q.precision,
    q.metric as quality,
    q.value as quality_value,
    q.unit as quality_unit,
    s.metric,
    s.statistic,
    s.value,
    s.unit
from main.current_results as q
inner join resolved.results as a on q.result_id = a.result_id
inner join resolved.results as b on a.document_id = b.document_id and a.row_line = b.row_line
inner join main.current_results as s on b.result_id = s.result_id
where
    q.metric in ('accuracy', 'top_5_accuracy', 'mean_average_precision', 'f1', 'bleu', 'word_error_rate')
    and s.metric in ('throughput', 'latency')
order by q.publisher, q.model, q.metric, s.metric, s.statistic, s.platform, q.result_id, s.result_id
