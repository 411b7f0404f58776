"""What some documents print, under canonical names, and whether they do print it.

Which documents are put together belongs in `document_tables.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.extract.contract import formats_macro
from pipelines.run.row_cache import Corpus
from pipelines.run.working_copy import KNOWN_ERRORS
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.validate.evidence.check import (
    DOCUMENT_COLUMNS,
    EVIDENCE,
    EVIDENCE_COLUMNS,
    KINDS,
    Checked,
    check_evidence,
)
from pipelines.validate.evidence.drawn import BOXES
from pipelines.validate.quarantine import part
from pipelines.warehouse.database import Tables, run_table_sql
from pipelines.warehouse.queries import base_tables, table_queries

DOCUMENTS = "raw.documents"
NAMES = "resolved.names"
# The rule by which rows are refused that their documents do not print as they say.
EVIDENCE_RULE = "evidence_does_not_hold"
# Tables across documents that the rows of each are made with.
GIVEN = (NAMES, KNOWN_ERRORS)

# What the engine takes for the rows of some documents.
_MEMORY_MIB = 256
# Documents whose evidence is verified at once.
_OPENED_AT_ONCE = 200


@cache
def resolved_in_order() -> tuple[str, ...]:
    """The tables of printed values under canonical names, each after those that it reads."""
    return in_order(("resolved",))


def in_order(layers: Collection[str]) -> tuple[str, ...]:
    """The tables of these layers that SQL makes, each after those that it reads."""
    reads = {
        name: base_tables(query)
        for name, query in table_queries().items()
        if name.split(".")[0] in layers
    }
    graph = TopologicalSorter(
        {name: sorted(inputs & reads.keys()) for name, inputs in sorted(reads.items())}
    )
    return (*graph.static_order(),)


@dataclass
class Resolved:
    """What documents gave.

    Attributes:
        tables: The rows of each table.
        rejects: Rows that contracts have refused, see `quarantine.REFUSED`.
        checked: What was found when the documents were opened again.
    """

    tables: dict[str, pa.Table] = field(default_factory=dict)
    rejects: list[dict[str, Any]] = field(default_factory=list)
    checked: Checked = field(default_factory=Checked)


def resolve(corpus: Corpus, working: Tables, raw: Path, spill: Path | None = None) -> Resolved:
    """Make the rows of documents, but for those that their documents do not print as they say.

    Args:
        corpus: The documents, and where their rows are.
        working: The tables of the build, of which those across documents are read.
        raw: Folder of the stored documents.
        spill: Folder for what does not fit into memory.
    """
    resolved = Resolved()
    with closing(Tables(spill=spill, memory_mib=_MEMORY_MIB)) as batch:
        batch.execute(formats_macro())
        batch.show_rows(corpus.files, corpus.counting)
        batch.write(DOCUMENTS, working.read(DOCUMENTS, documents=corpus.chunks))
        for name in GIVEN:
            if working.holds(name):
                batch.write(name, working.read(name))
        for name in resolved_in_order():
            rows = run_table_sql(table_queries()[name], TABLES[name], batch)
            parted = part(rows, TABLES[name])
            batch.write(name, parted.valid)
            resolved.rejects += parted.rejects
        resolved.checked = check_evidence_of(batch, raw, corpus.chunks)
        resolved.rejects += _remove_refused(batch, resolved.checked)
        resolved.tables = {name: batch.read(name) for name in resolved_in_order()}
    return resolved


def _remove_refused(batch: Tables, checked: Checked) -> list[dict[str, Any]]:
    """Remove what the evidence check refuses; gives a reject for each document and each row."""
    batch.remove_documents(resolved_in_order(), checked.refused)
    rejects: list[dict[str, Any]] = []
    for document_id, reason in sorted(checked.refused.items()):
        reject = {"document_id": document_id, "extractor": "evidence", "rule": EVIDENCE_RULE}
        rejects.append(reject | {"reason": reason, "scope": "document"})
    batch.write(BOXES, pa.Table.from_pylist(checked.drawn, arrow_schema(TABLES[BOXES])))
    if checked.refused_places or checked.drawn:
        rejects += batch.remove_evidence(resolved_in_order(), checked.refused_places)
        checked.drawn.clear()
        for name in ("chart_values", "evidence"):
            batch.make(f"resolved.{name}", f"select * from internal.verified_{name}")
    return rejects


def check_evidence_of(
    tables: Tables,
    raw: Path,
    documents: Collection[str] | None = None,
) -> Checked:
    """Open documents again at the evidence of their rows; by default all that are stored."""
    stored = tables.read(DOCUMENTS, DOCUMENT_COLUMNS).to_pylist()
    wanted = sorted({row["document_id"] for row in stored} if documents is None else documents)
    checked = Checked()
    for start in range(0, len(wanted), _OPENED_AT_ONCE):
        some = wanted[start : start + _OPENED_AT_ONCE]
        rows = {}
        for name, kind in KINDS.items():
            found = tables.read(name, kind.columns, some)
            rows[name] = (
                found.group_by([*kind.columns]).aggregate([]) if kind.is_repeated else found
            ).to_pylist()
        evidence = tables.read(EVIDENCE, EVIDENCE_COLUMNS, some).to_pylist()
        checked += check_evidence(evidence, rows, stored, raw)
    return checked
