"""Every column of the warehouse once, as `columns.yml` declares it.

DuckDB comments, the table schemas in the Dagster UI, the pandera contracts and the data dictionary come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipelines.yaml_files import load_yaml

ColumnType = Literal["text", "integer", "number", "flag", "date", "timestamp", "texts", "integers", "map"]

# Texts of one shape: the sha256 of a document, and pieces of hashes of places and benchmarks.
_SHAPES = {"sha256": r"^[0-9a-f]{64}$", "id": r"^[0-9a-f]{16,64}$"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the warehouse.

    Attributes:
    key: Its name, with its table if the name has another meaning in other tables.
        type: Its type; `texts` and `integers` are lists, `map` is texts by name.
    meaning: Its description, with the unit if the name does not contain it.
        one_of: The only values allowed, or None.
        pattern: Regular expression that each text matches, or None.
        at_least: Least value allowed, or None.
        definitions: What each of the only values means, where that is not clear from the value.
    """

    key: str
    type: ColumnType
    meaning: str
    one_of: tuple[str, ...] | None = None
    pattern: str | None = None
    at_least: float | None = None
    definitions: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return self.key.rpartition(".")[2]


def _columns() -> dict[str, Column]:
    found = {}
    for key, (given, meaning, *limits) in load_yaml(Path(__file__).with_suffix(".yml")).items():
        limit = limits[0] if limits else {}
        one_of = tuple(limit["one_of"]) if "one_of" in limit else None
        pattern, least = _SHAPES.get(given, limit.get("pattern")), limit.get("at_least")
        definitions = tuple(limit["one_of"].items()) if isinstance(limit.get("one_of"), dict) else ()
        meaning = "; ".join((meaning, *map(": ".join, definitions)))
        found[key] = Column(key, "text" if given in _SHAPES else given, meaning, one_of, pattern, least, definitions)
    return found


COLUMNS: dict[str, Column] = _columns()
