"""What programs read of an export: `datapackage.json` of its CSV files, `croissant.json` of its
Parquet files.

The first is a Data Package of Frictionless, the second is MLCommons' Croissant.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipelines.schemas.columns import Column
from pipelines.schemas.tables import Table
from pipelines.yaml_files import load_yaml

_SUBJECT = "benchledger: published benchmarks of AI accelerators"
_DESCRIPTION = (
    "Published benchmarks of AI accelerators, as printed by vendors, submitters and authors: results, claims and "
    "their verdicts, with the printed text of each number. The publishers keep the rights to their content "
    "(NOTICE)."
)
_LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"
_TYPES = Path(__file__).with_name("column_types.yml")


class File(NamedTuple):
    """A file of an export."""

    name: str  #: Its path in the folder of the export, such as `csv/main/claims.csv`.
    bytes: int  #: Its size.
    sha256: str  #: The hash of its content, in hexadecimal.


class Exported(NamedTuple):
    """A table of an export with its files and the number of its rows."""

    table: Table
    rows: int
    parquet: File
    csv: File

    @property
    def description(self) -> str:
        """Its meaning, for both descriptions."""
        return f"{self.table.meaning} Grain: {self.table.grain}."


def described(name: str, tables: Sequence[Exported], database: File, day: str | None) -> str:
    """The text of `datapackage.json` or `croissant.json`: tables with schema, size and hash.

    Args:
        name: Its name; the template `templates/<name>` has what it says.
        tables: The tables of the export.
        database: The DuckDB file.
        day: The day on which the newest document was stored.
    """
    templates = Environment(loader=PackageLoader("pipelines.export"), undefined=StrictUndefined)
    templates.policies["json.dumps_kwargs"] = {"sort_keys": False}
    text = templates.get_template(name).render(
        tables=tables,
        database=database,
        day=day,
        version=version("benchledger"),
        subject=_SUBJECT,
        description=_DESCRIPTION,
        licence=_LICENCE,
        types=load_yaml(_TYPES),
        constraints_of=_constraints_of,
    )
    return json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"


def _constraints_of(table: Table, column: Column) -> dict[str, Any]:
    """The constraints of a column, as Table Schema has them."""
    is_count = column.type == "integer"
    constraints: dict[str, Any] = {} if column.name in table.nullable else {"required": True}
    if column.type == "text":
        constraints |= {"enum": list(column.one_of)} if column.one_of else {}
        constraints |= {"pattern": column.pattern} if column.pattern else {}
    if column.at_least is not None and (is_count or column.type == "number"):
        constraints["minimum"] = int(column.at_least) if is_count else column.at_least
    return constraints
