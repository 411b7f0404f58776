"""Every column of the warehouse once, as `columns.yml` declares it.

DuckDB comments, the table schemas in the Dagster UI, the pandera contracts and the data dictionary
come from here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from pipelines.yaml_files import load_yaml

ColumnType = Literal[
    "text", "integer", "number", "flag", "date", "timestamp", "texts", "integers", "map"
]

# Texts of one shape: the sha256 of a document, and pieces of hashes of places and benchmarks.
_SHAPES = {"sha256": r"^[0-9a-f]{64}$", "id": r"^[0-9a-f]{16,64}$"}


class Column(NamedTuple):
    """One column of the warehouse.

    Attributes:
    key: Its name, with its table if the name has another meaning in other tables.
        type: Its type; `texts` and `integers` are lists, `map` is texts by name.
    meaning: Its description, with the unit if the name does not contain it.
        one_of: The only values allowed, with what each means where that is not clear from the
            value; or None.
        pattern: Regular expression that each text matches, or None.
        at_least: Least value allowed, or None.
    """

    key: str
    type: ColumnType
    meaning: str
    one_of: dict[str, str] | list[str] | None = None
    pattern: str | None = None
    at_least: float | None = None

    @property
    def name(self) -> str:
        return self.key.rpartition(".")[2]


def _columns() -> dict[str, Column]:
    found = {}
    for key, (given, meaning, *limits) in load_yaml(Path(__file__).with_suffix(".yml")).items():
        shape = _SHAPES.get(given)
        limit = {"pattern": shape, **dict(*limits)}
        one_of = limit.get("one_of")
        if isinstance(one_of, dict):
            meaning = "; ".join((meaning, *map(": ".join, one_of.items())))
        found[key] = Column(key, "text" if shape else given, meaning, **limit)
    return found


COLUMNS: dict[str, Column] = _columns()
