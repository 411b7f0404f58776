"""The layer extracted: documents read by every source format, the rows of each kind, and the accounting of all lines.

All of it is one step: the documents are read once, and a step for every table would cost more than its work.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import asset_spec, check_spec, store_table
from pipelines.extract.accounting.columns import LINE_LEDGER, NUMERALS
from pipelines.extract.contract import formats
from pipelines.extract.corpus import read_corpus
from pipelines.extract.reading import StoredDocument
from pipelines.extract.rows import KIND_OF, ROW_KINDS
from pipelines.extract.tables.mapping import MAPPING_FILE, MappingFile
from pipelines.schemas.tables import TABLES, Table, format_table
from pipelines.warehouse import read_parts

_STORED = ["document_id", "path", "format", "charset", "mapping_sha256"]
_FORMATS = {name: format_table(name, module.DESCRIPTION) for name, module in formats().items()}
_KINDS = {kind: TABLES[f"extracted.{kind}"] for kind in ROW_KINDS}
# What the readers say of every line and numeral is of the layer audit, and known only while a document is read.
_ACCOUNTING = {table.name: table for table in (LINE_LEDGER, NUMERALS)}


def _formats_with(kind: str) -> list[str]:
    """Tables of the formats that can give rows of a kind."""
    return [_FORMATS[name].full_name for name, module in formats().items() if kind in map(KIND_OF.get, module.ROWS)]


def _specs() -> Iterator[dg.AssetSpec]:
    kinds = {"python", "parquet"}
    for table in _FORMATS.values():
        yield asset_spec(table, deps=[DOCUMENTS.full_name], kinds=kinds)
    for kind, table in _KINDS.items():
        yield asset_spec(table, deps=_formats_with(kind), kinds=kinds)
    for table in _ACCOUNTING.values():
        yield asset_spec(table, deps=[table.full_name for table in _FORMATS.values()], kinds=kinds)


@dg.multi_asset(
    name="extracted__documents",
    specs=list(_specs()),
    check_specs=[check_spec(table) for table in (*_FORMATS.values(), *_KINDS.values(), *_ACCOUNTING.values())],
)
def extracted(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """Read every document that is not known yet, each by all formats in turn, and check the rows of each kind."""
    started = time.perf_counter()
    stored_at = folders.tables.path(DOCUMENTS.full_name)
    stored = pq.read_table(stored_at, columns=_STORED).to_pylist()
    documents = [_stored_document(row, folders.raw_path) for row in stored]
    corpus = read_corpus(documents, folders.cache)
    counts = {"documents_read": corpus.documents_read, "documents_known": corpus.documents_known}
    tables: dict[str, Table] = _FORMATS | _KINDS | _ACCOUNTING
    for name, table in tables.items():
        rows = read_parts(corpus.files(name), table, corpus.counting)
        yield store_table(rows, table, folders, started, counts if name in _FORMATS else None)
        started = time.perf_counter()


def _stored_document(row: dict[str, Any], raw: Path) -> StoredDocument:
    path, sha256 = raw / row["path"], row["mapping_sha256"]
    mapping = MappingFile(path.parents[1] / MAPPING_FILE, sha256) if sha256 else None
    return StoredDocument(row["document_id"], path, row["format"], row["charset"], mapping)


ASSETS = [extracted]
