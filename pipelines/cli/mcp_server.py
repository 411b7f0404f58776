"""The command `mcp`: tools by which a language model reads the published warehouse, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from benchledger import Warehouse, open_warehouse
from pipelines.cli.commands import WithBoth
from pipelines.exceptions import BenchledgerError
from pipelines.export.csv_values import plain
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import QueryLimits, stream_published

if TYPE_CHECKING:
    from mcp.server import MCPServer

_INSTRUCTIONS = """Published benchmarks of AI accelerators. Every number has its document and line: name them
when you quote it. Search for the exact names of models and platforms first. Compare only results of the grade
`same` or `close`."""
# More fills the window of a model; the answer says how many rows there are.
_MOST_ROWS = 100
_LIMITS = QueryLimits(seconds=20, memory_mib=1024, rows=10_000)


def mcp(project: WithBoth) -> None:
    """Serve the warehouse to a language model over the Model Context Protocol, on standard input and output.

    Example: `benchledger mcp --warehouse warehouse`
    """
    server(open_warehouse(project.published(), project.raw)).run()


def server(ledger: Warehouse) -> MCPServer:
    """A server with read-only tools on a warehouse: search, results, compare, trace, claims, sql."""
    from mcp.server import MCPServer
    from mcp.types import ToolAnnotations

    def search(words: str) -> str:
        """Names of models, platforms, vendors and sources that hold all of the words, with their results."""
        return _answer(command_rows(ledger.path, "search_names", [words.lower().split()]))

    def results(
        model: str | None = None,
        platform: str | None = None,
        task: str | None = None,
        metric: str | None = None,
        vendor: str | None = None,
    ) -> str:
        """Current results with these exact names: value, unit, conditions, source and line."""
        names = {"model": model, "platform": platform, "task": task, "metric": metric}
        return _answer(ledger.results(arrow=True, **names, vendor=vendor))

    def compare(model: str, platform: str | None = None, other_platform: str | None = None) -> str:
        """The closest results of two platforms for a model: ratio, grade, and the conditions that differ."""
        rows = command_rows(ledger.path, "compare_platforms", [model, platform, other_platform])
        return _answer(rows)

    def trace(result_id: str) -> str:
        """The printed characters that a result or a claim comes from, and each step to the stored value."""
        return json.dumps(plain(ledger.trace(result_id)), ensure_ascii=False)

    def claims(
        model: str | None = None, platform: str | None = None, verdict: str | None = None
    ) -> str:
        """Claims such as "2.6x higher throughput" with the verdict of the numbers."""
        return _answer(ledger.claims(arrow=True, model=model, platform=platform, verdict=verdict))

    def sql(query: str) -> str:
        """The rows of a query in DuckDB's SQL on tables such as main.current_results; it can only read."""
        with stream_published(ledger.path, query, _LIMITS) as rows:
            return _answer(rows.read_all())

    made = MCPServer("benchledger", instructions=_INSTRUCTIONS)
    for tool in (search, results, compare, trace, claims, sql):
        hints = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        made.tool(annotations=hints, structured_output=False)(_refusals()(tool))
    return made


@contextmanager
def _refusals() -> Iterator[None]:
    """While it lasts a refusal is an answer of the tool; other errors show nothing of this machine."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        yield
    except BenchledgerError as error:
        raise ToolError(str(error)) from error


def _answer(rows: pa.Table) -> str:
    """Rows as JSON with their count; columns without a value are left out of a row."""
    shown: list[dict[str, Any]] = []
    for row in rows.slice(0, _MOST_ROWS).to_pylist():
        shown.append({name: value for name, value in row.items() if value not in (None, [])})
    return json.dumps({"rows": rows.num_rows, "shown": plain(shown)}, ensure_ascii=False)
