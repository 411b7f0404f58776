"""Output of the command `coverage`: share of each document that was read, ignored numbers, unread
numbers.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.cli.findings import documents_meant
from pipelines.extract.accounting.statuses import rules
from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.sentences import pieces_by_line
from pipelines.extract.reading import StoredDocument, open_document
from pipelines.warehouse.queries import command_rows

_SENTENCES = pa.schema(
    [
        ("score", pa.int64()),
        ("place", pa.string()),
        ("numbers", pa.list_(pa.string())),
        ("sentence", pa.string()),
    ]
)
_MAX_SHOWN = 300


def coverage(
    warehouse: Path, raw: Path, document: str | None = None
) -> dict[str, tuple[str, pa.Table]]:
    """Three tables, with titles: the documents, the rules that set numerals aside, the sentences
    with unread numbers.

    Raises:
        WarehouseError: There is no warehouse, or no such document in it.
    """
    ids = [row["document_id"] for row in documents_meant(warehouse, document)]
    ignored = command_rows(warehouse, "coverage_ignored", [ids])
    meanings = pa.array(
        [rules()["ignored"].get(rule) for rule in ignored["rule"].to_pylist()], pa.string()
    )
    unread = _sentences(command_rows(warehouse, "coverage_unread", [ids]).to_pylist(), raw)
    return {
        "documents": (
            "Share of each document that was read",
            command_rows(warehouse, "coverage_documents", [ids]),
        ),
        "ignored": ("Ignored numbers, by rule", ignored.append_column("meaning", meanings)),
        "unread": ("Sentences with unread numbers, most relevant first", unread),
    }


def _sentences(unread: list[dict[str, Any]], raw: Path) -> pa.Table:
    """One row per sentence with unread numbers, those that state most first; what is in none with
    its line.
    """
    rows: dict[tuple[str, int, str], dict[str, Any]] = {}
    for path, numerals in groupby(unread, key=lambda row: str(row["path"])):
        first, *_ = numbers = list(numerals)
        stored = StoredDocument(first["document_id"], raw / path, first["format"], first["charset"])
        document = open_document(stored) if stored.path.exists() else None
        pieces = pieces_by_line(document, frozenset()) if document else {}
        for row in numbers:
            line, text = row["line"], ""
            if document:
                text = document.line(line).cell.text
            for cell, _, sentence in pieces.get(line, ()):
                if cell.start <= row["char_start"] < cell.end:
                    line, text = sentence.pieces[0].line, sentence.text
            place = f"{path}:{row['line']}"
            said = {mention.kind for mention in find_mentions(text, True)}
            empty = {
                "score": len(said),
                "place": place,
                "numbers": [],
                "sentence": text[:_MAX_SHOWN],
            }
            rows.setdefault((path, line, text), empty)["numbers"].append(row["text_printed"])
    found = sorted(rows.values(), key=lambda row: -row["score"])
    return pa.Table.from_pylist(found, schema=_SENTENCES)
