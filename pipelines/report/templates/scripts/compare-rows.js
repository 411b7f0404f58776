{% set columns = ('result_id', 'model', 'model_family', 'task', 'metric', 'statistic', 'unit', 'higher_is_better', 'value', 'bound', 'platform', 'vendor', 'accelerator_count', 'precision', 'batch_size', 'sequence_length', 'input_length', 'output_length', 'concurrency', 'parallelism', 'framework', 'sdk_version', 'stage', 'dataset', 'suite', 'other_conditions', 'publisher', 'last_published_on') %}
window.compareColumns = {{ columns | data }};
window.compareVendors = {{ rows.vendors | map(attribute='vendor') | select | sort | list | data }};
window.compareRows = [
{% for row in rows.results if row.model_family and row.platform %}
[{% for column in columns %}{{ row[column] | data }},{% endfor %}],
{% endfor %}
];
