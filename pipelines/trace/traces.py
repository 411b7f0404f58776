"""Traces as plain dictionaries, ready for JSON: the row, its document and place, and the rows that
belong to it.

Each query runs once for all rows to be traced. How values came about belongs in `steps.py`, how a
trace looks in `text.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipelines.exceptions import BenchledgerError, naming_extras
from pipelines.extract.reading import StoredDocument, open_document
from pipelines.ingest.store import sha256_of
from pipelines.read.document import Document, ReadError
from pipelines.read.submission import MEMBER
from pipelines.schemas.tables import TABLES
from pipelines.trace.identifiers import Identifier, TraceError
from pipelines.trace.steps import Names, names_in, steps_of
from pipelines.warehouse.reader import SQL_FOLDER, query_published

Row = dict[str, Any]
Trace = dict[str, Any]

BOX = ("page", "x0", "top", "x1", "bottom")
_DOCUMENT = (
    "document_id", "path", "source", "publisher", "title", "url", "published_on", "retrieved_at", "edition", "format",
    "charset",
)  # fmt: skip
_AROUND = 2
# A table row that was flattened to one cell per line is shown from its first cell on, unless it is
# longer.
_MAX_BEFORE = 20

_TABLES = {
    "result": "resolved.results",
    "claim": "resolved.claims",
    "run": "resolved.training_runs",
    "configuration": "resolved.configurations",
    "evidence": "resolved.evidence",
}
_OF_A_SIDE = {"platform": "platform", "platform_printed": "printed", "sdk_version": "sdk_version"}
# What belongs to a row, in the order shown: the kind of the row and the columns that join both; the
# query is `sql/trace/<name>.sql`.
_BELONGING: dict[str, tuple[str, tuple[str, ...]]] = {
    "conditions": ("result", ("result_id",)),
    "runs": ("result", ("result_id",)),
    "history": ("result", ("result_id",)),
    "configurations": ("claim", ("document_id", "section_line")),
    "verdict": ("claim", ("claim_id",)),
    "epochs": ("run", ("run_id",)),
    "claims": ("configuration", ("document_id", "section_line")),
    "rests_on_it": ("evidence", ("evidence_id",)),
}


def trace_rows(warehouse: Path, raw: Path, identifiers: Sequence[Identifier]) -> Iterator[Trace]:
    """The trace of each identifier, in order: document, place, steps, the row itself and what
    belongs to it.

    Raises:
        TraceError: An identifier has no row.
    """

    def ask(sql: str, ids: Iterable[str]) -> list[Row]:
        listed = sorted(set(ids))
        return query_published(warehouse, sql, [listed]).to_pylist() if listed else []

    def by_value(table: str, column: str, values: Iterable[str]) -> list[Row]:
        names = ", ".join(one.name for one in TABLES[table].columns)
        return ask(
            f"select {names} from {table} where {column} in (select unnest($1::varchar[]))", values
        )

    def by_id(table: str, column: str, ids: Iterable[str]) -> dict[str, Row]:
        return {row[column]: row for row in by_value(table, column, ids)}

    traced: dict[Identifier, Row] = {}
    for kind, table in _TABLES.items():
        found = by_id(table, f"{kind}_id", (one.id for one in identifiers if one.kind == kind))
        traced |= {Identifier(kind, key): row for key, row in found.items()}
    rows = traced.values()
    places = {
        place for row in rows for place in (row["evidence_id"], *row.get("repeat_evidence_ids", ()))
    }
    evidence = by_id("resolved.evidence", "evidence_id", places)
    documents = by_id("raw.documents", "document_id", {row["document_id"] for row in rows})
    printed = {name for row in rows for name in names_in(row)}
    names: Names = {
        (row["kind"], row["name_printed"], row["suite"]): row
        for row in by_value("resolved.names", "name_printed", printed)
    }
    belonging = {name: defaultdict[tuple[Any, ...], list[Row]](list) for name in _BELONGING}
    for name, (kind, columns) in _BELONGING.items():
        query = (SQL_FOLDER / "trace" / f"{name}.sql").read_text("utf-8")
        for row in ask(query, {row[columns[0]] for one, row in traced.items() if one.kind == kind}):
            belonging[name][tuple(row[column] for column in columns)].append(row)

    store = _Store(raw)
    for one in identifiers:
        if one not in traced:
            raise TraceError(f"there is no {one.kind} with the identifier {one.id!r}")
        row = traced[one]
        document = documents[row["document_id"]]
        place = store.place(evidence[row["evidence_id"]], document, row.get("row_line"))
        trace: Trace = {
            "kind": one.kind,
            "id": one.id,
            "document": {name: document[name] for name in _DOCUMENT},
        }
        trace |= {"place": place, "row": row}
        if one.kind != "evidence":
            trace["steps"] = [*steps_of(one.kind, row, names, place["text_printed"])]
        if one.kind == "claim":
            trace["sides"] = {
                side: {name: row[f"{side}_{column}"] for name, column in _OF_A_SIDE.items()}
                for side in ("subject", "baseline")
            }
        for name, (kind, columns) in _BELONGING.items():
            if kind == one.kind:
                trace[name] = belonging[name][tuple(row[column] for column in columns)]
        if one.kind == "result":
            # These are already shown with the result.
            for name in ("conditions", "history"):
                trace[name] = [
                    {key: part[key] for key in part if key != "result_id"} for part in trace[name]
                ]
        elif one.kind == "claim":
            [trace["verdict"]] = trace["verdict"]
            trace["repeats"] = [
                store.place(evidence[place], document) for place in row["repeat_evidence_ids"]
            ]
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

    def place(
        self, evidence: Mapping[str, Any], document: Row, first_line: int | None = None
    ) -> dict[str, Any]:
        """A printed place: `lines` around it from the stored bytes, or a `note` why they cannot be
        shown.

        Of a submission `file` says which of its files it is in.

        Args:
            evidence: Row of `resolved.evidence`.
            document: Row of `raw.documents`.
            first_line: First line of the table row that the place belongs to.
        """
        names = (
            "evidence_id",
            "line",
            "char_start",
            "char_end",
            *BOX,
            "text_printed",
            "extractor",
            "verified_by",
        )
        place: dict[str, Any] = {name: evidence[name] for name in names} | {
            "note": None,
            "lines": [],
            "file": None,
        }
        opened = self._opened(
            *(document[name] for name in ("path", "document_id", "format", "charset"))
        )
        line, start, end = evidence["line"], evidence["char_start"], evidence["char_end"]
        if isinstance(opened, str):
            return place | {"note": opened}
        if (
            line > len(opened.lines)
            or opened.line(line).text[start:end] != evidence["text_printed"]
        ):
            note = (
                f"the stored document does not print it at line {line}, characters {start} to {end}"
            )
            return place | {"note": note}
        first = line - _AROUND
        if first_line is not None and line - _MAX_BEFORE <= first_line <= line:
            first = min(first, first_line)
        numbers = range(max(1, first), min(line + _AROUND, len(opened.lines)) + 1)
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
