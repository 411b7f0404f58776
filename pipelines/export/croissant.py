"""`croissant.json`: the Parquet files of an export with their columns, as MLCommons' Croissant describes data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipelines.export.data_package import DESCRIPTION, LICENCE, TITLE
from pipelines.schemas.columns import Column, ColumnType

if TYPE_CHECKING:
    from pipelines.export.folder import About, Exported, File

_VERSION = "http://mlcommons.org/croissant/1.0"
# The words of the format and what they stand for, as its specification lists them.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{
        word: f"cr:{word}"
        for word in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet"),
            *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
            "transform",
        )
    },
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
_TYPES: dict[ColumnType, str] = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "flag": "sc:Boolean",
    "date": "sc:Date",
    "timestamp": "sc:DateTime",
    "texts": "sc:Text",
    "integers": "sc:Integer",
}
_CITATION = "@misc{benchledger, title = {benchledger: published benchmarks of AI accelerators}, version = {%s}}"


def croissant(tables: Sequence[Exported], database: File, about: About) -> dict[str, Any]:
    """The description as JSON-LD: a file for each table and the database, a record set for each table.

    Args:
        tables: The tables, in the order in which they are listed.
        database: The DuckDB file.
        about: Version and day.
    """
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _VERSION,
        "name": TITLE,
        "description": DESCRIPTION,
        "license": LICENCE,
        "citeAs": _CITATION % about.version,
        "version": about.version,
    }
    if about.day:
        described["datePublished"] = about.day
    described["distribution"] = [
        _distributed(database, "application/vnd.duckdb", "All tables, with comments, as a DuckDB database."),
        *(_distributed(one.parquet, "application/x-parquet", one.table.meaning) for one in tables),
    ]
    described["recordSet"] = [_record_set(one) for one in tables]
    return described


def _distributed(file: File, media_type: str, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "description": description,
        "contentUrl": file.name,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": media_type,
        "sha256": file.sha256,
    }


def _record_set(exported: Exported) -> dict[str, Any]:
    table = exported.table
    records: dict[str, Any] = {
        "@type": "cr:RecordSet",
        "@id": table.full_name,
        "name": table.full_name,
        "description": f"{table.meaning} Grain: {table.grain}.",
        "field": [_field(exported, column) for column in table.columns],
    }
    if table.key:
        records["key"] = [{"@id": f"{table.full_name}/{name}"} for name in table.key]
    return records


def _field(exported: Exported, column: Column) -> dict[str, Any]:
    name = f"{exported.table.full_name}/{column.name}"
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": name,
        "name": name,
        "description": column.meaning,
        "dataType": _TYPES[column.type],
        "source": {"fileObject": {"@id": exported.parquet.name}, "extract": {"column": column.name}},
    }
    return field | ({"repeated": True} if column.type in ("texts", "integers") else {})
