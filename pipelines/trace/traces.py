"""Traces as plain dictionaries, ready for JSON: the row, its document and place, and the rows that
belong to it.

Each query runs once for all rows to be traced. How values came about belongs in `steps.py`, how a
trace looks in `printing.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipelines.exceptions import BenchledgerError, naming_extras
from pipelines.extract.reading import StoredDocument, open_document
from pipelines.ingest.store import sha256_of
from pipelines.read.document import Document, ReadError
from pipelines.read.submission import MEMBER
from pipelines.trace.identifiers import Identifier, TraceError
from pipelines.trace.steps import Names, names_in, steps_of
from pipelines.warehouse.reader import SQL_FOLDER, query_published

Row = dict[str, Any]
Trace = dict[str, Any]

BOX = ("page", "x0", "top", "x1", "bottom")
_AROUND = 2
# A table row that was flattened to one cell per line is shown from its first cell on, unless it is
# longer.
_MAX_BEFORE = 20

# What belongs to a row of each kind, in the order shown: rows of `sql/trace/<name>.sql`.
_PARTS = {
    "result": ("conditions", "runs", "history"),
    "claim": ("configurations", "verdict"),
    "run": ("epochs",),
    "configuration": ("claims",),
    "evidence": ("rests_on_it",),
}


def trace_rows(warehouse: Path, raw: Path, identifiers: Sequence[Identifier]) -> Iterator[Trace]:
    """The trace of each identifier, in order: document, place, steps, the row itself and what
    belongs to it.

    Raises:
        TraceError: An identifier has no row.
    """

    def ask(name: str, ids: Iterable[str]) -> list[Row]:
        """The rows of `sql/trace/<name>.sql` for these identifiers."""
        sql, listed = (SQL_FOLDER / "trace" / f"{name}.sql").read_text("utf-8"), sorted(set(ids))
        return query_published(warehouse, sql, [listed]).to_pylist() if listed else []

    traced: dict[Identifier, Row] = {}
    parts = defaultdict[tuple[str, str], list[Row]](list)
    for kind, names_of_parts in _PARTS.items():
        ids = [one.id for one in identifiers if one.kind == kind]
        for row in ask(f"traced_{kind}", ids):
            traced[Identifier(kind, row[f"{kind}_id"])] = row
        for name in names_of_parts:
            for row in ask(name, ids):
                parts[name, row.pop("traced_id")].append(row)
    places, printed = set[str](), set[str]()
    for row in traced.values():
        places |= {row["evidence_id"], *row.get("repeat_evidence_ids", ())}
        printed |= names_in(row)
    origins = {row["evidence_id"]: row for row in ask("places", places)}
    names: Names = {
        (row["kind"], row["name_printed"], row["suite"]): row for row in ask("names", printed)
    }

    store = _Store(raw)
    for one in identifiers:
        if one not in traced:
            raise TraceError(f"there is no {one.kind} with the identifier {one.id!r}")
        row = traced[one]
        origin = origins[row["evidence_id"]]
        document, place = origin["document"], store.place(origin, row.get("row_line"))
        trace: Trace = {"kind": one.kind, "id": one.id, "document": document, "place": place}
        trace["row"] = row
        if one.kind != "evidence":
            trace["steps"] = [*steps_of(one.kind, row, names, place["text_printed"])]
        if one.kind == "claim":
            trace["sides"] = row.pop("sides")
        trace |= {name: parts[name, one.id] for name in _PARTS[one.kind]}
        if one.kind == "claim":
            [trace["verdict"]] = trace["verdict"]
            trace["repeats"] = [store.place(origins[again]) for again in row["repeat_evidence_ids"]]
        yield trace


class _Store:
    """The stored documents under a folder; a document is opened once for all its places."""

    def __init__(self, raw: Path) -> None:
        self._raw = raw
        # Rows are sorted by document, so one open document is enough.
        self._opened = lru_cache(maxsize=16)(self._open)

    def _open(
        self, path: str, document_id: str, format: str | None, charset: str | None
    ) -> Document | str:
        """The stored document, or the reason why it cannot be opened."""
        file = self._raw / path
        try:
            if sha256_of(file) != document_id:
                return f"{file} changed after the warehouse was built"
            with naming_extras():
                return open_document(StoredDocument(document_id, file, format, charset))
        except FileNotFoundError:
            return f"the stored document is missing: {file}"
        except (OSError, ReadError, BenchledgerError) as error:
            return f"{file} cannot be read: {error}"

    def place(self, origin: Row, first_line: int | None = None) -> Row:
        """A printed place: `lines` around it from the stored bytes, or a `note` why they cannot be
        shown.

        Of a submission `file` says which of its files it is in.

        Args:
            origin: Row of `sql/trace/places.sql`.
            first_line: First line of the table row that the place belongs to.
        """
        document: Row = origin["document"]
        place: Row = origin["place"] | {"note": None, "lines": [], "file": None}
        opened = self._opened(
            *(document[name] for name in ("path", "document_id", "format", "charset"))
        )
        if isinstance(opened, str):
            return place | {"note": opened}
        line, start, end = place["line"], place["char_start"], place["char_end"]
        count = len(opened.lines)
        if line > count or opened.line(line).text[start:end] != place["text_printed"]:
            where = f"line {line}, characters {start} to {end}"
            return place | {"note": f"the stored document does not print it at {where}"}
        first = line - _AROUND
        if first_line is not None and line - _MAX_BEFORE <= first_line <= line:
            first = min(first, first_line)
        numbers = range(max(1, first), min(line + _AROUND, count) + 1)
        lines = [{"line": number, "text": opened.line(number).text} for number in numbers]
        return place | {"lines": lines, "file": _file_of(opened, line)}


def _file_of(document: Document, line: int) -> str | None:
    """The file of a submission with a line, and the number of the line in it:
    `systems/a.json, line 4`.
    """
    start = next((number for number, _ in reversed(document.levels) if number < line), None)
    if start is None or not MEMBER.fullmatch(document.line(start).text):
        return None
    return f"{document.line(start).text}, line {line - start}"
