"""Documents read by a real Dask cluster: the content of a build on one machine, whichever worker
dies on the way.
"""

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
import pytest
from conftest import Ledger, PageMaker
from makers import dask_workers
from makers.plain_build import plain_build
from typer.testing import CliRunner

from benchledger.job import Outcome, run_build
from pipelines.cli.main import app
from pipelines.exceptions import WRONG_USE
from pipelines.extract.reading import StoredDocument
from pipelines.run import cluster as cluster_module
from pipelines.run import corpus, row_cache
from pipelines.run.cluster import ClusterError, _examine, dask_pool, installation
from pipelines.schemas.tables import PUBLISHED
from pipelines.settings import PROJECT

WORKERS = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Address of a scheduler with three workers, each a process."""
    # A worker unpickles functions of this module.
    paths = [str(PROJECT), str(PROJECT / "tests"), str(Path(__file__).parent)]
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen(
            [sys.executable, dask_workers.__file__, str(WORKERS)],
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(paths), "DASK_TEMPORARY_DIRECTORY": scratch},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        with process:
            yield process.stdout.readline().strip() if process.stdout else ""
            os.killpg(process.pid, signal.SIGKILL)


def build(ledger: Ledger, address: str) -> Outcome:
    return run_build(
        ledger.raw,
        ledger.warehouse,
        instance=dg.DagsterInstance.ephemeral(),
        cluster=address,
    )


@pytest.fixture
def chunks_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call for each document, made by a function that obeys what a document says."""
    monkeypatch.setattr(corpus, "_LEAST_CHUNK_BYTES", 0)
    monkeypatch.setattr(corpus, "_read_chunk", dask_workers.read_chunk)


def test_a_cluster_gives_the_content_of_one_machine_whoever_dies(
    cluster: str,
    ledger: Ledger,
    page: PageMaker,
    chunks_of_one: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    orders = {
        "once": f"kill {tmp_path / 'flag'}",
        "always": "kill",
    }
    for number, name in enumerate((*orders, "well")):
        text = page([{"Throughput (items/sec)": f"{1000 + number}"}])
        source = f"acme/{name}"
        ledger.add(
            f"{orders.get(name, 'Results')}\n\n{text}", source, "2023-01-01", format="results_page"
        )
        ledger.map(source)
    outcome = build(ledger, cluster)
    assert outcome.success, outcome.faults
    assert outcome.documents_read == 3
    assert (tmp_path / "flag").exists(), "a worker was killed while it read"
    rejects = ledger.sql("select path, rule, reason from audit.rejects order by path")
    assert [(row["path"].split("/")[1], row["rule"]) for row in rejects] == [
        ("always", "reader_crashed")
    ]
    said = "the workers of the cluster crashed while reading the document"
    assert all(said in row["reason"] for row in rejects)
    monkeypatch.undo()
    (ledger.raw / "acme" / "always").rename(tmp_path / "always")
    # Nothing of it is lost by a build without this document, and without the cluster.
    assert ledger.build().success
    here = Ledger(tmp_path / "here")
    assert plain_build(ledger.raw, here.warehouse).success
    for table in PUBLISHED:
        if table.full_name != "audit.closed_rejects":
            query = f"select * from {table.full_name} order by all"
            assert ledger.sql(query) == here.sql(query), table.full_name
    assert not [*ledger.warehouse.rglob("*.partial")]


def read(
    cluster: str, folder: Path, *documents: StoredDocument, report: Any = print
) -> row_cache.Corpus:
    return corpus.read_corpus(documents, folder, partial(dask_pool, cluster, folder), report)


def test_a_worker_that_sees_other_files_is_refused(cluster: str, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    with pytest.raises(
        ClusterError, match=rf"the worker tcp://[\d.:]+ cannot read {path} \(No such file"
    ):
        read(cluster, tmp_path, StoredDocument("0" * 64, path, None))
    path.write_text("other")
    with pytest.raises(
        ClusterError, match=f"reads different content in {path} than this build; mount the folders"
    ):
        read(cluster, tmp_path, StoredDocument("0" * 64, path, None))
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.txt"]
    with pytest.raises(
        ClusterError, match=f"cannot find {tmp_path}/none or cannot write there; mount"
    ):
        _examine(installation(), tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "_version",
            r"tcp://[\d.:]+ has dagster \d+[\d.]+, and this build 1.0; install the same versions there",
        ),
        ("python_version", r"has Python 3.\d+.\d+, and this build 1.0; install"),
        ("_CONTRACTS", "has benchledger's code [0-9a-f]+, and this build [0-9a-f]+; install"),
    ],
)
def test_a_worker_with_other_versions_is_refused(
    name: str, expected: str, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.txt"
    path.touch()
    if name == "_CONTRACTS":
        monkeypatch.setattr(row_cache, name, ())
    else:
        real = cluster_module._version
        where = cluster_module if name == "_version" else cluster_module.platform
        monkeypatch.setattr(
            where, name, lambda package="dagster": "1.0" if package == "dagster" else real(package)
        )
    with pytest.raises(ClusterError, match=expected):
        read(cluster, tmp_path, StoredDocument("0" * 64, path, None))


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "100ms"}),
        pytest.raises(
            ClusterError, match=r"the scheduler tcp://127\.0\.0\.1:1 cannot be reached: "
        ),
    ):
        read("tcp://127.0.0.1:1", tmp_path, StoredDocument("0" * 64, tmp_path / "page.txt", None))


@pytest.mark.parametrize("address", ["nonsense", "tcp://host:port", "tcp://nonsense.invalid:8786"])
def test_an_address_that_is_none_is_refused_before_all_else(address: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["build", "--cluster", address, "--raw", str(tmp_path)])
    assert done.exit_code == WRONG_USE
    assert re.search(
        rf"'{address}' is not a scheduler address|{address} cannot be reached", done.output
    )


def test_without_distributed_a_build_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "find_spec", lambda name: None)
    with pytest.raises(ClusterError, match=r"needs the package `distributed`; `make -C .* setup`"):
        cluster_module.check_address("tcp://127.0.0.1:1")
