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
from pipelines.report.rendering import BOUNDS, number, script, titled
from pipelines.site_links import page_of, part_of, root_of, rows_of, traced_page
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import query_published

Row = dict[str, Any]
Rows = dict[str, list[Row]]

_ROWS_OF_PAGES = Path(__file__).parent / "sql"
_PAGES = Path(__file__).parent / "templates" / "pages"
# So many rows of a table stand on one page: a page stays below half a megabyte.
_ROWS = 120
# Of the results of a page, all its tables together; each has as many rows at least. A script has all.
_RESULTS, _LEAST = 200, 10
# Values are listed by so many of their first digits.
_SHARD = 2
# Marks of the plots of a page, all together, and plots beside those of its results.
_MARKS, _CURVES = 600, 5


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
        for row in self.rows["results"]:
            row["shown"] = f"{BOUNDS[row['bound']]}{number(row['value'])}"
        self.rows["events"] = command_rows(warehouse, "changes", [datetime.min]).to_pylist()
        self.further: list[SitePage] = []
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
    ) -> Row:
        """The first part of a table; the further parts become pages of their own.

        Args:
            path: The page with the first part.
            heading: What that page is called.
            table: The macro of `parts.html` that shows the rows.
            rows: All rows.
            arguments: More that the macro is given.
            name: What tells the table from others of the page; by default the name of the macro.

        Returns:
            Its `name`; `rows` and `number` of the part, from 1; `parts` and `total` rows of all.
        """
        name = name or table
        starts = range(0, len(rows) or 1, _ROWS)
        listing: Row = {"name": name, "parts": len(starts), "total": len(rows)}
        found = []
        for count, start in enumerate(starts, start=1):
            found.append(listing | {"number": count, "rows": rows[start : start + _ROWS]})
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

        return draw(name, rows, link, _MARKS // (plots + _CURVES), least)

    def scripts(self) -> Iterator[tuple[str, bytes]]:
        """The rows of results by family and by platform, what the search finds by name, and values by
        their first digits; by their path in the site.
        """
        for kind, column in (("family", "model_family"), ("platform", "platform")):
            for name, rows in grouped(self.rows["results"], column).items():
                yield script(rows_of(kind, name), self._rows_script(rows))
        for family, rows in grouped(self.rows["frontiers"], "model_family").items():
            yield script(rows_of("frontier", family), self._rows_script(rows))
        values = defaultdict[str, list[list[Any]]](list)
        for row in self.rows["results"]:
            text = number(row["value"])
            digits = "".join(filter(str.isdigit, text)).lstrip("0")[:_SHARD]
            about = ", ".join(filter(None, (row["model"], row["platform"], titled(row))))
            if len(digits) == _SHARD:
                values[digits].append([text, row["unit"], about, row["result_id"]])
        for digits, found in values.items():
            yield script(f"values/{digits}", found)
        listed = [
            [
                row["name"],
                row["kind"],
                page_of(row["kind"], row["key"]),
                row["also"],
                row["results"],
            ]
            for row in self.rows["search"]
        ]
        families = []
        for family, questions in grouped(self.rows["questions"], "model_family").items():
            frontier = (
                rows_of("frontier", family) if self.of("frontiers", model_family=family) else None
            )
            families.append([family, rows_of("family", family), questions, frontier])
        yield script("names", {"names": listed, "families": families})

    def _rows_script(self, rows: Sequence[Row]) -> Row:
        """Rows of results, with the pages of the names in them.

        Returns:
            The names of the `columns`; by kind and name the `pages`; and the cells of the `rows`, in
            the order of the query.
        """
        pages = {
            kind: {name: page_of(kind, name) for name in {row[kind] for row in rows} if name}
            for kind in ("model", "platform", "source")
        }
        cells = [[*row.values()] for row in rows]
        return {"columns": [*rows[0]], "pages": pages, "rows": cells}

    def pages(self) -> Iterator[SitePage]:
        """Every page but those of claims and the further parts of tables."""
        for path in sorted(_PAGES.glob("*.html")):
            yield SitePage(path.name, f"pages/{path.name}")
        yield SitePage("llms.txt", "llms.txt")
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


def first_rows(tables: int) -> int:
    """Rows of each of so many tables of results on their page."""
    return max(_LEAST, _RESULTS // tables)
