window.searchIndex = [
{% for row in rows.search %}
{{ (row.name, row.kind, page_of('source' if row.kind == 'document' else row.kind, row.key)) | data }},
{% endfor %}
];
