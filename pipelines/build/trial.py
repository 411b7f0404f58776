"""A build of some documents alone: what it would read and refuse, and what looks wrong in it. Nothing is published.

How it is shown belongs in `cli/mapping_preview.py`, what looks wrong in `sql/internal/suspicions.sql`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.build.canonical_rows import DOCUMENTS, NAMES, resolve_in
from pipelines.build.corpus import NoPandas, rows_by_kind
from pipelines.build.publication import put_lists
from pipelines.build.queries import internal_query
from pipelines.build.tables import Tables
from pipelines.build.warehouse import published_file
from pipelines.extract.contract import Extraction
from pipelines.extract.reading import Reading, StoredDocument, open_document, read_document, refuse_document
from pipelines.extract.tables.entries import MappingFile
from pipelines.extract.tables.preview import TablePreview, preview
from pipelines.own_files import checksum
from pipelines.read.document import Document
from pipelines.sandbox import Call, Refusal, limited, run_calls
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.settings import document_limits, reading_workers
from pipelines.validate.quarantine import part
from pipelines.vocabulary.resolution import resolve_name

# What the suspicions compare values with.
_PUBLISHED_VALUES = "internal.former_values"


class Trial(NamedTuple):
    """What a build would say of documents.

    Attributes:
        tables: By document, its tables with numbers, and those that an entry of the mapping claims.
        rejects: What readers, contracts and the evidence check refuse, see `quarantine.REFUSED`.
        suspicions: What looks wrong: `document_id`, `key`, `places`, `line` and `reason`.
    """

    tables: dict[str, list[TablePreview]]
    rejects: list[dict[str, Any]]
    suspicions: list[dict[str, Any]]


def try_build(documents: Sequence[dict[str, Any]], mapping: Path | None, raw: Path, warehouse: Path) -> Trial:
    """Read documents with a mapping, and put them under canonical names, as a build does, each within its limits.

    Args:
        documents: Rows of `raw.documents`.
        mapping: The mapping or the draft; None for none.
        raw: Folder of the stored documents.
        warehouse: The published file or its folder, which may not exist: values are compared with it.
    """
    accepted = MappingFile(mapping, checksum(mapping)) if mapping else None
    call = Call(_try_build, (documents, accepted, raw, published_file(warehouse)))
    [trial] = run_calls([call], 0 if reading_workers() == 0 else 1)
    return trial  # type: ignore[no-any-return]


def _try_build(
    documents: Sequence[dict[str, Any]],
    mapping: MappingFile | None,
    raw: Path,
    published: Path,
    refused: Mapping[str, Refusal],
) -> Trial:
    opened: dict[str, Document] = {}

    def open_once(stored: StoredDocument) -> Document:
        if stored.document_id not in opened:
            opened[stored.document_id] = open_document(stored)
        return opened[stored.document_id]

    readings: dict[str, Reading] = {}
    shown: dict[str, list[TablePreview]] = {}
    for row in documents:
        name, extractions = row["document_id"], dict[str, Extraction]()
        stored = StoredDocument(name, raw / row["path"], row["format"], row["charset"], mapping, row["bytes"])
        if name in refused:
            readings[name] = refuse_document(stored, refused[name])
            continue
        with limited(name, document_limits()):
            readings[name] = read_document(stored, open_once, extractions)
            shown[name] = preview(extractions)
    with closing(Tables()) as tables:
        with NoPandas():
            extracted = [*rows_by_kind([*readings.values()])]
            tables.write(DOCUMENTS, pa.Table.from_pylist([*documents], schema=arrow_schema(TABLES[DOCUMENTS])))
        rejects = []
        for kind, rows in extracted:
            table = TABLES[f"extracted.{kind}"]
            parted = part(rows, table)
            tables.write(table.full_name, parted.valid)
            rejects += parted.rejects
        rejects += tables.read("extracted.rejects").to_pylist()
        put_lists(tables, published if published.exists() else None, [_PUBLISHED_VALUES])
        printed = tables.query(internal_query("printed_names")).to_pylist()
        named = [resolve_name(row) for row in printed]
        tables.write(NAMES, pa.Table.from_pylist(named, schema=arrow_schema(TABLES[NAMES])))
        rejects += resolve_in(tables, raw, readings, refused, open_once).rejects
        return Trial(shown, rejects, tables.query(internal_query("suspicions")).to_pylist())
