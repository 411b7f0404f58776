"""What the command `coverage` shows: how much of each document was read, what was set aside, what was not read."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.export.output import command_rows
from pipelines.extract.accounting.statuses import promise, rules
from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.extract.reading import StoredDocument, open_document
from pipelines.report.findings import documents_meant

_SENTENCES = pa.schema(
    [("score", pa.int64()), ("place", pa.string()), ("numbers", pa.list_(pa.string())), ("sentence", pa.string())]
)
# A longer line is shown in part.
_MAX_SHOWN = 300


def coverage(warehouse: Path, raw: Path, document: str | None = None) -> dict[str, tuple[str, pa.Table]]:
    """Three tables, with titles: the documents, the rules that set numerals aside, the sentences with unread numbers.

    Raises:
        WarehouseError: There is no warehouse, or no such document in it.
    """
    ids = [row["document_id"] for row in documents_meant(warehouse, document)]
    ignored = command_rows(warehouse, "coverage_ignored", [ids])
    meanings = pa.array([rules()["ignored"].get(rule) for rule in ignored["rule"].to_pylist()], pa.string())
    unread = _sentences(command_rows(warehouse, "coverage_unread", [ids]).to_pylist(), raw)
    return {
        "documents": ("How much of each document was read", command_rows(warehouse, "coverage_documents", [ids])),
        "ignored": ("Numbers set aside, by rule", ignored.append_column("meaning", meanings)),
        "unread": ("Sentences with unread numbers, the most promising first", unread),
    }


def _sentences(unread: list[dict[str, Any]], raw: Path) -> pa.Table:
    """One row per sentence with unread numbers, the most promising first."""
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    for path, numerals in groupby(unread, key=lambda row: str(row["path"])):
        numbers = list(numerals)
        stored = StoredDocument(numbers[0]["document_id"], raw / path, numbers[0]["format"], numbers[0]["charset"])
        texts = _Texts(stored)
        for row in numbers:
            text, first = texts.around(row["line"], row["char_start"])
            place = f"{path}:{row['line']}"
            empty = {"score": promise(text), "place": place, "numbers": [], "sentence": text[:_MAX_SHOWN]}
            rows.setdefault((path, text, first), empty)["numbers"].append(row["text_printed"])
    return pa.Table.from_pylist(sorted(rows.values(), key=lambda row: -row["score"]), schema=_SENTENCES)


class _Texts:
    """The sentences of one stored document by place; without the file all texts are empty."""

    def __init__(self, stored: StoredDocument) -> None:
        self._document = open_document(stored) if stored.path.exists() else None
        self._pieces: defaultdict[int, list[tuple[int, int, Sentence]]] = defaultdict(list)
        for section in read_sections(self._document, frozenset()) if self._document else ():
            for sentence in section.sentences:
                for _, number, column, length in sentence.pieces:
                    self._pieces[number].append((column, column + length, sentence))

    def around(self, line: int, start: int) -> tuple[str, int]:
        """The sentence that a character stands in, and the line on which it begins; else the line itself."""
        for low, high, sentence in self._pieces[line]:
            if low <= start < high:
                return sentence.text, sentence.pieces[0][1]
        return (self._document.line(line).cell.text if self._document else ""), line
