"""What is asked of a command stays asked when nobody reads its answer to the end, and a query leaves no file behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Ledger, PageMaker

from pipelines.settings import PROJECT
from pipelines.warehouse import WarehouseError, query_published


def run_unread(arguments: list[str], **more: str) -> tuple[int, str]:
    """Exit status and errors of a command whose output goes into a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "pipelines.cli", *arguments]
        environment = os.environ | {"PYTHONPATH": str(PROJECT)} | more
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def unread(tmp_path_factory: pytest.TempPathFactory, page: PageMaker) -> tuple[Ledger, int, str]:
    """A warehouse built by a command whose output nobody reads, its exit status and its errors."""
    folder = tmp_path_factory.mktemp("unread")
    ledger = Ledger(folder)
    ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    return ledger, *run_unread(["build", *folders], BENCHLEDGER_STATE=str(folder / "state"))


def test_a_build_goes_on_when_its_output_is_closed(unread: tuple[Ledger, int, str]) -> None:
    ledger, status, errors = unread
    assert (status, errors) == (0, "")
    assert len(ledger.sql("select value from main.current_results")) == 1
    # The second one has only its summary to print, at its very end.
    assert run_unread(["build", "--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]) == (0, "")


def test_a_document_is_stored_when_nobody_reads_where(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("a page")
    # A page without results: it is stored, and said not to be understood.
    assert run_unread(["add", str(tmp_path / "page.txt"), "--source", "acme/new", "--raw", str(ledger.raw)]) == (3, "")
    assert len(list(ledger.raw.glob("acme/new/*/page.txt"))) == 1


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to '{file}'",
        "explain analyze copy (select 1) to '{file}'",
        "export database '{file}'",
        "attach '{file}' as other",
        "select * from read_csv('{there}')",
    ],
)
def test_a_query_neither_writes_nor_reads_other_files(
    unread: tuple[Ledger, int, str], tmp_path: Path, query: str
) -> None:
    there = tmp_path / "there.csv"
    there.write_text("a,b\n1,2\n")
    with pytest.raises(WarehouseError, match="reads the warehouse alone and writes no file; print rows with"):
        query_published(unread[0].warehouse, query.format(file=tmp_path / "new", there=there))
    assert list(tmp_path.iterdir()) == [there]


@pytest.mark.parametrize(
    "query",
    [
        "select count(*) as n from main.results_as_of(date '2023-12-31')",
        "summarize main.current_results",
        "with x as (select * from resolved.results order by value) select count(*) as n from x",
        "show all tables",
    ],
)
def test_what_only_reads_is_answered(unread: tuple[Ledger, int, str], query: str) -> None:
    assert query_published(unread[0].warehouse, query).num_rows
