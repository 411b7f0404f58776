"""A build of some documents alone: what it would refuse, and what looks wrong in it. Nothing is
published.

How it is shown belongs in `cli/mapping_preview.py`, what looks wrong in
`sql/internal/suspicions.sql`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.extract.ranges import OUT_OF_RANGE
from pipelines.extract.reading import StoredDocument
from pipelines.extract.tables.entries import MappingFile
from pipelines.own_files import checksum
from pipelines.run.corpus import Engine, process_pool, read_corpus
from pipelines.run.document_tables import DOCUMENTS, NAMES, resolve
from pipelines.run.working_copy import put_lists
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.vocabulary.resolution import resolve_name
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import internal_query
from pipelines.warehouse.reader import (
    WarehouseError,
    published_file,
    query_frames,
    query_published,
)

# Those of tables are in their preview; of prose, only numbers out of range are asked for.
_REFUSED_ELSEWHERE = f"""
    select * from extracted.rejects
    where source_format(extractor).medium = 'log'
        or (rule = '{OUT_OF_RANGE}' and not source_format(extractor).takes_mapping)
"""
_EVIDENCE = "select document_id from resolved.evidence"


class Trial(NamedTuple):
    """What a build would say of documents.

    Attributes:
        rejects: What contracts and the evidence check refuse, see `quarantine.REFUSED`.
        suspicions: What looks wrong: `document_id`, `key`, `places`, `line` and `reason`.
        third_party: How many results are of platforms of another vendor than the publisher, in
            words.
        places: How many printed places its rows have, by document.
        changes: By published document, the numbers of its tables that are stated otherwise: line,
            kind (`added`, `removed`, `changed`), printed, before and after.
    """

    rejects: list[dict[str, Any]]
    suspicions: list[dict[str, Any]]
    third_party: list[str]
    places: dict[str, int]
    changes: dict[str, list[list[str]]]


def can_check() -> bool:
    """Whether the packages that a build needs are installed."""
    return find_spec("pandera") is not None


def try_build(
    documents: Sequence[dict[str, Any]], mapping: Path, raw: Path, warehouse: Path
) -> Trial:
    """Read documents with a mapping, and put them under canonical names, as a build does.

    Args:
        documents: Rows of `raw.documents`.
        mapping: The mapping or the draft; it may not exist.
        raw: Folder of the stored documents.
        warehouse: The published file or its folder, which may not exist: values are compared with
            it.
    """
    if not can_check():
        return Trial([], [], [], {}, {})
    published = published_file(warehouse)
    with resolved_alone(documents, mapping, raw, published) as (tables, rejects):
        refused = rejects + tables.query(_REFUSED_ELSEWHERE).to_pylist()
        suspicions, owners = (
            tables.query(internal_query(name)) for name in ("suspicions", "third_party")
        )
        places = Counter(tables.query(_EVIDENCE)["document_id"].to_pylist())
        changes = _changes(tables, published, [row["document_id"] for row in documents])
        return Trial(refused, suspicions.to_pylist(), owners["words"].to_pylist(), places, changes)


@contextmanager
def resolved_alone(
    documents: Sequence[dict[str, Any]],
    mapping: Path,
    raw: Path,
    published: Path | None = None,
    engine: Engine = process_pool,
) -> Iterator[tuple[Tables, list[dict[str, Any]]]]:
    """The tables of documents alone, up to `resolved`, and what contracts and the evidence check
    refuse, see `quarantine.REFUSED`; for the arguments see `try_build`.
    """
    accepted = MappingFile(mapping, checksum(mapping)) if mapping.is_file() else None
    stored = [
        StoredDocument(
            row["document_id"],
            raw / row["path"],
            row["format"],
            row["charset"],
            accepted,
            row["bytes"],
        )
        for row in documents
    ]
    with TemporaryDirectory() as name, closing(Tables()) as tables:
        corpus = read_corpus(stored, Path(name) / "rows", engine)
        tables.show_rows(corpus.files, corpus.counting)
        tables.write(
            DOCUMENTS, pa.Table.from_pylist([*documents], schema=arrow_schema(TABLES[DOCUMENTS]))
        )
        put_lists(tables, published if published and published.exists() else None)
        printed = tables.query(internal_query("printed_names")).to_pylist()
        named = [resolve_name(row) for row in printed]
        tables.write(NAMES, pa.Table.from_pylist(named, schema=arrow_schema(TABLES[NAMES])))
        resolved = resolve(corpus, tables, raw, Path(name) / "spill")
        for full_name, rows in resolved.tables.items():
            tables.write(full_name, rows)
        yield tables, resolved.rejects


def _changes(tables: Tables, published: Path, documents: list[str]) -> dict[str, list[list[str]]]:
    stated = internal_query("stated_numbers")
    try:
        before = query_published(published, stated, [documents])
    except WarehouseError:
        return {}
    frames = {"published": before, "now": tables.query(stated, [documents])}
    changes: dict[str, list[list[str]]] = {name: [] for name in before["document_id"].to_pylist()}
    for row in query_frames(internal_query("preview_changes"), frames).to_pylist():
        changes[row.pop("document_id")].append([*row.values()])
    return changes
