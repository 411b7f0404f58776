"""From a column of the warehouse down to what was printed: the columns that it is made of, and
theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rapidfuzz.process import extractOne
from rich.markup import escape
from rich.tree import Tree

from pipelines.extract.rows import EXTRACTED_TABLES
from pipelines.schemas.tables import PUBLISHED, TABLES
from pipelines.trace.identifiers import TraceError
from pipelines.warehouse.queries import inputs_of

_TABLES = TABLES | EXTRACTED_TABLES
# Where the tables that no query makes come from.
_ORIGINS = {
    "raw": "the store: documents, sidecars and fetch logs under raw/",
    "extracted": "printed in the documents; resolved.evidence has the text of each value",
    "internal": "pipelines/validate/corrections.yml: known errors of sources, with their reasons",
    "audit": "determined while documents are read",
    "resolved": "pipelines/vocabulary: canonical names and facts of printed names",
}


def follow_column(name: str) -> list[dict[str, Any]]:
    """A column and everything that it is made of, depth first.

    Returns:
        Per column: `depth` below the one that was asked for, `table`, `column` (None when the rows
        of the table are counted), `meaning`, `origin` of a table that no query makes, and
        `is_repeated` where its inputs stand above.

    Raises:
        TraceError: No published table has such a column.
    """
    table, _, column = name.rpartition(".")
    known = [f"{one.full_name}.{column.name}" for one in PUBLISHED for column in one.columns]
    if name not in known:
        alike = extractOne(name, known)
        hint = f"; did you mean {alike[0]}?" if alike else ""
        raise TraceError(f"no published table has a column {name!r}{hint}")
    return [*_follow(table, column, 0, set())]


def _follow(
    table: str, column: str | None, depth: int, told: set[tuple[str, str | None]]
) -> Iterator[dict[str, Any]]:
    made_of = inputs_of(table)
    columns = _TABLES[table].columns
    is_repeated = (table, column) in told
    told.add((table, column))
    yield {
        "depth": depth,
        "table": table,
        "column": column,
        "meaning": next((one.meaning for one in columns if one.name == column), f"rows of {table}"),
        "origin": None if made_of else _ORIGINS[_TABLES[table].layer],
        "is_repeated": is_repeated,
    }
    if column is not None and not is_repeated:
        for one in made_of.get(column, ()):
            yield from _follow(one.from_table, one.from_column, depth + 1, told)


def draw_columns(found: list[dict[str, Any]]) -> Tree:
    """The columns as a tree for the terminal."""
    trees: list[Tree] = []
    for made in found:
        depth, of = made["depth"], made["table"]
        name = f"{of}.{made['column']}" if made["column"] else f"count of {of}"
        words = f"[bold]{escape(name)}[/bold]  {escape(made['meaning'])}"
        if made["is_repeated"]:
            words += " [dim](see above)[/dim]"
        elif made["origin"]:
            words += f"\n[dim]{escape(made['origin'])}[/dim]"
        trees[depth:] = [trees[depth - 1].add(words) if depth else Tree(words)]
    return trees[0]
