"""The layer extracted: documents read by every source format, the rows of each kind, and the accounting of all lines.

All of it is one step: the documents are read once, and a step for every table would cost more than its work.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import OWNERS, asset_key, asset_spec, keep_rows, store_table
from pipelines.extract.accounting.ledger import LINE_LEDGER, NUMERALS
from pipelines.extract.contract import formats
from pipelines.extract.corpus import read_corpus
from pipelines.extract.reading import StoredDocument
from pipelines.extract.rows import KIND_OF, ROW_KINDS
from pipelines.extract.tables.mapping_file import MAPPING_FILE, MappingFile
from pipelines.schemas.tables import LAYERS, TABLES
from pipelines.validate.quarantine import ContractError
from pipelines.warehouse import read_parts, run_sql

_STORED = ["document_id", "path", "format", "charset", "mapping_sha256"]
_KINDS = {kind: TABLES[f"extracted.{kind}"] for kind in ROW_KINDS}
# What the readers say of every line and numeral is of the layer audit, and known only while a document is read.
_ACCOUNTING = {table.name: table for table in (LINE_LEDGER, NUMERALS)}
_COUNTS = "select extractor, count(*) as n from {} group by extractor"


def _key(format_name: str) -> dg.AssetKey:
    return dg.AssetKey(["extracted", format_name])


def assets_giving(tables: Iterable[str]) -> list[str]:
    """The assets that rows of these tables come from: of rows in the printed words, the formats that give them."""
    found: set[str] = set()
    for full_name in tables:
        layer, kind = full_name.split(".", 1)
        if layer == "extracted":
            found |= {
                f"extracted.{name}" for name, module in formats().items() if kind in map(KIND_OF.get, module.ROWS)
            }
        elif layer in LAYERS:
            found.add(full_name)
    return sorted(found)


def _specs() -> Iterator[dg.AssetSpec]:
    for name, module in formats().items():
        kinds = ", ".join(sorted({KIND_OF[row] for row in module.ROWS}))
        yield dg.AssetSpec(
            key=_key(name),
            deps=[asset_key(DOCUMENTS.full_name)],
            description=f"What is read in documents as {name}: {module.DESCRIPTION} Gives {kinds}.",
            group_name="extracted",
            kinds={"python", "parquet"},
            owners=OWNERS,
        )
    for table in _ACCOUNTING.values():
        yield asset_spec(table, deps=[f"extracted.{name}" for name in formats()], kinds={"python", "parquet"})


@dg.multi_asset(name="extracted__documents", specs=list(_specs()))
def extracted(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """Read every document that is not known yet, each by all formats in turn, and check the rows of each kind."""
    stored_at = folders.tables.path(DOCUMENTS.full_name)
    stored = pq.read_table(stored_at, columns=_STORED).to_pylist()
    documents = [_stored_document(row, folders.raw_path) for row in stored]
    corpus = read_corpus(documents, folders.cache)
    counts = {"documents_read": corpus.documents_read, "documents_known": corpus.documents_known}
    broken: list[str] = []
    found: dict[str, dict[str, int]] = {name: {} for name in formats()}
    for kind, table in _KINDS.items():
        try:
            keep_rows(read_parts(corpus.files(kind), table, corpus.counting), table, folders.tables)
        except ContractError as error:
            broken.append(str(error))
            continue
        for row in run_sql(_COUNTS.format(table.full_name), folders.tables).to_pylist():
            if row["extractor"] in found:
                found[row["extractor"]] |= {kind: row["n"]}
    if broken:
        raise dg.Failure("; ".join(broken), allow_retries=False)
    for name in formats():
        rows = {f"rows of {kind}": n for kind, n in found[name].items()}
        yield dg.MaterializeResult(
            asset_key=_key(name), metadata={"dagster/row_count": sum(found[name].values()), **rows, **counts}
        )
    for name, table in _ACCOUNTING.items():
        started = time.perf_counter()
        yield store_table(read_parts(corpus.files(name), table, corpus.counting), table, folders, started)


def _stored_document(row: dict[str, Any], raw: Path) -> StoredDocument:
    path, sha256 = raw / row["path"], row["mapping_sha256"]
    mapping = MappingFile(path.parents[1] / MAPPING_FILE, sha256) if sha256 else None
    return StoredDocument(row["document_id"], path, row["format"], row["charset"], mapping)


ASSETS = [extracted]
