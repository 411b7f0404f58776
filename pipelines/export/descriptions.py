"""What programs read of an export: `datapackage.json` of its CSV files, `croissant.json` of its
Parquet files.

The first is a Data Package of Frictionless, the second is MLCommons' Croissant.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.schemas.columns import Column, ColumnType
from pipelines.schemas.tables import Table

TITLE = "benchledger"
_SUBJECT = "benchledger: published benchmarks of AI accelerators"
_DESCRIPTION = (
    "Published benchmarks of AI accelerators, as printed by vendors, submitters and authors: results, claims and "
    "their verdicts, with the printed text of each number. The publishers keep the rights to their content "
    "(NOTICE)."
)
_LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"
# The types of Table Schema, and those of Croissant.
_TYPES: dict[ColumnType, tuple[str, str]] = {
    "text": ("string", "sc:Text"),
    "integer": ("integer", "sc:Integer"),
    "number": ("number", "sc:Float"),
    "flag": ("boolean", "sc:Boolean"),
    "date": ("date", "sc:Date"),
    "timestamp": ("datetime", "sc:DateTime"),
    "texts": ("array", "sc:Text"),
    "integers": ("array", "sc:Integer"),
    "map": ("object", "sc:Text"),
}
# The JSON-LD context that the specification of Croissant prescribes.
_CONTEXT = Path(__file__).with_name("croissant_context.json")


@dataclass(frozen=True, slots=True)
class File:
    """A file of an export."""

    name: str  #: Its path in the folder of the export, such as `csv/main/claims.csv`.
    bytes: int  #: Its size.
    sha256: str  #: The hash of its content, in hexadecimal.


@dataclass(frozen=True, slots=True)
class Exported:
    """A table of an export with its files and the number of its rows."""

    table: Table
    rows: int
    parquet: File
    csv: File

    @property
    def about(self) -> dict[str, str]:
        """Its name and meaning, for both descriptions."""
        return {
            "name": self.table.full_name,
            "description": f"{self.table.meaning} Grain: {self.table.grain}.",
        }


def data_package(tables: Sequence[Exported], version: str, day: str | None) -> dict[str, Any]:
    """The descriptor: one resource per table, with its schema, size and hash."""
    created = {"created": f"{day}T00:00:00Z"} if day else {}
    return created | {
        "profile": "tabular-data-package",
        "name": TITLE,
        "title": _SUBJECT,
        "description": _DESCRIPTION,
        "version": version,
        "licenses": [{"name": "Apache-2.0", "path": _LICENCE, "title": "Apache License 2.0"}],
        "resources": [
            one.about
            | {
                "profile": "tabular-data-resource",
                "path": one.csv.name,
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "bytes": one.csv.bytes,
                "hash": f"sha256:{one.csv.sha256}",
                "schema": _table_schema(one.table),
            }
            for one in tables
        ],
    }


def _table_schema(table: Table) -> dict[str, Any]:
    fields = []
    for column in table.columns:
        is_text, is_count = column.type == "text", column.type == "integer"
        constraints: dict[str, Any] = {} if column.name in table.nullable else {"required": True}
        if is_text:
            constraints |= {"enum": list(column.one_of)} if column.one_of else {}
            constraints |= {"pattern": column.pattern} if column.pattern else {}
        if column.at_least is not None and (is_count or column.type == "number"):
            constraints["minimum"] = int(column.at_least) if is_count else column.at_least
        field = {"name": column.name, "type": _TYPES[column.type][0], "description": column.meaning}
        fields.append(field | ({"constraints": constraints} if constraints else {}))
    # A primary key of Table Schema has no nulls; ours may.
    key = (
        {"primaryKey": list(table.key)}
        if table.key and not table.nullable.intersection(table.key)
        else {}
    )
    return {"fields": fields, "missingValues": [""], **key}


def croissant(
    tables: Sequence[Exported], database: File, version: str, day: str | None
) -> dict[str, Any]:
    """The description as JSON-LD: a file for each table and the database, a record set for each
    table.
    """
    files = [
        (database, "application/vnd.duckdb", "All tables, with comments, as a DuckDB database.")
    ]
    files += [(one.parquet, "application/x-parquet", one.table.meaning) for one in tables]
    published = {"datePublished": day} if day else {}
    return published | {
        "@context": json.loads(_CONTEXT.read_text("utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": TITLE,
        "description": _DESCRIPTION,
        "license": _LICENCE,
        "citeAs": f"@misc{{benchledger, title = {{{_SUBJECT}}}, version = {{{version}}}}}",
        "version": version,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.name,
                "name": file.name,
                "description": description,
                "contentUrl": file.name,
                "contentSize": f"{file.bytes} B",
                "encodingFormat": media_type,
                "sha256": file.sha256,
            }
            for file, media_type, description in files
        ],
        "recordSet": [
            one.about
            | {"@type": "cr:RecordSet", "@id": one.table.full_name}
            | {"field": [_field(one, column) for column in one.table.columns]}
            | (
                {"key": [{"@id": f"{one.table.full_name}/{name}"} for name in one.table.key]}
                if one.table.key
                else {}
            )
            for one in tables
        ],
    }


def _field(exported: Exported, column: Column) -> dict[str, Any]:
    name = f"{exported.table.full_name}/{column.name}"
    return {
        "@type": "cr:Field",
        "@id": name,
        "name": name,
        "description": column.meaning,
        "dataType": _TYPES[column.type][1],
        "source": {
            "fileObject": {"@id": exported.parquet.name},
            "extract": {"column": column.name},
        },
        **({"repeated": True} if column.type in ("texts", "integers") else {}),
    }
