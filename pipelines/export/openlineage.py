"""The lineage of the warehouse as OpenLineage events: one job per table, with its inputs, columns and column lineage.

The facts come from the declared tables and the queries that make them, so the same warehouse gives the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from pipelines.build.queries import base_tables, inputs_of, table_queries
from pipelines.schemas.tables import LAYERS, TABLES, Table

Event = dict[str, Any]

# Jobs and tables are the project's own; no other system knows them.
_NAMESPACE = "benchledger"
_SPECIFICATION = "https://openlineage.io/spec"
_EVENT = f"{_SPECIFICATION}/2-0-2/OpenLineage.json#/$defs/JobEvent"
# Facets by their name in an event: the version that is written, the name of the definition.
_FACETS = {
    "jobType": ("2-0-4", "JobTypeJobFacet"),
    "schema": ("1-2-0", "SchemaDatasetFacet"),
    "documentation": ("1-1-0", "DocumentationDatasetFacet"),
    "columnLineage": ("1-2-0", "ColumnLineageDatasetFacet"),
    "outputStatistics": ("1-0-2", "OutputStatisticsOutputDatasetFacet"),
}
_JOB_TYPE = {"processingType": "BATCH", "integration": "DAGSTER", "jobType": "TASK"}
_PRODUCER = f"urn:benchledger:{version('benchledger')}"


def lineage_events(sources: Sequence[str], row_counts: Mapping[str, int], moment: str) -> Iterator[Event]:
    """A JobEvent for each table of the warehouse and of the rows that it is made of.

    Args:
        sources: `publisher/source` of the stored documents, which tables without a query are made of.
        row_counts: Rows of the published tables, by full name.
        moment: Time of the events, ISO 8601.
    """
    queries = table_queries()
    for name, table in TABLES.items():
        if table.layer not in (*LAYERS, "extracted"):
            continue
        inputs = sorted(base_tables(queries[name])) if name in queries else [f"raw/{source}" for source in sources]
        output = _dataset(name) | {"facets": _facets_of(table)}
        if name in row_counts:
            output["outputFacets"] = {"outputStatistics": _facet("outputStatistics", {"rowCount": row_counts[name]})}
        yield {
            "eventTime": moment,
            "job": _dataset(f"build.{name}") | {"facets": {"jobType": _facet("jobType", _JOB_TYPE)}},
            "inputs": [_dataset(one) for one in inputs],
            "outputs": [output],
            "producer": _PRODUCER,
            "schemaURL": _EVENT,
        }


def _facets_of(table: Table) -> dict[str, Any]:
    fields = [
        {"name": column.name, "type": column.type, "description": column.meaning, "ordinal_position": place}
        for place, column in enumerate(table.columns, start=1)
    ]
    lineage = {
        column: {"inputFields": [_dataset(one.table) | {"field": one.column} for one in inputs if one.column]}
        for column, inputs in inputs_of(table.full_name).items()
        if any(one.column for one in inputs)
    }
    facets = {
        "schema": _facet("schema", {"fields": fields}),
        "documentation": _facet("documentation", {"description": f"{table.meaning} Grain: {table.grain}."}),
    }
    return facets | ({"columnLineage": _facet("columnLineage", {"fields": lineage})} if lineage else {})


def _facet(name: str, content: dict[str, Any]) -> dict[str, Any]:
    release, definition = _FACETS[name]
    schema = f"{_SPECIFICATION}/facets/{release}/{definition}.json#/$defs/{definition}"
    return {"_producer": _PRODUCER, "_schemaURL": schema, **content}


def _dataset(name: str) -> dict[str, Any]:
    return {"namespace": _NAMESPACE, "name": name}
