"""What a build leaves alone: nothing is read, opened or made again without a reason, and all that
has one is.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.extract.reading import StoredDocument
from pipelines.ingest.store import sha256_of
from pipelines.run import document_tables
from pipelines.run.up_to_date import distrust
from pipelines.schemas.tables import Table
from pipelines.settings import PROJECT
from pipelines.validate.evidence import check
from pipelines.warehouse.database import Tables

ROW = {"Throughput (items/sec)": "38,036"}
FIXTURES = PROJECT / "tests" / "fixtures"
# With bars of which some have a printed number.
DECK = (
    PROJECT / "raw" / "graphcore" / "mk2-benchmark-charts" / "2020-12-01" / "benchmark_charts.pdf"
)


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents whose results are put under canonical names, in their order."""
    paths: list[str] = []

    def run(
        query: str, table: Table, tables: Tables, real: Any = document_tables.run_table_sql
    ) -> Any:
        if table.full_name == "resolved.results":
            paths.extend(
                Path(path).name
                for path in tables.read("raw.documents", ["path"])["path"].to_pylist()
            )
        return real(query, table, tables)

    monkeypatch.setattr(document_tables, "run_table_sql", run)
    return paths


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents that the check of the evidence opens."""
    paths: list[str] = []

    def open_document(stored: StoredDocument, real: Any = check.open_document) -> Any:
        paths.append(stored.path.name)
        return real(stored)

    monkeypatch.setattr(check, "open_document", open_document)
    return paths


def test_nothing_is_made_opened_or_listed_twice(
    with_a_page: Ledger,
    page: PageMaker,
    resolved: list[str],
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger, hashed = with_a_page, list[str]()

    def hash_of(path: Path) -> str:
        hashed.append(path.name)
        return sha256_of(path)

    def written() -> dict[Path, int]:
        return {
            path: path.stat().st_mtime_ns
            for path in ledger.warehouse.rglob("*.[pd]*")
            if path.is_file()
        }

    before = written()
    again = ledger.build()
    assert (again.documents_read, again.documents_known, resolved, opened) == (0, 1, [], [])
    assert written() == before != {}
    ledger.add(page([ROW | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    monkeypatch.setattr("pipelines.ingest.store.sha256_of", hash_of)
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    # A store is listed for the question whether anything is new, and by the build.
    stored = ["b.txt", "mapping.yml", "mapping.yml", "page.txt"]
    assert CliRunner().invoke(app, ["build", *folders]).exit_code == 0
    assert (resolved, opened, sorted(hashed)) == (["b.txt"], ["b.txt"], sorted(2 * stored))
    assert len(ledger.sql("select * from main.current_results")) == 2
    hashed.clear()
    assert "Nothing has changed" in CliRunner().invoke(app, ["build", *folders]).stdout
    assert sorted(hashed) == stored


def test_a_file_that_somebody_changed_is_made_again(with_a_page: Ledger, opened: list[str]) -> None:
    before = with_a_page.digests()
    with_a_page.change("drop table resolved.results")
    assert with_a_page.build().success
    assert (with_a_page.digests(), opened) == (before, ["page.txt"])


def test_a_wrong_value_is_refused_and_its_document_opened_again_when_asked(
    with_a_page: Ledger, page: PageMaker, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = with_a_page

    def run(
        query: str, table: Table, tables: Tables, real: Any = document_tables.run_table_sql
    ) -> Any:
        rows = real(query, table, tables)
        if table.full_name != "resolved.results":
            return rows
        names = ("value", "value_low", "value_high")
        changed = [row | {name: row[name] + 1 for name in names} for row in rows.to_pylist()]
        return pa.Table.from_pylist(changed, schema=rows.schema)

    ledger.add(page([ROW | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    with monkeypatch.context() as patched:
        patched.setattr(document_tables, "run_table_sql", run)
        assert ledger.build().success
    refused = "select path, reason from audit.rejects where rule = 'evidence_does_not_hold'"
    assert ledger.build().success
    assert opened == ["b.txt"]
    [reject] = ledger.sql(refused)
    assert reject["path"].endswith("b.txt")
    assert (
        "line 22: '38,036' in resolved.results: the text gives 38036.0 (38035.5 to 38036.5)"
        in reject["reason"]
    )
    assert len(ledger.sql("from resolved.results")) == 1
    distrust(ledger.warehouse)
    assert ledger.build().success
    assert sorted(opened) == ["b.txt", "b.txt", "page.txt"]
    assert ledger.sql(refused) == []


# A build after a change gives what a build from nothing gives


MAPPING = "checked: true\ntables:\n- constants: {framework: PyTorch}\n"
# Two formats of pages, a deck with bars and charts, a post, logs: what each stage makes of them
# hangs together.
DOCUMENTS = {
    "acme/serving": "results_page/tabs_serving.txt",
    "acme/bare": "results_page/blanks_between_cells.txt",
    "acme/deck": "slides/bars.txt",
    "acme/post": "claim_prose/launch_post.txt",
    "acme/log": "training_log/device_headings.txt",
}


def changes(page: PageMaker) -> Iterator[tuple[str, str, str | bytes | None]]:
    """What happens to a store: source, name below it, and its bytes, or None where it goes."""
    for number, release in enumerate(("3.1", "3.2", "3.3"), start=1):
        rows = [
            ROW | {"SDK Version": f"SDK {release}", "Throughput (items/sec)": f"{number}8,036"},
            ROW
            | {"Model": "ViT", "Throughput (items/sec)": "see note" if number == 2 else "7,608"},
            ROW | {"Model": f"Nobody's net {number}", "Platform": "Bow Pod64"},
        ]
        yield "acme/results", f"2023-0{number}-01/page.txt", page(rows)
    yield "acme/results", "mapping.yml", MAPPING
    for source, place in DOCUMENTS.items():
        yield source, f"2023-01-01/{Path(place).name}", (FIXTURES / place).read_bytes()
    # The same release with another value, and a page that has moved to another day.
    yield "acme/results", "2023-04-01/page.txt", page([ROW | {"SDK Version": "SDK 3.3"}])
    yield "acme/results", "2023-03-01/page.txt", None
    yield "acme/results", "mapping.yml", None
    yield "acme/results", "2023-01-01/page.txt", None
    yield "acme/bare", "source.yml", "publisher: Acme of Bare\ninterest: independent\n"


def test_builds_after_changes_give_what_a_build_from_nothing_gives(
    tmp_path: Path, page: PageMaker, resolved: list[str]
) -> None:
    order = random.Random(1)
    steps = [*changes(page)]
    # What is removed comes after what it removes; all else in any order.
    order.shuffle(steps)
    steps.sort(key=lambda step: step[2] is None)
    ledger = Ledger(tmp_path / "kept")
    while steps:
        some, steps = steps[: (count := order.randint(6, 10))], steps[count:]
        for source, name, content in some:
            path = ledger.raw / source / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        resolved.clear()
        outcome = ledger.build()
        assert outcome.success, outcome.faults
    from_nothing = Ledger(tmp_path / "nothing")
    shutil.copytree(ledger.raw, from_nothing.raw, dirs_exist_ok=True, copy_function=shutil.copy2)
    assert len(resolved) < len(ledger.sql("select * from raw.documents"))
    assert from_nothing.build().success
    expected, found = from_nothing.digests(), ledger.digests()
    # What an earlier build has refused, or kept under another key, has no place in one from
    # nothing.
    for history in ("audit.closed_rejects", "audit.renamed_keys"):
        del expected[history], found[history]
    assert found == expected


def test_a_bar_that_a_later_document_names_is_put_in_again(
    ledger: Ledger, page: PageMaker, resolved: list[str]
) -> None:
    ledger.add(DECK.read_bytes(), "acme/drawn", "2023-01-01", name="deck.pdf")
    assert ledger.build().success
    resolved.clear()
    ledger.add(page([ROW | {"Platform": "Acme Nine"}]), "acme/results", "2023-01-01", name="a.txt")
    assert ledger.build().success
    assert sorted(resolved) == ["a.txt", "deck.pdf"]
    resolved.clear()
    newer = ROW | {"Platform": "Acme Nine", "SDK Version": "SDK 3.9"}
    ledger.add(page([newer]), "acme/results", "2023-02-01", name="b.txt")
    assert ledger.build().success
    assert resolved == ["b.txt"]


def test_the_file_is_as_large_after_many_builds_as_after_one(
    with_a_page: Ledger, page: PageMaker
) -> None:
    path = with_a_page.warehouse / "benchmarks.duckdb"
    sizes = [path.stat().st_size]
    for day in ("2024-01-01", "2024-01-02"):
        with_a_page.add(page([ROW | {"Batch Size": day[-1]}]), "acme/others", day)
        assert with_a_page.build().success
        sizes.append(path.stat().st_size)
    assert max(sizes) <= sizes[0] * 1.2, sizes


def test_a_clock_that_is_behind_takes_nothing_away(with_a_page: Ledger, page: PageMaker) -> None:
    published = with_a_page.warehouse / "benchmarks.duckdb"
    later = time.time() + 30 * 86_400
    os.utime(published, (later, later))
    with_a_page.add(page([ROW | {"Batch Size": "77"}]), "acme/others", "2024-01-01")
    outcome = with_a_page.build()
    assert not outcome.success
    assert "the clock of this machine is behind" in str(outcome.faults)
    assert with_a_page.sql("select * from main.current_results")
    os.utime(published)
    assert with_a_page.build().success
