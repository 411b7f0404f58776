"""Columns about the conditions of results: what was measured, and where the document says so."""

from __future__ import annotations

from pipelines.schemas.column import LEVELS, Column

COLUMNS = (
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
    Column(
        "conditions",
        "integers",
        "numbers of the conditions in extracted.conditions that hold for the number, of the same extractor",
        table="extracted.measurements",
    ),
)
