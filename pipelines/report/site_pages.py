"""The pages of the site that are made of rows alone, and how a template gets rows.

A page is a template and the queries that it reads: `templates/pages/<name>.html` becomes a page
without more code, and `sql/<name>.sql` gives the rows that it finds under that name; `events` are
the rows of the command `changes`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pipelines.report.history_plots import draw
from pipelines.report.links import page_of, part_of, root_of, traced_page
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import query_published

Row = dict[str, Any]
Rows = dict[str, list[Row]]

_ROWS_OF_PAGES = Path(__file__).parent / "sql"
_PAGES = Path(__file__).parent / "templates" / "pages"
# So many rows of a table stand on one page: a page stays below half a megabyte.
_ROWS = 120
# Of the results of a page, all its tables together; each has as many rows at least.
_RESULTS, _LEAST = 300, 25
# Marks of the plots of a page, all together, and plots beside those of its results.
_MARKS, _CURVES = 1000, 5


class SitePage(NamedTuple):
    """One file of the site: its path below the folder of the site, its template, and what that is
    given.
    """

    path: str
    template: str
    content: Mapping[str, Any] = MappingProxyType({})


class SiteRows:
    """The rows of all queries of the site, for its templates.

    Attributes:
        rows: By the name of the query, in its order.
        further: Pages with the further parts of tables that were longer than a page, as `listing`
            has found them.
    """

    def __init__(self, warehouse: Path) -> None:
        queries = sorted(_ROWS_OF_PAGES.glob("*.sql"))
        self.rows: Rows = {
            path.stem: query_published(warehouse, path.read_text("utf-8")).to_pylist()
            for path in queries
        }
        self.rows["events"] = command_rows(warehouse, "changes", [datetime.min]).to_pylist()
        self.further: list[SitePage] = []
        self._vendors = sorted({row["vendor"] for row in self.rows["results"] if row["vendor"]})
        self._grouped = cache(lambda query, column: grouped(self.rows[query], column))

    def of(self, query: str, **condition: Any) -> list[Row]:
        """The rows of a query that have a value in one column: `of('claims', model='BERT-Large')`."""
        [(column, value)] = condition.items()
        return self._grouped(query, column).get(value, [])

    def listing(
        self,
        path: str,
        heading: str,
        table: str,
        rows: Sequence[Row],
        *arguments: Any,
        name: str = "",
        size: int = _ROWS,
    ) -> Row:
        """The first part of a table; the further parts become pages of their own.

        Args:
            path: The page with the first part.
            heading: What that page is called.
            table: The macro of `parts.html` that shows the rows.
            rows: All rows.
            arguments: More that the macro is given.
            name: What tells the table from others of the page; by default the name of the macro.
            size: Rows of a part.

        Returns:
            Its `name`; `rows` and `number` of the part, from 1; `parts` and `total` rows of all.
        """
        name = name or table
        starts = range(0, len(rows) or 1, size)
        listing: Row = {"name": name, "parts": len(starts), "total": len(rows)}
        found = []
        for number, start in enumerate(starts, start=1):
            found.append(listing | {"number": number, "rows": rows[start : start + size]})
        content = {"back": path, "heading": heading, "table": table, "arguments": arguments}
        for part in found[1:]:
            page = part_of(path, name, part["number"])
            self.further.append(SitePage(page, "more.html", content | {"listing": part}))
        return found[0]

    def plot(
        self, path: str, name: str, rows: Sequence[Row], plots: int = 0, least: int = 1
    ) -> Row | None:
        """A plot on a page with so many others; None without rows."""

        def link(result_id: str) -> str:
            return root_of(path) + traced_page("result", result_id)

        return draw(name, rows, self._vendors, link, _MARKS // (plots + _CURVES), least)

    def pages(self) -> Iterator[SitePage]:
        """Every page but those with printed characters and the further parts of tables."""
        for path in sorted(_PAGES.glob("*.html")):
            yield SitePage(path.name, f"pages/{path.name}")
        for kind in ("model", "platform", "source"):
            for row in self.rows[f"{kind}s"]:
                yield SitePage(
                    page_of(kind, row[kind]), f"{kind}.html", {kind: row, "name": row[kind]}
                )


def grouped(rows: Iterable[Row], *columns: str) -> defaultdict[Any, list[Row]]:
    """Rows by the value of one column, or by the values of several; in their order."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        values = tuple(row[name] for name in columns)
        groups[values if len(columns) > 1 else values[0]].append(row)
    return groups


def size_of_parts(tables: int) -> int:
    """Rows on one page of each of so many tables of results."""
    return max(_LEAST, _RESULTS // tables)
