"""The rows that the site shows, read from one warehouse file: `sql/<name>.sql` gives the rows of that name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipelines.build.warehouse import query_published

Row = dict[str, Any]
Rows = dict[str, list[Row]]

_QUERIES = Path(__file__).parent / "sql"


def read_rows(warehouse: Path) -> Rows:
    """All rows of the site by the name of their query, in the order of that query.

    Raises:
        WarehouseError: There is no warehouse, or one of another version.
    """
    return {
        path.stem: query_published(warehouse, path.read_text("utf-8")).to_pylist()
        for path in sorted(_QUERIES.glob("*.sql"))
    }


def grouped(rows: Iterable[Row], *columns: str) -> defaultdict[Any, list[Row]]:
    """Rows by the value of one column, or by the values of several; in their order."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[columns[0]] if len(columns) == 1 else tuple(row[name] for name in columns)].append(row)
    return groups
