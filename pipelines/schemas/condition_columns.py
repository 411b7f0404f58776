"""Columns about the conditions of results: what was measured, and where the document says so."""

from __future__ import annotations

from pipelines.schemas.column import LEVELS, Column

COLUMNS = (
    # conditions that are columns of a result
    Column(
        "batch_size_kind",
        "text",
        "whose batch batch_size is: of all devices, of one, of one pass through a device, of the client's requests",
        one_of=("global", "per_device", "micro", "client"),
    ),
    Column("input_length", "integer", "tokens of the prompt", at_least=0),
    Column("output_length", "integer", "tokens generated for a prompt", at_least=0),
    Column("concurrency", "integer", "requests served at the same time", at_least=0),
    Column("request_rate", "number", "requests sent per second; infinite where all are sent at once", at_least=0),
    Column("scenario", "text", "scenario of MLPerf Inference: Offline, Server, SingleStream, MultiStream, Interactive"),
    Column("tensor_parallel", "integer", "devices that each layer is spread over", at_least=0),
    Column("pipeline_parallel", "integer", "stages of layers on devices of their own", at_least=0),
    Column("data_parallel", "integer", "copies of the model that work side by side", at_least=0),
    Column("expert_parallel", "integer", "devices that the experts of a layer are spread over", at_least=0),
    Column(
        "other_conditions",
        "text",
        "conditions of resolved.result_conditions that have no column here, each as dimension and value, by name",
    ),
    Column(
        "statistic",
        "text",
        "which of many measurements the value is: p50, p99, mean, max ...; null where nothing is said",
    ),
    # conditions one by one
    Column("number", "integer", "number of the condition within document and extractor, from 0", at_least=0),
    Column(
        "dimension",
        "text",
        "what the condition says something about: task, model, platform, precision, batch_size, unit ...; other where "
        "no column holds it",
        pattern=r"^[a-z]+(?:_[a-z]+)*$",
    ),
    Column(
        "level",
        "text",
        "where the condition is stated, nearest first; mapping is the source's mapping.yml, vocabulary a fact of a "
        "vocabulary's entry, both printed nowhere in the document",
        one_of=LEVELS,
    ),
    Column("value", "text", "what the condition says; of a name the printed words", table="extracted.conditions"),
    Column(
        "value",
        "text",
        "what the condition says, as the column of resolved.results prints it: names canonical, numbers plain",
        table="resolved.result_conditions",
    ),
    Column(
        "name_printed",
        "text",
        "of a name, value as printed; of one that two cells print together, both",
        table="resolved.result_conditions",
    ),
    Column(
        "text_printed",
        "text",
        "the printed characters that say it; null where a mapping or a vocabulary does",
        table="resolved.result_conditions",
    ),
    Column(
        "evidence_id",
        "text",
        "identifier of the place that says it; null where a mapping or a vocabulary does",
        table="resolved.result_conditions",
    ),
    *(
        Column(
            "value_printed",
            "text",
            "the printed words that a mapping gives the value to; null where the words say the value themselves",
            table=table,
        )
        for table in ("extracted.conditions", "resolved.result_conditions")
    ),
    Column(
        "conditions",
        "integers",
        "numbers of the conditions in extracted.conditions that hold for the number, of the same extractor",
        table="extracted.measurements",
    ),
)
