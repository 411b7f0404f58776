"""What the command `coverage` shows: how much of each document was read, what was set aside, what was not read."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.build.warehouse import WarehouseError, query_published
from pipelines.extract.accounting.statuses import promise, rules
from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.extract.reading import StoredDocument, open_document

TITLES = {
    "documents": "How much of each document was read",
    "ignored": "Numbers set aside, by rule",
    "unread": "Sentences with unread numbers, the most promising first",
}

_DOCUMENTS = """
select
    d.path, c.lines, c.lines_unparsed, c.numerals, c.numerals_extracted, c.numerals_explained, c.numerals_unparsed,
    c.marks_seen, c.marks_refused,
    round((c.numerals - c.numerals_unparsed) / nullif(c.numerals, 0), 4) as share_accounted_for
from audit.coverage as c
inner join raw.documents as d on c.document_id = d.document_id
where list_contains(?, d.document_id)
order by d.path
"""

_IGNORED = """
select rule, count(*) as numerals, count(distinct document_id) as documents
from audit.numerals
where status = 'ignored' and list_contains(?, document_id)
group by rule
order by numerals desc, rule
"""

_UNREAD = """
select d.path, d.document_id, d.format, d.charset, n.line, n.char_start, n.text_printed
from audit.numerals as n
inner join raw.documents as d on n.document_id = d.document_id
where n.status = 'unparsed' and list_contains(?, d.document_id)
order by d.path, n.line, n.char_start
"""

_SENTENCES = pa.schema(
    [("score", pa.int64()), ("place", pa.string()), ("numbers", pa.list_(pa.string())), ("sentence", pa.string())]
)
# A longer line is shown in part.
_MAX_SHOWN = 300


def coverage(warehouse: Path, raw: Path, document: str | None = None) -> dict[str, pa.Table]:
    """Three tables: the documents, the rules that set numerals aside, the sentences with unread numbers.

    Args:
        warehouse: Folder of the published warehouse.
        raw: Folder of the stored documents; sentences of a document that is not there are shown as their numbers.
        document: Only this one: its path below raw/, the end of its path, or the start of its document_id.

    Raises:
        WarehouseError: There is no warehouse, or no such document in it.
    """
    ids = [row["document_id"] for row in documents_meant(warehouse, document)]
    ignored = query_published(warehouse, _IGNORED, [ids])
    meanings = pa.array([rules()["ignored"].get(rule) for rule in ignored["rule"].to_pylist()], pa.string())
    unread = query_published(warehouse, _UNREAD, [ids]).to_pylist()
    return {
        "documents": query_published(warehouse, _DOCUMENTS, [ids]),
        "ignored": ignored.append_column("meaning", meanings),
        "unread": pa.Table.from_pylist(_sentences(unread, raw), schema=_SENTENCES),
    }


def documents_meant(warehouse: Path, document: str | None) -> list[dict[str, Any]]:
    """Id and path of the stored documents that a name means: a path, the end of one, the start of a document_id.

    Raises:
        WarehouseError: There is no warehouse, or the name means no document.
    """
    known = query_published(warehouse, "select document_id, path from raw.documents order by path").to_pylist()
    meant = [row for row in known if document is None or _is_meant(row, document)]
    if document is not None and not meant:
        raise WarehouseError(f"the warehouse has no document {document!r}; `benchledger coverage` lists them all")
    return meant


def _is_meant(row: dict[str, Any], document: str) -> bool:
    path = str(row["path"])
    return path == document or path.endswith(f"/{document}") or row["document_id"].startswith(document)


def _sentences(unread: list[dict[str, Any]], raw: Path) -> list[dict[str, Any]]:
    """One row per sentence with unread numbers, the most promising first."""
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    texts: dict[str, _Texts] = {}
    for numeral in unread:
        path, line, start = numeral["path"], numeral["line"], numeral["char_start"]
        if path not in texts:
            texts[path] = _Texts(
                StoredDocument(numeral["document_id"], raw / path, numeral["format"], numeral["charset"])
            )
        text, first = texts[path].around(line, start)
        if (path, text, first) not in rows:
            row = {"score": promise(text), "place": f"{path}:{line}", "numbers": [], "sentence": text[:_MAX_SHOWN]}
            rows[path, text, first] = row
        rows[path, text, first]["numbers"].append(numeral["text_printed"])
    return sorted(rows.values(), key=lambda row: -row["score"])


class _Texts:
    """The sentences of one stored document by place; without the file all texts are empty."""

    def __init__(self, stored: StoredDocument) -> None:
        self._document = open_document(stored) if stored.path.exists() else None
        self._pieces: dict[int, list[tuple[int, int, Sentence]]] = defaultdict(list)
        for section in read_sections(self._document, ()) if self._document else ():
            for sentence in section.sentences:
                for _, number, column, length in sentence.pieces:
                    self._pieces[number].append((column, column + length, sentence))

    def around(self, line: int, start: int) -> tuple[str, int]:
        """The sentence that a character stands in, and the line on which it begins; else the line itself."""
        for low, high, sentence in self._pieces[line]:
            if low <= start < high:
                return sentence.text, sentence.pieces[0][1]
        return (self._document.line(line).cell.text if self._document else ""), line
