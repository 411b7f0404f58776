"""Fixtures that several rooms use: folders for a build, a build, the original documents where they
are at hand.
"""

from __future__ import annotations

import functools
import gc
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from filelock import FileLock
from hypothesis import settings
from loopback import Server, serve

from pipelines.assets.folders import Folders
from pipelines.schemas.tables import PUBLISHED
from pipelines.settings import PROJECT
from pipelines.vocabulary import lookup
from pipelines.warehouse.database import Tables
from pipelines.warehouse.reader import FILE_NAME, query_published

# Formats, publishers and days of the five documents the project was made for.
ORIGINALS = {
    "performance_results.txt": ("graphcore/performance-results", date(2023, 7, 4), "results_page"),
    "benchmark_charts.txt": ("graphcore/mk2-benchmark-charts", date(2020, 12, 1), "slides"),
    "benchmarks_blog.txt": ("graphcore/mk2-benchmarks-blog", date(2020, 12, 1), "claim_prose"),
    "mlperf_blog.txt": ("graphcore/mlperf-v1.0-blog", date(2021, 6, 30), "claim_prose"),
    "training_log.txt": ("unknown/mk2-a100-training-log", None, "training_log"),
}
# Snapshots of which the tests make the ledger that most of them ask. What is shipped grows, and is
# read whole by the tests of `make ledger` alone.
CORPUS = (PROJECT / "tests" / "corpus.txt").read_text("utf-8").split()
# Sources whose documents, among all of the corpus, are few and of every format.
PART = ("graphcore/*", "unknown/*", "mlperf/*", "aws/neuron-inf1-*")
RETRIEVED = datetime(2026, 11, 20, tzinfo=UTC)

# What a browser would run, a page would load, a terminal or a reader's eye would obey.
HOSTILE_MODEL = "<script>window.harm=1</script>"
HOSTILE_NAMES = (
    HOSTILE_MODEL,
    "<img src=x onerror=window.harm=1>",
    "\"><svg onload='window.harm=1'>",
    '=HYPERLINK("http://203.0.113.1")',
    "../../../../escaped",
    "{{ 7 * 7 }} {% raw %}",
    "abc\u202eedoc\u2066x\u200b",
    "</title></script><b>bold</b>",
    "javascript:window.harm=1",
    "\u05d0\u05d1\u05d2 net",
)
# Sets the title of the window, colours, clears; C1 of eight bits; turns the direction; ends a line
# for some.
ORDERS = "\x1b]0;owned\x07\x1b[31m\x1b[2J\x9b5n\u202e\u2066\u2028\x7f"
DIRECTIONS = "\u202eNet\u2066"
HOSTILE_TITLE = "</title><script>window.harm=1</script>\u202e"

# What the pages of `page` mean, and others with their headings.
OF_PAGES = """constants: {model: '!unnamed', platform: '!unnamed'}
columns:
  Model: model
  Variant: variant
  Platform: platform
  SDK Version: [{match: 'SDK (?P<sdk_version>.*)'}, sdk_version]
  Framework: framework
  Dataset: dataset
  Batch Size: batch_size
  Precision: precision
  Latency (ms): {metric: latency, unit: ms}
  Throughput (items/sec): {metric: throughput, unit: items/s}
  Throughput (images/sec): {metric: throughput, unit: images/s}
tables:
- section: /./
  headings: '^(?:.* - (?P<task>Training|Inference)\\b|.*)'
"""
Rows = list[dict[str, Any]]
PageMaker = Callable[..., str]

# The same examples on every machine and every run: a red test is red for everybody.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_xdist_auto_num_workers() -> int:
    """One process of tests more than there are cores: some wait for servers, limits of time and
    other processes.
    """
    return (os.cpu_count() or 1) + 1


# Files whose tests take longest, and the one that makes `shipped`, for which others would wait.
LONGEST = (
    "extract/test_mlperf_training.py",
    "cli/test_ui.py",
    "package/test_package.py",
    "test_own_files.py",
    "run/test_cluster.py",
    "run/test_cost_of_a_build.py",
)
# Whoever asks for one of these builds a ledger.
BUILDING = {"ledger", "once"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each process begins with files that build and ends with tests that are short: none is left
    with a long one when the others have ended.
    """
    workers = int(getattr(config, "workerinput", {}).get("workercount", 0))
    if workers < 2:
        return
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path.relative_to(PROJECT / "tests").as_posix(), []).append(item)
    building = {
        name: tests
        for name, tests in files.items()
        if any(BUILDING & {*getattr(test, "fixturenames", ())} for test in tests)
    }
    first = [*LONGEST, *(name for name in building if name not in LONGEST)]
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for number, name in enumerate(first):
        shares[number % workers] += building.pop(name, [])
        files.pop(name, None)
    short = iter([test for tests in files.values() for test in tests])
    left = len(items)
    for number, share in enumerate(shares):
        # As many as the process is given at first.
        count = left // (workers - number)
        share += islice(short, max(0, count - len(share)))
        left -= count
    shares[-1] += short
    items[:] = [test for share in shares for test in share]


@pytest.fixture(scope="session", autouse=True)
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Dagster instance of the tests' own, so that they never write into the project's."""
    state = tmp_path_factory.mktemp("state")
    names = ("DAGSTER_HOME", "BENCHLEDGER_STATE", "SOURCE_DATE_EPOCH", "BENCHLEDGER_WORKERS")
    before = {name: os.environ.get(name) for name in names}
    os.environ["DAGSTER_HOME"], os.environ["BENCHLEDGER_STATE"] = str(PROJECT), str(state)
    # Documents are read in the process that the test has prepared for them, and no process is
    # started for a few lines.
    os.environ["BENCHLEDGER_WORKERS"] = "0"
    # All builds at one time, so that they can be compared by all their rows.
    os.environ["SOURCE_DATE_EPOCH"] = str(int(RETRIEVED.timestamp()))
    yield state
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


@pytest.fixture(scope="session")
def originals() -> Path:
    folder = os.environ.get("BENCHLEDGER_ORIGINALS")
    if not folder:
        pytest.skip("BENCHLEDGER_ORIGINALS does not say where the original documents are")
    return Path(folder)


class Ledger:
    """A store and a warehouse under one folder, and the steps of a user on them."""

    def __init__(self, folder: Path) -> None:
        self.raw, self.warehouse, self.printed = (
            folder / "raw",
            folder / "warehouse",
            folder / "printed.txt",
        )
        self.raw.mkdir(parents=True, exist_ok=True)
        self._inbox = folder / "inbox"
        self._inbox.mkdir(exist_ok=True)

    def add(
        self,
        content: str | bytes,
        source: str,
        day: str | None = None,
        name: str = "page.txt",
        **more: Any,
    ) -> Path:
        from pipelines.ingest.snapshots import add_document

        file = self._inbox / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        if (
            file.read_bytes().endswith(b"\nEnd of the page.\n")
            and not (self.raw / source / "mapping.yml").exists()
        ):
            self.map(source)
        published_on = date.fromisoformat(day) if day else None
        return add_document(
            file, source, self.raw, published_on=published_on, now=RETRIEVED, **more
        ).path

    def map(self, source: str, mapping: str = OF_PAGES) -> Path:
        """Say what the tables of a source mean; without more words as those of `page`."""
        path = self.raw / source / "mapping.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(mapping, "utf-8")
        return path

    def build(self) -> Any:
        """The steps of a build without Dagster, which takes a third of its time."""
        from makers.plain_build import plain_build

        return plain_build(self.raw, self.warehouse)

    def resolve(self, *derived: str) -> Any:
        """What documents print, with the rejects, and the derived tables that are named: a third of
        the time of a build, for tests of those tables alone.
        """
        from makers.plain_build import resolve

        return resolve(self.raw, self.warehouse, *derived)

    def sql(self, query: str) -> Rows:
        return query_published(self.warehouse, query).to_pylist()

    def steps(self, query: str) -> Rows:
        """The rows of a query that may name the steps in between."""
        tables = self.tables()
        try:
            return tables.query(query).to_pylist()
        finally:
            tables.close()

    def tables(self) -> Tables:
        """The published tables, and the steps in between that they are made of."""
        from pipelines.run.document_tables import show_extracted
        from pipelines.run.working_copy import put_lists

        tables = Tables(self.warehouse / FILE_NAME, read_only=True)
        put_lists(tables)
        show_extracted(tables, self.raw, self.warehouse / "cache")
        return tables

    def change(self, statement: str) -> None:
        """Change the published file, as somebody who opens it in DuckDB can."""
        import duckdb

        with duckdb.connect(self.warehouse / FILE_NAME) as connection:
            connection.execute(statement)

    def digests(self) -> dict[str, tuple[int, str]]:
        """Rows of every table, and a hash over all of them; when a reject was first seen is of its
        history.
        """
        times = {
            "audit.rejects": "exclude (first_seen)",
            "audit.closed_rejects": "exclude (first_seen, closed_at)",
        }
        parts = [
            f"select '{table.full_name}' as name, count(*) as n, coalesce(sum(hash(t)::hugeint), 0)::varchar as digest "
            f"from (select * {times.get(table.full_name, '')} from {table.full_name}) as t"
            for table in PUBLISHED
        ]
        return {
            row["name"]: (row["n"], row["digest"]) for row in self.sql(" union all ".join(parts))
        }

    def copy_to(self, folder: Path) -> Ledger:
        """The same documents and the same warehouse, for one test to change."""
        for ours in (self.raw, self.warehouse):
            shutil.copytree(ours, folder / ours.name)
        return Ledger(folder)


def executed_checks(
    assets: list[Any],
    checks: dg.AssetSelection,
    ledger: Ledger,
    instance: dg.DagsterInstance | None = None,
    **more: Any,
) -> list[dg.AssetCheckEvaluation]:
    """What checks say that somebody executes alone in the Dagster UI; nothing is made."""
    definitions = dg.Definitions(
        assets=assets,
        jobs=[dg.define_asset_job("look", selection=checks)],
        resources={"folders": Folders(raw=str(ledger.raw), warehouse=str(ledger.warehouse))},
        executor=dg.in_process_executor,
        **more,
    )
    done = definitions.resolve_job_def("look").execute_in_process(
        instance=instance, raise_on_error=False
    )
    assert not [
        event for event in done.all_events if event.event_type_value == "ASSET_MATERIALIZATION"
    ]
    return done.get_asset_check_evaluations()


BuildOnce = Callable[[str, Callable[[Ledger], Any]], Ledger]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


@pytest.fixture
def environment(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """The ledger that commands and sensors find."""
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    return ledger


@pytest.fixture
def with_a_page(once: BuildOnce, page: PageMaker, tmp_path: Path) -> Ledger:
    """A ledger of a test's own in which one page was built: ResNet-50 v1.5 at 38,036 items/s, by
    acme/results.
    """

    def build(ledger: Ledger) -> Any:
        ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
        return ledger.build()

    return once("a_page", build).copy_to(tmp_path)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> BuildOnce:
    """Builds a ledger in the first process of the run that asks for it; the others wait, and read
    the same files.
    """
    own = tmp_path_factory.getbasetemp()
    # The processes of a run have their folders side by side in one.
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def make(name: str, build: Callable[[Ledger], Any]) -> Ledger:
        with FileLock(folder / f"{name}.lock"):
            ledger, note = Ledger(folder / name), folder / f"{name}.built"
            if not note.exists():
                outcome = build(ledger)
                assert outcome.success, outcome.faults
                note.touch()
        return ledger

    return make


@pytest.fixture(scope="session")
def shipped(once: BuildOnce) -> Ledger:
    """The warehouse of the shipped snapshots in `corpus.txt`; no test changes it."""
    return once("shipped", lambda ledger: build_from(_copy_corpus(ledger), ledger))


@pytest.fixture(scope="session")
def whole(once: BuildOnce) -> Ledger:
    """The warehouse of all that the repository ships, and what its build has printed; no test
    changes it. Only tests marked `whole` ask for it.
    """
    return once("whole", lambda ledger: build_from(PROJECT / "raw", ledger))


def build_from(raw: Path, ledger: Ledger) -> Any:
    """Builds as a user does, and keeps what is printed."""
    from typer.testing import CliRunner

    from pipelines.cli.main import app

    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("BENCHLEDGER_WORKERS")
        folders = ["--raw", str(raw), "--warehouse", str(ledger.warehouse)]
        built = CliRunner().invoke(app, ["build", *folders])
    ledger.printed.write_text(built.stdout, "utf-8")
    return SimpleNamespace(success=built.exit_code == 0, faults=[built.output])


def _copy_corpus(ledger: Ledger, patterns: tuple[str, ...] = ("*",)) -> Path:
    """Copies the snapshots of the corpus whose sources match, with what their sources declare."""
    for snapshot in CORPUS:
        source = PROJECT / "raw" / Path(snapshot).parent
        if not any(Path(snapshot).parent.match(pattern) for pattern in patterns):
            continue
        copy = ledger.raw / Path(snapshot).parent
        shutil.copytree(PROJECT / "raw" / snapshot, copy / Path(snapshot).name)
        for declared in source.glob("*.yml"):
            shutil.copy(declared, copy)
    return ledger.raw


@pytest.fixture(scope="session")
def part(once: BuildOnce) -> Ledger:
    """A warehouse of a few shipped documents of every format; no test changes it."""

    def build(ledger: Ledger) -> Any:
        _copy_corpus(ledger, PART)
        return ledger.build()

    return once("part", build)


@pytest.fixture(scope="session")
def site(part: Ledger, once: BuildOnce) -> Path:
    """Folder of the site of a few shipped documents; no test changes it."""

    from pipelines.report.site import FOLDER, write_site

    def build(ledger: Ledger) -> Any:
        ledger.warehouse.mkdir()
        shutil.copy(part.warehouse / FILE_NAME, ledger.warehouse)
        write_site(ledger.warehouse, part.raw)
        return SimpleNamespace(success=True, faults=[])

    return once("site", build).warehouse / FOLDER


@pytest.fixture(scope="session")
def hostile(once: BuildOnce, page: PageMaker) -> Ledger:
    """A ledger of pages and blogs that mean harm to a browser or a terminal, and its site; no test
    changes it.
    """

    from pipelines.report.site import write_site

    def build(ledger: Ledger) -> Any:
        rows = "\n".join(
            f"| {name.replace('|', '/')} | Bow Pod16 <b> | SDK 3.{number} | {1000 + number} |"
            for number, name in enumerate(HOSTILE_NAMES)
        )
        text = "Results\n\nPod systems - Training <i>\n\n"
        text += f"| Model | Platform | SDK Version | Throughput (items/sec) |\n{rows}\n"
        ledger.map("evil/results")
        ledger.add(
            text, "evil/results", "2023-01-01", title=HOSTILE_TITLE, url="javascript:window.harm=1"
        )
        blog = "The Bow Pod16 <script>window.harm=1</script> gives 10x higher throughput than the A100 on ResNet-50.\n"
        ledger.add(
            blog,
            "evil/blog",
            "2023-01-02",
            name="blog.txt",
            format="claim_prose",
            title=HOSTILE_TITLE,
        )
        cells = [
            {
                "Model": "ViT",
                "Dataset": f"Image\x9b31m{DIRECTIONS}",
                "Throughput (items/sec)": "38,036",
            },
            {"Model": f"Un\x9b2Jknown{DIRECTIONS}", "Throughput (items/sec)": f"7{DIRECTIONS}"},
            {"Model": "DINO", "Dataset": "=1+1", "Throughput (items/sec)": "12"},
            {"Model": "MAE", "Throughput (items/sec)": "4 (see note)"},
        ]
        text = page(cells, section=f"Training{DIRECTIONS}")
        ledger.add(
            text,
            "acme/results",
            "2023-01-01",
            name=f"pa\x1b[31m{DIRECTIONS}[bold].txt",
            title=f"T{ORDERS}",
        )
        ledger.add(
            f"One\x9b2J is 2.6x faster than{DIRECTIONS} two.\n", "acme/blog", name="blog.txt"
        )
        outcome = ledger.build()
        write_site(ledger.warehouse, ledger.raw)
        return outcome

    return once("hostile", build)


@pytest.fixture(scope="session")
def from_originals(originals: Path, once: BuildOnce) -> Ledger:
    """The warehouse of the five original documents and the logs that judge one of them; no test
    changes it.
    """
    from pipelines.ingest.snapshots import add_document

    def build(ledger: Ledger) -> Any:
        for mapping in (PROJECT / "raw").glob("*/*/mapping.yml"):
            ledger.map("/".join(mapping.parts[-3:-1]), mapping.read_text("utf-8"))
        for name, (source, day, expected) in ORIGINALS.items():
            stored = add_document(
                originals / name, source, ledger.raw, published_on=day, now=RETRIEVED
            )
            assert stored.entry.format == expected
        for folder in sorted((PROJECT / "raw" / "mlperf").glob("*/*/*/")):
            source, day = f"mlperf/{folder.parents[1].name}", date.fromisoformat(folder.parent.name)
            add_document(folder, source, ledger.raw, published_on=day, now=RETRIEVED)
        return ledger.build()

    return once("originals", build)


@pytest.fixture(params=["shipped", "from_originals"], scope="session")
def both(request: pytest.FixtureRequest) -> Ledger:
    """First the shipped documents, then the originals: what holds for the one must hold for the
    other.
    """
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


HEADINGS = (
    "Model", "Variant", "Platform", "SDK Version", "Framework", "Dataset", "Batch Size", "Precision",
    "Throughput (items/sec)",
)  # fmt: skip
_READERS = ("vocabulary", "read", "extract", "validate", "run")
_VOCABULARY_READERS = tuple(f"pipelines.{name}" for name in _READERS)


def forget_vocabularies() -> None:
    """Take back whatever this process has kept of the vocabularies, patterns made of them among it."""
    for cached in gc.get_objects():
        if isinstance(cached, functools._lru_cache_wrapper) and cached.__module__.startswith(
            _VOCABULARY_READERS
        ):
            cached.cache_clear()


@pytest.fixture
def vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of vocabularies to change: a copy of the project's, read instead of them for one
    test.

    After a change call `forget_vocabularies`: to a process the vocabularies are what they were when
    it began.
    """
    folder = tmp_path / "vocabulary"
    folder.mkdir()
    for path in Path(lookup.__file__).parent.glob("*.yml"):
        shutil.copy(path, folder)
    monkeypatch.setattr(lookup, "FOLDER", folder)
    forget_vocabularies()
    yield folder
    forget_vocabularies()


@pytest.fixture(scope="session")
def page() -> PageMaker:
    """Writes a result page as it is flattened to text: one cell per line, blank cells as no-break
    spaces.
    """

    def make(
        rows: list[dict[str, str]],
        headings: tuple[str, ...] = HEADINGS,
        section: str = "Pod systems - Training",
    ) -> str:
        defaults = {
            "Model": "ResNet-50 v1.5",
            "Platform": "Bow Pod16",
            "SDK Version": "SDK 3.1",
            "Framework": "PyTorch",
            "Dataset": "ImageNet2012",
            "Batch Size": "16,384",
            "Precision": "16.16",
        }
        cells = [(defaults | row).get(heading, "\u00a0") for row in rows for heading in headings]
        return "\n".join(
            ["Performance Results", "", section, "", *headings, *cells, "", "End of the page.", ""]
        )

    return make


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as running:
        yield running
