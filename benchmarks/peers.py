"""Cost of the same work here and with the tools that others take:
`python benchmarks/peers.py [PEER ...]`.

Each peer works beside ours in one run, on the same rows and files and with as many threads; printed
are the ratios of CPU and elapsed time, ours to theirs or theirs to ours as the line says, with what
each side includes and leaves out. The peers' packages
(`pip install "dlt[duckdb]" mlperf-logging==4.1.68`) are needed by nothing else: one that is not
installed is named and left out. Exit status 1 where a goal is missed or rows differ.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psutil
from build import BUILD, run
from snapshots import Snapshots, copy_shipped

from pipelines.settings import PROJECT
from pipelines.warehouse.queries import results_as_of
from pipelines.warehouse.reader import open_file, published_file, quoted

# Goals: how many times faster the merge is, how many times slower a query may be, and the shares
# that a page, logs and a PDF may take of what the peer takes.
MERGE, QUERIES, PAGE, LOGS, PDF = 5.0, 1.2, 0.35, 0.1, 1.5
ROWS, RELEASES, SOURCES, FILES = 1_000_000, 4, 500, 20
# The ledger that the worked queries run on, unless another one is named.
SNAPSHOTS, RESULTS = 200, 100
REPEATS = 5


@dataclass(frozen=True)
class Cost:
    """CPU and elapsed time, in s."""

    cpu_s: float
    elapsed_s: float


class Report:
    """Prints each comparison, and remembers whether a goal was missed."""

    def __init__(self) -> None:
        self.is_missed = False

    def show(
        self, what: str, ours: Cost, theirs: Cost, limit: float, *, is_gain: bool = False
    ) -> None:
        """Print ratios.

        Args:
            what: The work, and the peer.
            ours: Cost here.
            theirs: Cost of the peer.
            limit: Of the ratio of CPU time.
            is_gain: Whether the ratio says how many times faster ours is, and must reach the limit.
        """
        cpu, elapsed = ours.cpu_s / theirs.cpu_s, ours.elapsed_s / theirs.elapsed_s
        if is_gain:
            cpu, elapsed = 1 / cpu, 1 / elapsed
        is_missed = cpu < limit if is_gain else cpu > limit
        self.is_missed |= is_missed
        print(
            f"{what:<46} ours {ours.cpu_s:8.3f} s CPU {ours.elapsed_s:8.3f} s, peer {theirs.cpu_s:8.3f} s CPU "
            f"{theirs.elapsed_s:8.3f} s; {'gain' if is_gain else 'share'} {cpu:5.2f} CPU {elapsed:5.2f} elapsed "
            f"({'at least' if is_gain else 'at most'} {limit:g}){' MISSED' if is_missed else ''}",
            flush=True,
        )

    def check(self, words: str, *, holds: bool) -> None:
        """Print what both sides have to agree in."""
        self.is_missed |= not holds
        print(f"  {words}: {'yes' if holds else 'NO'}", flush=True)


def is_there(package: str) -> bool:
    """Whether a peer is installed; one that is not is named."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(f"{package} is not installed, and left out")
    return found


def cost_of(work: Callable[[], object], repeats: int = REPEATS) -> Cost:
    """The median of several runs in this process, its children included."""
    costs = []
    for _ in range(repeats):
        gc.collect()
        cpu, elapsed = _cpu_s(), time.perf_counter()
        work()
        costs.append(Cost(_cpu_s() - cpu, time.perf_counter() - elapsed))
    return Cost(
        *(
            statistics.median(getattr(cost, name) for cost in costs)
            for name in ("cpu_s", "elapsed_s")
        )
    )


def _cpu_s() -> float:
    """CPU time of this process, and of those that it has started and that are alive."""
    spent = 0.0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        times = process.cpu_times()
        spent += times.user + times.system
    return spent


# A merge of rows: the newest of each benchmark stands

# Every current row of the shipped pages for so many systems, in each release with another value;
# each source prints all of its rows again with each release, in a document of its own.
_ROWS = """
create table results as
with shipped as (
    select *
    from shipped.resolved.results
    semi join shipped.main.current_results using (result_id)
    where extractor = 'results_page'
),

copied as (
    select
        s.*,
        c.number as copy,
        c.number % {sources} as source,
        r.release,
        1 + 0.05 * r.release + 0.0001 * c.number as factor
    from shipped as s
    cross join range({rows} // ({releases} * (select count(*) from shipped)) + 1) as c (number)
    cross join range({releases}) as r (release)
)

select
    * exclude (copy, source, release, factor) replace (
        md5(concat_ws('|', result_id, copy, release)) as result_id,
        md5(concat_ws('|', source, release)) as document_id,
        md5(concat_ws('|', evidence_id, copy, release)) as evidence_id,
        md5(concat_ws('|', benchmark_key, copy)) as benchmark_key,
        '3.' || release as sdk_version,
        [3, release] as sdk_order,
        value * factor as value,
        value_low * factor as value_low,
        value_high * factor as value_high
    )
from copied
order by hash(result_id);
create table sightings as
select
    'acme/source-' || s.source as source,
    'acme' as publisher,
    md5(concat_ws('|', s.source, r.release)) as document_id,
    concat_ws('/', 'acme', 'source-' || s.source, r.release, 'page.txt') as path,
    (timestamp '2023-01-01' + to_days(30 * r.release::integer))::date as snapshot_on,
    timestamp '2023-01-01' + to_days(30 * r.release::integer) as snapshot_at
from range({sources}) as s (source)
cross join range({releases}) as r (release);
copy sightings to '{folder}/sightings.parquet';
"""
_PART = """
copy (select {columns} from results where rowid % {files} = {part} order by rowid)
to '{folder}/{name}-{part:02}.parquet'
"""
# The peer takes one column to tell which row of a key is the newest, and no lists.
_COLUMNS = {"ours": "*", "theirs": "* exclude (sdk_order), sdk_order[2] as release"}
_OURS = """
import json, sys
from pathlib import Path
import pyarrow as pa
import pyarrow.parquet as pq
from peers import cost_of
from pipelines.run.locked_folders import LockedFolders
from pipelines.run.working_copy import WorkingCopy
from pipelines.warehouse.queries import table_queries
from pipelines.schemas.tables import arrow_schema
from pipelines.schemas.tables import TABLES
from pipelines.warehouse.database import Tables
folder = Path(sys.argv[1])
marts = ("main.result_history", "main.current_results")
queries = [(TABLES[name], table_queries()[name]) for name in marts]
def load():
    tables = Tables(folder / "ours.duckdb")
    seen = pq.read_table(folder / "sightings.parquet")
    for name in ("raw.sightings", "raw.documents"):
        schema = arrow_schema(TABLES[name])
        rows = [{field.name: row.get(field.name) for field in schema} for row in seen.to_pylist()]
        tables.write(name, pa.Table.from_pylist(rows, schema=schema))
    schema = arrow_schema(TABLES["resolved.results"])
    tables.write("resolved.results", schema.empty_table())
    with tables.transaction():
        for path in sorted(folder.glob("ours-*.parquet")):
            tables.add("resolved.results", pq.read_table(path).cast(schema))
    for table, query in queries:
        folders = LockedFolders(folder, folder, folder)
        working = WorkingCopy(folders, tables, stands=False, is_changed=True)
        working.make(table.full_name, query)
        assert not working.refused
    tables.close()
found = cost_of(load, 1)
print(json.dumps([found.cpu_s, found.elapsed_s]))
"""
_THEIRS = """
import json, sys
from pathlib import Path
import dlt, pyarrow.parquet as pq
import dlt.destinations.impl.duckdb.duck
from peers import cost_of
folder = Path(sys.argv[1])
@dlt.resource(
    name="results", write_disposition="merge", primary_key="benchmark_key", columns={"release": {"dedup_sort": "desc"}}
)
def results():
    for path in sorted(folder.glob("theirs-*.parquet")):
        yield pq.read_table(path)
def load():
    target = dlt.destinations.duckdb(str(folder / "theirs.duckdb"))
    pipeline = dlt.pipeline("merge", destination=target, dataset_name="peer", pipelines_dir=str(folder / "state"))
    pipeline.run(results(), loader_file_format="parquet").raise_on_failed_jobs()
found = cost_of(load, 1)
print(json.dumps([found.cpu_s, found.elapsed_s]))
"""
_STANDING = """
attach '{folder}/ours.duckdb' as ours (read_only);
attach '{folder}/theirs.duckdb' as theirs (read_only);
create view a as select r.benchmark_key, r.result_id, r.sdk_version, r.value from ours.main.current_results as r;
create view b as select r.benchmark_key, r.result_id, r.sdk_version, r.value from theirs.peer.results as r;
"""
_DIFFERING = """
select
    (select count(*) from a),
    (select count(*) from (from a except from b)),
    (select count(*) from (from b except from a))
"""


def merge_rows(report: Report, shipped: Path, rows: int) -> None:
    """Rows of several releases from Parquet files into a closed DuckDB file in which the newest of
    each key stands.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = {"rows": rows, "sources": SOURCES, "releases": RELEASES, "folder": folder}
        with duckdb.connect(f"{folder}/rows.duckdb") as connection:
            connection.execute(
                f"attach '{quoted(str(published_file(shipped)))}' as shipped (read_only)"
            )
            connection.execute(_ROWS.format(**sizes))
            for side, columns in _COLUMNS.items():
                for part in range(FILES):
                    places = {
                        "columns": columns,
                        "files": FILES,
                        "part": part,
                        "name": side,
                        "folder": folder,
                    }
                    connection.execute(_PART.format(**places))
            [(made,)] = connection.execute("select count(*) from results").fetchall()
        costs = {
            side: _cost_in_child(code, str(folder))
            for side, code in (("ours", _OURS), ("theirs", _THEIRS))
        }
        print(
            f"merge of {made:,} rows of {RELEASES} releases, from Parquet into DuckDB. Ours: a history of all values "
            "with conflicts and releases, one current row per benchmark, contracts of both. dlt: its staging, schema "
            "and load state; one row per key, by the highest release, no history."
        )
        report.show("merge of rows, dlt", costs["ours"], costs["theirs"], MERGE, is_gain=True)
        with duckdb.connect() as connection:
            connection.execute(_STANDING.format(folder=folder))
            [(standing, only_ours, only_theirs)] = connection.execute(_DIFFERING).fetchall()
        report.check(
            f"the same {standing:,} current rows",
            holds=standing > 0 and only_ours == only_theirs == 0,
        )


def _cost_in_child(code: str, *arguments: str) -> Cost:
    """What a process says that its work has cost beyond its imports."""
    environment = os.environ | {
        "RUNTIME__DLTHUB_TELEMETRY": "false",
        "RUNTIME__LOG_LEVEL": "CRITICAL",
    }
    found = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    return Cost(*json.loads(found.stdout.splitlines()[-1]))


# Worked queries


def query_files(report: Report, warehouse: Path) -> None:
    """The worked questions on the published file, and on Parquet files of the same tables, by
    DuckDB.
    """
    with tempfile.TemporaryDirectory() as name, open_file(published_file(warehouse)) as published:
        tables = published.execute(
            "select schema_name, table_name from duckdb_tables() where not internal order by all"
        ).fetchall()
        bare = duckdb.connect()
        with duckdb.connect() as copying:
            copying.execute(
                f"attach '{quoted(str(published_file(warehouse)))}' as built (read_only)"
            )
            for schema, table in tables:
                path = quoted(f"{name}/{schema}.{table}.parquet")
                copying.execute(f"copy built.{schema}.{table} to '{path}'")
                bare.execute(f"create schema if not exists {schema}")
                bare.execute(f"create view {schema}.{table} as from read_parquet('{path}')")
        bare.execute(results_as_of())
        [(results,)] = published.execute("select count(*) from resolved.results").fetchall()
        print(
            f"worked queries on {results:,} results, connections open and files warm, as many threads. Both: plan, "
            "run, fetch all rows."
        )
        sides: dict[str, list[Cost]] = {"ours": [], "theirs": []}
        worst = (0.0, "")
        is_equal = True
        for path in sorted((PROJECT / "warehouse" / "queries").glob("*.sql")):
            sql = path.read_text("utf-8")
            is_equal &= published.execute(sql).fetchall() == bare.execute(sql).fetchall()
            both = [
                cost_of(lambda connection=connection, sql=sql: connection.execute(sql).fetchall())
                for connection in (published, bare)
            ]
            for side, cost in zip(sides.values(), both, strict=True):
                side.append(cost)
            worst = max(worst, (both[0].elapsed_s / both[1].elapsed_s, path.stem))
        ours, theirs = (
            Cost(sum(cost.cpu_s for cost in costs), sum(cost.elapsed_s for cost in costs))
            for costs in sides.values()
        )
        report.show(f"{len(sides['ours'])} worked queries, bare Parquet", ours, theirs, QUERIES)
        report.check("the same rows", holds=is_equal)
        print(f"  the slowest against Parquet is {worst[1]}: {worst[0]:.2f} times elapsed")
        bare.close()


# Pages, logs and PDFs


def read_page(report: Report) -> None:
    """A page of 30,000 rows of 8 cells."""
    import pandas as pd
    import reading

    with tempfile.TemporaryDirectory() as name:
        page = reading.store(Path(name), "page.html", reading.long_page(reading.ROWS))
        print(
            f"a page of {reading.ROWS:,} rows, one thread. Ours: lines, and cells with their places. "
            "pandas: a frame without places."
        )
        ours, theirs = (
            cost_of(lambda: reading.opened(page), 3),
            cost_of(lambda: pd.read_html(page, flavor="lxml"), 3),
        )
        report.show("a page, pandas.read_html", ours, theirs, PAGE)


def score_logs(report: Report, folder: Path) -> None:
    """Logs of MLPerf Training, each side in processes of its own, beyond its imports."""
    import mlperf

    with tempfile.TemporaryDirectory() as name:
        target = Path(name)
        logs = mlperf.multiply(folder, target, 1)
        print(
            f"{logs} logs of MLPerf Training, one thread; CPU time alone, as the summarizer's imports are taken off. "
            "Ours: events, runs, scores. mlperf-logging: its checks of the rules, too."
        )
        theirs, their_scores = mlperf.theirs(target)
        ours, our_scores = mlperf.ours(target, "scores")
        report.show("logs, mlperf-logging", Cost(ours, ours), Cost(theirs, theirs), LOGS)
        equal = sum(
            abs(score - our_scores.get(key, 0.0)) < 1e-6 for key, score in their_scores.items()
        )
        print(f"  scores: {equal} of {len(their_scores)} equal")


def read_pdfs(report: Report) -> None:
    """Decks: the shipped one, and two that are drawn with matplotlib."""
    import pdf

    print(
        "PDFs, in a child process (ours) and in this one (pdfplumber), both warm. Ours: characters, vectors, checks, "
        "words, lines, places. pdfplumber: characters and vectors."
    )
    for name, content in pdf.decks().items():
        pdf.ask(pdf.Request(content, pdf.LIMITS))
        ours = cost_of(lambda content=content: pdf.ask(pdf.Request(content, pdf.LIMITS)))
        theirs = cost_of(lambda content=content: pdf.plain(content))
        report.show(f"PDF ({name}), pdfplumber", ours, theirs, PDF)
    pdf.end_all()


def main() -> int:
    peers = ("dlt", "parquet", "pandas", "mlperf_logging", "pdfplumber")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "peers", nargs="*", metavar="PEER", help=f"of {', '.join(peers)}; by default all"
    )
    parser.add_argument("--rows", type=int, default=ROWS, help="rows that are merged, at least")
    parser.add_argument(
        "--warehouse", type=Path, help="that the worked queries run on; by default one is built"
    )
    parser.add_argument(
        "--logs", type=Path, help="submissions to MLPerf Training with their whole logs"
    )
    arguments = parser.parse_args()
    wanted = [name for name in peers if name in (arguments.peers or peers)]
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {
            "DAGSTER_HOME": str(PROJECT),
            "BENCHLEDGER_STATE": f"{folder}/state",
        }

        def build(raw: Path, warehouse: Path) -> Path:
            run(
                BUILD,
                "build",
                "--raw",
                str(raw),
                "--warehouse",
                str(warehouse),
                environment=environment,
            )
            return warehouse

        shipped = (
            build(PROJECT / "raw", folder / "shipped") if {"dlt", "parquet"} & {*wanted} else folder
        )
        if "dlt" in wanted and is_there("dlt"):
            merge_rows(report, shipped, arguments.rows)
        if "parquet" in wanted:
            if not (warehouse := arguments.warehouse):
                copy_shipped(folder / "raw")
                ledger = Snapshots(shipped, RESULTS)
                for number in range(SNAPSHOTS):
                    ledger.store(folder / "raw", number)
                warehouse = build(folder / "raw", folder / "warehouse")
            query_files(report, warehouse)
        if "pandas" in wanted:
            read_page(report)
        if "mlperf_logging" in wanted and is_there("mlperf_logging"):
            if arguments.logs:
                score_logs(report, arguments.logs)
            else:
                print(
                    "mlperf_logging: no folder of whole logs was given (--logs), and it is left out"
                )
        if "pdfplumber" in wanted:
            read_pdfs(report)
    return int(report.is_missed)


if __name__ == "__main__":
    sys.exit(main())
