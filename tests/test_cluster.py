"""Documents read by a real Dask cluster: the content of a build on one machine, whichever worker dies on the way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import dask
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import OF_PAGES, Ledger, PageMaker
from makers import dask_workers
from typer.testing import CliRunner

from pipelines.build import cluster as cluster_module
from pipelines.build import corpus, document_tables, row_cache
from pipelines.build.cluster import ClusterError, Installation, _examine, dask_pool
from pipelines.cli.build import Outcome, run_build
from pipelines.cli.main import app
from pipelines.cli.options import WRONG_USE
from pipelines.extract.reading import StoredDocument
from pipelines.extract.tables.entries import MappingFile
from pipelines.ingest.store import sha256_of
from pipelines.schemas.tables import PUBLISHED, Table
from pipelines.settings import PROJECT
from pipelines.validate.quarantine import REFUSED

WORKERS = 4


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Address of a scheduler with four workers, each a process."""
    paths = [str(PROJECT), str(PROJECT / "tests")]
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen(
            [sys.executable, dask_workers.__file__, str(WORKERS)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "DASK_TEMPORARY_DIRECTORY": scratch},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        with process:
            yield process.stdout.readline().strip() if process.stdout else ""
            os.killpg(process.pid, signal.SIGKILL)


def build(ledger: Ledger, address: str, warehouse: Path | None = None) -> Outcome:
    return run_build(
        ledger.raw, warehouse or ledger.warehouse, instance=dg.DagsterInstance.ephemeral(), cluster=address
    )


@pytest.fixture
def chunks_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call for each document, in both rounds."""
    monkeypatch.setattr(corpus, "_LEAST_CHUNK_S", 0.0)
    monkeypatch.setattr(document_tables, "_PRINTED_ROWS_AT_ONCE", 1)


def test_a_cluster_gives_the_content_of_one_machine_whoever_dies(
    cluster: str, ledger: Ledger, page: PageMaker, chunks_of_one: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(8):
        orders = {3: "kill", 5: "kill", 6: "kill-later"}
        first = f"{orders[number]} {tmp_path / str(number)}" if number in orders else "Results"
        text = page([{"Throughput (items/sec)": f"{1000 + number}"}])
        ledger.add(f"{first}\n\n{text}", f"acme/page-{number}", "2023-01-01", format="results_page")
        ledger.map(f"acme/page-{number}")
    with monkeypatch.context() as patched:
        patched.setattr(corpus, "_read_chunk", dask_workers.read_chunk)
        patched.setattr(document_tables, "resolve_task", dask_workers.resolve_task)
        outcome = build(ledger, cluster)
    assert outcome.success, outcome.faults
    assert outcome.documents_read == 8
    # Two workers were killed while they read, and one while it opened a document again.
    assert {path.name for path in tmp_path.glob("[356]")} == {"3", "5", "6"}
    here = Ledger(tmp_path / "here")
    assert build(ledger, "local", here.warehouse).success
    for table in PUBLISHED:
        query = f"select * from {table.full_name} order by all"
        assert ledger.sql(query) == here.sql(query), table.full_name
    assert not [*ledger.warehouse.rglob("*.partial")]


def test_a_document_that_kills_workers_is_one_reject(
    cluster: str, tmp_path: Path, page: PageMaker, chunks_of_one: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = []
    for name in ("kill", "live"):
        path = tmp_path / f"{name}.txt"
        path.write_text(f"{name}\n\n{page([{'Throughput (items/sec)': '2,000'}])}")
        documents.append(StoredDocument(sha256_of(path), path, "results_page", mapping=mapping_of_pages(tmp_path)))
    monkeypatch.setattr(corpus, "_read_chunk", dask_workers.read_chunk)
    said: list[corpus.Progress] = []
    found = read(cluster, tmp_path / "cache", *documents, report=said.append)
    [reject] = rows_in(found, "rejects")
    assert (reject["document_id"], reject["rule"]) == (documents[0].document_id, "reader_crashed")
    assert reject["reason"].startswith("2 workers of the cluster have ended while they read the document")
    assert {row["document_id"] for row in rows_in(found, "measurements")} == {documents[1].document_id}
    assert [(progress.documents, progress.total) for progress in said] == [(1, 2), (2, 2)]
    assert 1 <= found.workers <= WORKERS
    # As with any that has broken its reader off, the reason may have lain outside.
    assert row_cache.known_documents(found.folder, documents, corpus.kept_kinds(), 1.0).keys() == {
        documents[1].document_id
    }


def test_a_document_that_kills_workers_when_it_is_opened_again_is_one_reject(
    cluster: str, ledger: Ledger, page: PageMaker, chunks_of_one: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("kill-later", "here", "there", "everywhere"):
        text = f"{name}\n\n{page([{'Throughput (items/sec)': '2,000'}])}"
        ledger.add(text, f"acme/{name}", "2023-01-01", format="results_page")
        ledger.map(f"acme/{name}")
    with monkeypatch.context() as patched:
        patched.setattr(document_tables, "resolve_task", dask_workers.resolve_task)
        assert build(ledger, cluster).success
    results = "select source, value from resolved.results inner join raw.documents using (document_id) order by all"
    rejects = "select path, rule, reason from audit.rejects"
    # Nothing of it is forgotten by a build without it.
    for _ in range(2):
        assert [row["source"] for row in ledger.sql(results)] == ["acme/everywhere", "acme/here", "acme/there"]
        [reject] = ledger.sql(rejects)
        assert reject["path"].startswith("acme/kill-later/")
        assert reject["rule"] == "evidence_does_not_hold"
        assert "2 workers of the cluster have ended while they read the document" in reject["reason"]
        assert build(ledger, "local").success


def test_a_frozen_worker_is_named_and_its_chunk_goes_elsewhere(
    cluster: str,
    tmp_path: Path,
    page: PageMaker,
    chunks_of_one: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    flag, documents = tmp_path / "flag", []
    for name in (f"freeze {flag}", "live"):
        path = tmp_path / f"{name[:4]}.txt"
        path.write_text(f"{name}\n\n{page([{'Throughput (items/sec)': '2,000'}])}")
        documents.append(StoredDocument(sha256_of(path), path, "results_page", mapping=mapping_of_pages(tmp_path)))
    monkeypatch.setattr(corpus, "_read_chunk", dask_workers.read_chunk)
    monkeypatch.setattr(cluster_module, "FROZEN_S", 8.0)
    monkeypatch.setattr(cluster_module, "_LOOK_S", 0.2)
    try:
        found = read(cluster, tmp_path / "cache", *documents)
    finally:
        os.kill(int(flag.read_text()), signal.SIGKILL)
    assert rows_in(found, "rejects") == []
    assert {row["document_id"] for row in rows_in(found, "measurements")} == {one.document_id for one in documents}
    assert re.search(
        r"the worker tcp://[\d.:]+ has not answered for 8 s; others read what it had", capsys.readouterr().err
    )


def mapping_of_pages(folder: Path) -> MappingFile:
    path = folder / "mapping.yml"
    path.write_text(OF_PAGES)
    return MappingFile(path, sha256_of(path))


def read(cluster: str, folder: Path, *documents: StoredDocument, report: Any = print) -> corpus.Corpus:
    return corpus.read_corpus(documents, folder, keep_all, partial(dask_pool, cluster, folder), report)


def keep_all(rows: pa.Table, table: Table) -> tuple[pa.Table, pa.Table]:
    return rows, REFUSED.empty_table()


def rows_in(read: corpus.Corpus, kind: str) -> list[dict[str, Any]]:
    return [row for path in read.files(read.chunks)[kind] for row in pq.read_table(path).to_pylist()]


def test_a_worker_that_sees_other_documents_is_refused(cluster: str, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    with pytest.raises(ClusterError, match=rf"the worker tcp://[\d.:]+ does not see {path} \(No such file"):
        read(cluster, tmp_path, StoredDocument("0" * 64, path, None))
    path.write_text("other")
    with pytest.raises(ClusterError, match=f"sees other bytes in {path} than this build; mount the folders"):
        read(cluster, tmp_path, StoredDocument("0" * 64, path, None))
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.txt"]


def test_a_worker_that_does_not_see_the_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=f"does not see {tmp_path}/none, or may not write there; mount"):
        _examine(Installation.here([]), tmp_path / "none")


@pytest.mark.parametrize("name", ["pyarrow", "python", "code"])
def test_a_worker_with_other_versions_is_refused(
    name: str, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.txt"
    path.touch()
    if name == "pyarrow":
        real = cluster_module._version
        monkeypatch.setattr(cluster_module, "_version", lambda package: "1.0" if package == name else real(package))
        expected = r"tcp://[\d.:]+ has pyarrow \d+[\d.]+, and this build 1.0; install the same versions there"
    elif name == "python":
        monkeypatch.setattr(cluster_module.platform, "python_version", lambda: "3.99.0")
        expected = r"has Python 3.\d+.\d+, and this build 3.99.0; install"
    else:
        monkeypatch.setattr(corpus, "_CONTRACTS", ())
        expected = "has benchledger's code [0-9a-f]+, and this build [0-9a-f]+; install"
    with pytest.raises(ClusterError, match=expected):
        read(cluster, tmp_path, StoredDocument("0" * 64, path, None))


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "100ms"}),
        pytest.raises(ClusterError, match=r"the scheduler tcp://127\.0\.0\.1:1 cannot be reached: "),
    ):
        read("tcp://127.0.0.1:1", tmp_path, StoredDocument("0" * 64, tmp_path / "page.txt", None))


@pytest.mark.parametrize("address", ["nonsense", "tcp://nonsense", "tcp://host:port", "tcp://nonsense.invalid:8786"])
def test_an_address_that_is_none_is_refused_before_all_else(address: str, with_a_page: Ledger) -> None:
    folders = ["--raw", str(with_a_page.raw), "--warehouse", str(with_a_page.warehouse)]
    done = CliRunner().invoke(app, ["build", "--cluster", address, *folders])
    assert done.exit_code == WRONG_USE
    assert re.search(rf"'{address}' is no address of a scheduler|{address} cannot be reached", done.output)


def test_without_distributed_a_build_says_what_to_install(
    with_a_page: Ledger, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "find_spec", lambda name: None)
    outcome = build(with_a_page, "tcp://127.0.0.1:1")
    assert not outcome.success
    assert outcome.faults == ["a cluster needs the package `distributed`: pip install 'benchledger[cluster]'"]
