"""Which row an identifier, a unique beginning of one, or a row of a query means."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pipelines.exceptions import BenchledgerError
from pipelines.warehouse.reader import SQL_FOLDER, query_published, stream_published

# Shorter beginnings fit too much by chance: of 1,000 identifiers two have the same three
# characters, surely.
_SHORTEST = 4
_SHOWN, _NEAR = 10, 3
# Columns of a query that name what to trace; the first one there is taken.
_COLUMNS = ("result_id", "claim_id", "run_id", "configuration_id", "evidence_id")


class TraceError(BenchledgerError):
    """An identifier of no row or of several, or a query without one; the message lists the
    candidates.
    """


class Identifier(NamedTuple):
    """A row: what kind it is (result, claim, run, configuration, evidence) and its identifier."""

    kind: str
    id: str


def find_identifier(warehouse: Path, printed: str) -> Identifier:
    """The row whose identifier is, or alone begins with, what a user has typed.

    Raises:
        TraceError: There is no such row, or there are several.
    """
    text = printed.strip().lower()
    if len(text) < _SHORTEST:
        raise TraceError(
            f"{printed!r} is too short; give at least {_SHORTEST} characters of the identifier"
        )
    query = (SQL_FOLDER / "trace" / "identifiers.sql").read_text("utf-8")
    found = query_published(warehouse, query, [text, 0]).to_pylist()
    meant = [row for row in found if row["id"] == text] or found
    if len(meant) == 1:
        return Identifier(meant[0]["kind"], meant[0]["id"])
    if found:
        more = f"\n  and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise TraceError(
            f"{printed!r} matches {len(found)} identifiers:{_listed(found[:_SHOWN])}{more}"
        )
    near = query_published(warehouse, query, [text, 2]).to_pylist()[:_NEAR]
    hint = "; see main.current_results.result_id for identifiers"
    if near:
        hint = f"; similar identifiers:{_listed(near)}"
    raise TraceError(
        f"no result, claim, run, configuration or evidence has the identifier {printed!r}{hint}"
    )


def identifiers_of(warehouse: Path, query: str) -> list[Identifier]:
    """The rows that a query names in a column such as `result_id`, in its order; nulls are left
    out.

    Raises:
        TraceError: None of its columns names rows.
        WarehouseError: DuckDB refuses the query.
    """
    with stream_published(warehouse, query) as reader:
        rows = reader.read_all()
    column = next((name for name in _COLUMNS if name in rows.column_names), None)
    if column is None:
        raise TraceError(
            f"the query returns the columns {', '.join(rows.column_names) or 'none'}; "
            f"to trace rows it needs one of {', '.join(_COLUMNS)}"
        )
    found = (value for value in rows[column].to_pylist() if value is not None)
    return [Identifier(column.removesuffix("_id"), str(value)) for value in found]


def _listed(rows: list[dict[str, str]]) -> str:
    return "".join(f"\n  {row['id']}  {row['kind']}: {row['what']}" for row in rows)
