"""The data dictionary `warehouse/README.md`, generated from the declared tables and columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.schemas.columns import Column
from pipelines.schemas.tables import LAYERS, Table
from pipelines.settings import PROJECT

DICTIONARY = PROJECT / "warehouse" / "README.md"

_INTRODUCTION = """# Data dictionary

`benchmarks.duckdb` in this folder is the published warehouse. This page is generated from `pipelines/schemas`
(`make golden`); the same texts stand in the file as comments on tables and columns.

Canonical units: latency and step time in ms; times in s; throughput in items/s; prices in USD.
`queries/` holds worked questions; run one with `benchledger sql "$(cat warehouse/queries/<name>.sql)"`.
"""

_LAYERS = {
    "raw": "Documents as they are stored.",
    "resolved": "Rows under canonical names and units, with the identity of their benchmark.",
    "audit": "What was not let in, what no vocabulary knows, what disagrees.",
    "main": "What stands now, what stood before, and what changed from release to release.",
}


def data_dictionary(tables: Sequence[Table]) -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION]
    for layer in LAYERS:
        parts.append(f"\n## {layer}\n\n{_LAYERS[layer]}\n")
        for table in tables:
            if table.layer == layer:
                parts.append(_section(table))
    return "".join(parts)


def _section(table: Table) -> str:
    rows = "".join(
        f"| `{column.name}` | {column.type} | {null} | {_meaning(column)} |\n"
        for column in table.columns
        for null in ["yes" if column.name in table.nullable else "no"]
    )
    key = f" Key: {', '.join(f'`{name}`' for name in table.key)}." if table.key else ""
    return (
        f"\n### {table.full_name}\n\n{table.meaning} Grain: {table.grain}.{key}\n\n"
        f"| column | type | null | meaning |\n| --- | --- | --- | --- |\n{rows}"
    )


def _meaning(column: Column) -> str:
    values = ", ".join(f"`{value}`" for value in column.one_of or ())
    return f"{column.meaning} ({values})" if values else column.meaning


def write_dictionary(tables: Sequence[Table], path: Path = DICTIONARY) -> bool:
    """Write the page; False when it is there already."""
    text = data_dictionary(tables)
    if path.exists() and path.read_text("utf-8") == text:
        return False
    path.write_text(text, "utf-8")
    return True
