"""A recorded build as OpenLineage events: which tables it has made of which, and which columns of which columns.

The facts come from Dagster's record of the run, from the graph of assets and from the declared tables.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.instance import BUILD, open_instance
from pipelines.build.queries import inputs_of
from pipelines.build.warehouse import query_published
from pipelines.definitions import benchledger
from pipelines.schemas.tables import LAYERS, TABLES, Table

Event = dict[str, Any]

# Jobs and tables are the project's own; no other system knows them.
_NAMESPACE = "benchledger"
_SPECIFICATION = "https://openlineage.io/spec"
_EVENT = f"{_SPECIFICATION}/2-0-2/OpenLineage.json#/$defs/RunEvent"
# Facets by their name in an event: the version that is written, the name of the definition.
_FACETS = {
    "parent": ("1-2-0", "ParentRunFacet"),
    "jobType": ("2-0-4", "JobTypeJobFacet"),
    "schema": ("1-2-0", "SchemaDatasetFacet"),
    "documentation": ("1-1-0", "DocumentationDatasetFacet"),
    "columnLineage": ("1-2-0", "ColumnLineageDatasetFacet"),
    "outputStatistics": ("1-0-2", "OutputStatisticsOutputDatasetFacet"),
}
# Runs of one folder may stand between many of others.
_LOOKED_AT = 30
_SOURCES = "select distinct source from raw.documents order by source"


class RunNotRecordedError(Exception):
    """Dagster has no record of a build of this warehouse; the message says what to do."""


def last_build(warehouse: Path) -> list[Event]:
    """The events of the last build that has published a warehouse: START and COMPLETE of the build and of each table.

    Raises:
        RunNotRecordedError: No such build is recorded.
        InstanceError: The record cannot be opened.
    """
    with open_instance() as instance:
        succeeded = dg.RunsFilter(job_name=BUILD, statuses=[dg.DagsterRunStatus.SUCCESS])
        for record in instance.get_run_records(succeeded, limit=_LOOKED_AT):
            run = record.dagster_run
            config: Any = run.run_config
            if (
                config.get("resources", {}).get("folders", {}).get("config", {}).get("warehouse")
                == warehouse.as_posix()
            ):
                made = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
                sources = [row["source"] for row in query_published(warehouse, _SOURCES).to_pylist()]
                return list(_Build(record, sources).events(made))
    raise RunNotRecordedError(
        f"no build of {warehouse} is among the last {_LOOKED_AT} that are recorded; run `benchledger build --again`"
    )


class _Build:
    """A recorded run, and what belongs in each of its events."""

    def __init__(self, run: dg.RunRecord, sources: list[str]) -> None:
        self._run_id = run.dagster_run.run_id
        self._start, self._end = run.start_time or 0.0, run.end_time or 0.0
        self._sources = [_dataset(f"raw/{source}") for source in sources]
        self._graph = benchledger().resolve_asset_graph()
        self._producer = f"urn:benchledger:{version('benchledger')}"

    def events(self, made: Sequence[dg.EventLogEntry]) -> Iterator[Event]:
        published = [_dataset(table.full_name) for table in TABLES.values() if table.layer in LAYERS]
        yield self._event("START", self._start, self._run_id, BUILD, self._sources, published)
        for entry in made:
            if (materialization := entry.asset_materialization) is not None:
                yield from self._table(materialization, entry.timestamp)
        yield self._event("COMPLETE", self._end, self._run_id, BUILD, self._sources, published)

    def _table(self, made: dg.AssetMaterialization, finished: float) -> Iterator[Event]:
        name = ".".join(made.asset_key.path)
        run_id = str(uuid.uuid5(uuid.UUID(self._run_id), name))
        parents = sorted(self._graph.get(made.asset_key).parent_keys)
        inputs = [_dataset(".".join(parent.path)) for parent in parents] or self._sources
        output: dict[str, Any] = _dataset(name)
        if name in TABLES:
            output["facets"] = self._facets_of(TABLES[name])
        if "dagster/row_count" in made.metadata:
            counted = {"rowCount": made.metadata["dagster/row_count"].value}
            output["outputFacets"] = {"outputStatistics": self._facet("outputStatistics", counted)}
        seconds = made.metadata.get("seconds")
        took = seconds.value or 0.0 if isinstance(seconds, dg.FloatMetadataValue) else 0.0
        yield self._event("START", finished - took, run_id, f"{BUILD}.{name}", inputs, [_dataset(name)])
        yield self._event("COMPLETE", finished, run_id, f"{BUILD}.{name}", inputs, [output])

    def _event(
        self, type: str, moment: float, run_id: str, job: str, inputs: list[Event], outputs: list[Event]
    ) -> Event:
        is_whole = run_id == self._run_id
        parent = {"run": {"runId": self._run_id}, "job": {"namespace": _NAMESPACE, "name": BUILD}}
        kind = {"processingType": "BATCH", "integration": "DAGSTER", "jobType": "JOB" if is_whole else "TASK"}
        return {
            "eventType": type,
            "eventTime": datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds"),
            "run": {"runId": run_id, "facets": {} if is_whole else {"parent": self._facet("parent", parent)}},
            "job": _dataset(job) | {"facets": {"jobType": self._facet("jobType", kind)}},
            "inputs": inputs,
            "outputs": outputs,
            "producer": self._producer,
            "schemaURL": _EVENT,
        }

    def _facets_of(self, table: Table) -> dict[str, Any]:
        fields = [
            {"name": column.name, "type": column.type, "description": column.meaning, "ordinal_position": place}
            for place, column in enumerate(table.columns, start=1)
        ]
        facets = {
            "schema": self._facet("schema", {"fields": fields}),
            "documentation": self._facet("documentation", {"description": f"{table.meaning} Grain: {table.grain}."}),
        }
        lineage = {
            column: {"inputFields": [_dataset(one.table) | {"field": one.column} for one in inputs if one.column]}
            for column, inputs in inputs_of(table.full_name).items()
            if any(one.column for one in inputs)
        }
        if lineage:
            facets["columnLineage"] = self._facet("columnLineage", {"fields": lineage})
        return facets

    def _facet(self, name: str, content: dict[str, Any]) -> dict[str, Any]:
        release, definition = _FACETS[name]
        schema = f"{_SPECIFICATION}/facets/{release}/{definition}.json#/$defs/{definition}"
        return {"_producer": self._producer, "_schemaURL": schema, **content}


def _dataset(name: str) -> dict[str, Any]:
    return {"namespace": _NAMESPACE, "name": name}
