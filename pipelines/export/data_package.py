"""`datapackage.json`: the CSV files of an export with their columns, as Frictionless' Data Package describes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipelines.schemas.columns import Column, ColumnType
from pipelines.schemas.tables import Table

if TYPE_CHECKING:
    from pipelines.export.folder import About, Exported

TITLE = "benchledger"
DESCRIPTION = (
    "Published benchmarks of AI accelerators, as their vendors, submitters and authors have printed them: results, "
    "claims and their verdicts, with the printed characters behind each number. What others have published stays "
    "theirs (NOTICE)."
)
LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"

# The types of Table Schema.
_TYPES: dict[ColumnType, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number",
    "flag": "boolean",
    "date": "date",
    "timestamp": "datetime",
    "texts": "array",
    "integers": "array",
}


def data_package(tables: Sequence[Exported], about: About) -> dict[str, Any]:
    """The descriptor: one resource per table, with its schema, size and hash.

    Args:
        tables: The tables, in the order in which they are listed.
        about: Version and day.
    """
    package: dict[str, Any] = {
        "profile": "tabular-data-package",
        "name": TITLE,
        "title": "benchledger: published benchmarks of AI accelerators",
        "description": DESCRIPTION,
        "version": about.version,
        "licenses": [{"name": "Apache-2.0", "path": LICENCE, "title": "Apache License 2.0"}],
    }
    if about.day:
        package["created"] = f"{about.day}T00:00:00Z"
    package["resources"] = [_resource(exported) for exported in tables]
    return package


def _resource(exported: Exported) -> dict[str, Any]:
    table = exported.table
    return {
        "profile": "tabular-data-resource",
        "name": table.full_name,
        "path": exported.csv.name,
        "title": table.full_name,
        "description": f"{table.meaning} Grain: {table.grain}.",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": exported.csv.bytes,
        "hash": f"sha256:{exported.csv.sha256}",
        "schema": _schema(table),
    }


def _schema(table: Table) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "fields": [_field(column, is_nullable=column.name in table.nullable) for column in table.columns],
        "missingValues": [""],
    }
    # A primary key has no nulls; ours may.
    if table.key and not table.nullable.intersection(table.key):
        schema["primaryKey"] = list(table.key)
    return schema


def _field(column: Column, *, is_nullable: bool) -> dict[str, Any]:
    constraints: dict[str, Any] = {} if is_nullable else {"required": True}
    if column.one_of and column.type == "text":
        constraints["enum"] = list(column.one_of)
    if column.pattern and column.type == "text":
        constraints["pattern"] = column.pattern
    if column.at_least is not None and column.type in ("integer", "number"):
        constraints["minimum"] = int(column.at_least) if column.type == "integer" else column.at_least
    field: dict[str, Any] = {"name": column.name, "type": _TYPES[column.type], "description": column.meaning}
    return field | ({"constraints": constraints} if constraints else {})
