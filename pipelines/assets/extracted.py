"""The layer extracted: documents read by every source format, the rows of each kind, and the accounting of all lines.

All of it is one step: the documents are read once, and a step for every table would cost more than its work.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import dagster as dg

from pipelines.assets.folders import Cluster, Folders
from pipelines.assets.raw import DOCUMENTS
from pipelines.assets.tables import OWNERS, asset_key, asset_spec, materialized, seconds_since
from pipelines.build.corpus import Progress
from pipelines.build.document_tables import account_for_lines, read_documents
from pipelines.build.rejects import ACCOUNTING
from pipelines.extract.contract import formats
from pipelines.extract.rows import KIND_OF, ROW_KINDS
from pipelines.schemas.tables import LAYERS

# What the log says of how far the reading is begins like this.
READING = "Reading: "
# An event takes some 0.05 s to be recorded.
_SAID_EVERY_S, _SAID_SHARE = 2.0, 0.02
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
    for table in ACCOUNTING:
        yield asset_spec(table, deps=[f"extracted.{name}" for name in formats()], kinds={"python", "duckdb"})


@dg.multi_asset(name="extracted__documents", specs=list(_specs()))
def extracted(
    context: dg.AssetExecutionContext, folders: Folders, cluster: Cluster
) -> Iterator[dg.MaterializeResult[Any]]:
    """Read every document that is not known yet, each by all formats in turn, and account for all of its lines."""
    with folders.step(context) as working:
        started = time.perf_counter()
        engine = cluster.engine(folders.work)
        corpus = read_documents(working, folders.raw_path, folders.cache, engine, _reporter(context))
        counts: dict[str, int | str] = {
            "documents_read": corpus.documents_read,
            "documents_known": corpus.documents_known,
            "workers": corpus.workers,
            "cluster": cluster.address,
        }
        seconds = {"seconds": seconds_since(started)}
        found: dict[str, dict[str, int]] = {name: {} for name in formats()}
        for kind in ROW_KINDS:
            for row in working.tables.query(_COUNTS.format(f"extracted.{kind}")).to_pylist():
                if row["extractor"] in found:
                    found[row["extractor"]] |= {kind: row["n"]}
        for name in formats():
            rows = {f"rows of {kind}": n for kind, n in found[name].items()}
            yield dg.MaterializeResult(
                asset_key=_key(name),
                metadata={"dagster/row_count": sum(found[name].values()), **rows, **counts, **seconds},
            )
            # All of them read together.
            seconds = {}
        started = time.perf_counter()
        account_for_lines(working)
        for table in ACCOUNTING:
            yield materialized(table, working, {}, {"seconds": seconds_since(started)})
            started = time.perf_counter()


def _reporter(context: dg.AssetExecutionContext) -> Callable[[Progress], None]:
    """Writes into the log of the run how far the reading is, the more rarely the longer it takes."""
    started = said = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said > max(_SAID_EVERY_S, _SAID_SHARE * (now - started)):
            said = now
            context.log.info(
                f"{READING}{progress.documents:,} of {progress.total:,} documents, {progress.rows:,} rows, "
                f"{progress.workers:,} workers"
            )

    return report


ASSETS = [extracted]
