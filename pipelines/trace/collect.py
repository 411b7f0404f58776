"""Traces as plain dictionaries, ready for JSON. How they look in a terminal belongs in `text.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pipelines.trace.identifiers import Identifier, TraceError
from pipelines.trace.keys import key_parts, relation
from pipelines.trace.places import Store, place_of
from pipelines.trace.rows import Row, Rows, read_rows
from pipelines.trace.steps import claim_steps, configuration_steps, names_in, result_steps, run_steps

Trace = dict[str, Any]
_DOCUMENT = (
    "document_id", "path", "source", "publisher", "title", "url", "published_on", "retrieved_at", "edition", "format",
    "charset",
)  # fmt: skip


def trace_rows(warehouse: Path, raw: Path, identifiers: Sequence[Identifier]) -> Iterator[Trace]:
    """The trace of each identifier, in order: document, place, steps, the row itself and what belongs to it.

    Args:
        warehouse: Folder of the published file.
        raw: Folder of the stored documents.
        identifiers: What to trace.

    Raises:
        TraceError: An identifier has no row.
    """
    rows, store = read_rows(warehouse, identifiers, names_in), Store(raw)
    for one in identifiers:
        if one not in rows.traced:
            raise TraceError(f"there is no {one.kind} with the identifier {one.id!r}")
        yield _trace(one, rows, store)


def _trace(one: Identifier, rows: Rows, store: Store) -> Trace:
    row = rows.traced[one]
    document, evidence = rows.documents[row["document_id"]], rows.evidence[row["evidence_id"]]
    text = evidence["text_printed"]
    trace: Trace = {
        "kind": one.kind,
        "id": one.id,
        "document": {name: document[name] for name in _DOCUMENT},
        "place": place_of(evidence, document, store, row.get("row_line")),
        "row": row,
    }
    if one.kind == "result":
        trace["steps"] = result_steps(row, rows.names)
        trace["conditions"] = [_condition(condition) for condition in rows.conditions[one.id]]
        trace["runs"] = rows.runs[one.id]
        trace["benchmark"] = {"key": row["benchmark_key"], "parts": key_parts(row, document["source"])}
        trace["history"] = _history(row, rows.history[row["benchmark_key"]])
    elif one.kind == "claim":
        trace["steps"] = claim_steps(row, rows.names)
        trace["sides"] = {side: _side(row, side) for side in ("subject", "baseline")}
        trace["configurations"] = rows_of_section(row, rows.configurations[row["document_id"]])
        trace["verdict"] = rows.verdicts[one.id]
        trace["repeats"] = [place_of(rows.evidence[place], document, store) for place in row["repeat_evidence_ids"]]
    elif one.kind == "run":
        trace["steps"] = run_steps(row, rows.names, text)
        trace["epochs"] = rows.epochs[one.id]
    elif one.kind == "configuration":
        trace["steps"] = configuration_steps(row, rows.names, text)
        trace["claims"] = rows_of_section(row, rows.claims[row["document_id"]])
    else:
        trace["rests_on_it"] = rows.resting[one.id]
    return trace


def _condition(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "result_id"}


def _side(claim: Row, side: str) -> dict[str, str | None]:
    return {
        "platform": claim[f"{side}_platform"],
        "platform_printed": claim[f"{side}_printed"],
        "sdk_version": claim[f"{side}_sdk_version"],
    }


def rows_of_section(row: Row, others: list[Row]) -> list[Row]:
    """Rows of the same slide or section; without one a row belongs to no other."""
    if row["section_line"] is None:
        return []
    return [other for other in others if other["section_line"] == row["section_line"]]


def _history(result: Row, history: list[Row]) -> list[Row]:
    own = next(
        (row for row in history if (row["sdk_order"], row["value"]) == (result["sdk_order"], result["value"])), None
    )
    names = (
        "sdk_version", "value", "unit", "status", "stands", "first_published_on", "last_published_on",
        "first_captured_on", "last_captured_on", "results",
    )  # fmt: skip
    return [{"relation": relation(own, row)} | {name: row[name] for name in names} for row in history]
