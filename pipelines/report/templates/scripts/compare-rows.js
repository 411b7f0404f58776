{% set columns = ('result_id', 'model', 'model_family', 'task', 'metric', 'statistic', 'unit', 'higher_is_better', 'value', 'bound', 'platform', 'vendor', 'accelerator_count', 'precision', 'batch_size', 'batch_size_kind', 'sequence_length', 'input_length', 'output_length', 'concurrency', 'request_rate', 'framework', 'sdk_version', 'stage', 'phase', 'variant_name', 'is_packed', 'image_size', 'configuration', 'scenario', 'division', 'dataset', 'is_synthetic', 'suite', 'run_conditions', 'other_conditions', 'publisher', 'last_published_on') %}
window.compareColumns = {{ columns | data }};
window.compareVendors = {{ rows.vendors | map(attribute='vendor') | select | sort | list | data }};
window.compareRows = [
{% for row in rows.results if row.model_family and row.platform %}
[{% for column in columns %}{{ row[column] | data }},{% endfor %}],
{% endfor %}
];
