"""The layer extracted: documents read by every source format, and the rows of each kind."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import asset_spec, check_spec, store_table
from pipelines.extract.contract import formats
from pipelines.extract.corpus import Corpus, code_fingerprint, read_corpus
from pipelines.extract.reading import StoredDocument
from pipelines.extract.rows import KIND_OF, ROW_KINDS
from pipelines.schemas.tables import TABLES, format_table
from pipelines.warehouse import read_parts

_FORMAT_TABLES = {name: format_table(name, module.DESCRIPTION) for name, module in formats().items()}


@dg.multi_asset(
    name="extracted__formats",
    specs=[
        asset_spec(table, deps=[DOCUMENTS.full_name], kinds={"python", "parquet"}) for table in _FORMAT_TABLES.values()
    ],
    check_specs=[check_spec(table) for table in _FORMAT_TABLES.values()],
)
def source_formats(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """Read every document that is not known yet, each by all formats in turn."""
    started = time.perf_counter()
    stored = pq.read_table(
        folders.tables.path(DOCUMENTS.full_name), columns=["document_id", "path", "format"]
    ).to_pylist()
    documents = [StoredDocument(row["document_id"], folders.raw_path / row["path"], row["format"]) for row in stored]
    corpus = read_corpus(documents, folders.cache, folders.workers)
    counts = {"documents_read": corpus.documents_read, "documents_known": corpus.documents_known}
    for name, table in _FORMAT_TABLES.items():
        rows = read_parts(corpus.files(name), table, folders.tables.path(DOCUMENTS.full_name))
        yield store_table(rows, table, folders, started, counts)


def _kind_asset(kind: str) -> dg.AssetsDefinition:
    table = TABLES[f"extracted.{kind}"]
    sources = [
        table.full_name
        for name, table in _FORMAT_TABLES.items()
        if any(KIND_OF[row] == kind for row in formats()[name].ROWS)
    ]

    @dg.multi_asset(
        name=f"extracted__{kind}",
        specs=[asset_spec(table, deps=[DOCUMENTS.full_name, *sources], kinds={"python", "parquet"})],
        check_specs=[check_spec(table)],
    )
    def rows_of_kind(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
        started = time.perf_counter()
        corpus = Corpus(folders.cache / code_fingerprint(), 0, 0)
        rows = read_parts(corpus.files(kind), table, folders.tables.path(DOCUMENTS.full_name))
        yield store_table(rows, table, folders, started)

    return rows_of_kind


ASSETS = [source_formats, *(_kind_asset(kind) for kind in ROW_KINDS)]
