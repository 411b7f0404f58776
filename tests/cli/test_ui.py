"""The UI with its real daemon: where it is, that it builds what is new even after a kill, and how
it ends.
"""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import httpx
import pytest
from conftest import Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.assets.instance import REPOSITORY, end_abandoned_runs, open_instance
from pipelines.cli.main import app
from pipelines.cli.ui import serve_ui
from pipelines.exceptions import INTERRUPTED, INTERRUPTION, WRONG_USE, BenchledgerError
from pipelines.settings import PROJECT
from pipelines.warehouse.reader import FILE_NAME

# A busy machine takes several times as long as one that has nothing else to do.
_PATIENCE_S = 300
get, post = partial(httpx.get, timeout=_PATIENCE_S), partial(httpx.post, timeout=_PATIENCE_S)


# Code before a command: its build says that it is in its midst, and waits there until it is killed.
_WAITING = """
import threading
from pipelines.run import steps
steps.read_store = lambda raw: print("in its midst", flush=True) or threading.Event().wait()
"""


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def command(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts `benchledger` on this ledger, with a record of runs of its own; what is left of it is
    killed.
    """
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, prepared: str = "") -> subprocess.Popen[str]:
        code = f"import sys; sys.argv[1:] = {[*arguments]}\n{prepared}\nfrom pipelines.cli.entry_point import main; main()"
        words: dict[str, Any] = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "text": True,
        }
        # As `nohup make test &` does.
        words["preexec_fn"] = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
        started.append(subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT, **words))  # type: ignore[call-overload]
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.wait(_PATIENCE_S)
        if process.stdout:
            process.stdout.close()


def wait_for(what: Callable[[], bool], by: subprocess.Popen[str]) -> None:
    begun = time.monotonic()
    while not what():
        assert by.poll() is None, "who should do it has ended"
        assert time.monotonic() < begun + _PATIENCE_S, "it does not happen"
        time.sleep(0.3)


def processes_of(folder: Path) -> list[str]:
    """Command lines of the processes that were started for a ledger under this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (path / "environ").read_bytes():
                found.append((path / "cmdline").read_text().replace("\0", " ")[:100])
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


# Only on Linux are processes looked up in /proc.
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


def test_a_port_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.cli.ui.serve_ui", lambda port: None)
    assert CliRunner().invoke(app, ["ui", "--port", "65535"]).exit_code == 0
    done = CliRunner().invoke(app, ["ui", "--port", "65536"])
    assert (done.exit_code, "65536 is not in the range" in done.stderr) == (WRONG_USE, True)


@on_linux
def test_the_daemon_ends_a_killed_build_and_builds_what_it_has_left(
    command: Callable[..., subprocess.Popen[str]],
    ledger: Ledger,
    page: PageMaker,
    tmp_path: Path,
    port: int,
) -> None:
    ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    build = command("build", prepared=_WAITING)
    assert build.stdout
    assert any("in its midst" in line for line in build.stdout), "the build has ended"
    running = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    with open_instance() as instance:
        [killed] = instance.get_run_records(running)
        assert end_abandoned_runs(instance) == [], "it is still running"
    build.kill()
    build.wait()

    ui = command("ui", "--fetch", "--port", str(port))
    assert ui.stdout is not None
    # Nothing before it, no warning of an environment among it.
    said = re.fullmatch(
        rf"The Dagster UI: (http://127.0.0.1:{port}/[0-9a-f]{{16}}) \(Ctrl-C ends it\)\n",
        ui.stdout.readline(),
    )
    assert said
    assert re.fullmatch(
        r"The site: `benchledger report` writes /.*/site/index\.html\n", ui.stdout.readline()
    )
    # Orders are taken by who knows the address, and not from any page that is open in the same
    # browser.
    order = {"query": "mutation { reloadWorkspace { __typename } }"}
    assert get(f"http://127.0.0.1:{port}/graphql", params=order).status_code == 404
    assert post(f"http://127.0.0.1:{port}/graphql", json=order).status_code in (404, 405)
    # No page shows the UI in a frame.
    for path in (
        f"http://127.0.0.1:{port}/",
        said[1],
        f"{said[1]}/server_info",
        f"{said[1]}/nothing/here",
    ):
        assert "frame-ancestors 'none'" in get(path).headers.get_list("Content-Security-Policy")
    query = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name location { name } } } } }"
    found = post(f"{said[1]}/graphql", json={"query": query}).json()
    [served] = found["data"]["repositoriesOrError"]["nodes"]
    assert f"{served['name']}@{served['location']['name']}" == REPOSITORY
    # It opens on the lineage, and says of the site what `benchledger report` would do.
    assert get(said[1], follow_redirects=True).url.path.endswith("/asset-groups")
    assert "`benchledger report` writes it" in get(f"{said[1]}/site/index.html").text

    wait_for((ledger.warehouse / FILE_NAME).exists, ui)
    with open_instance() as instance:
        wait_for(lambda: not instance.get_run_records(running), ui)
        run = instance.get_run_by_id(killed.dagster_run.run_id)
        assert run is not None
        assert run.status is dg.DagsterRunStatus.FAILURE
        assert any("it was killed" in str(entry.message) for entry in instance.all_logs(run.run_id))
        assert not (tmp_path / "state" / "running" / f"{run.run_id}.lock").exists()
    assert len(ledger.sql("from main.current_results")) == 1
    ui.send_signal(signal.SIGINT)
    assert ui.wait(_PATIENCE_S) == INTERRUPTED
    assert ui.stdout.read() == f"error: {INTERRUPTION}\n", "builds that go well say nothing"
    assert processes_of(tmp_path) == []


# In the place of Dagster's programs, which take long to start: programs that an interrupt does not
# end.
_STUBBORN = """
from pipelines.cli import ui
_sleep = ["sh", "-c", "trap '' INT; while :; do sleep 1; done"]
ui._commands = lambda port, folder: [["sh", "-c", f"touch {folder}/code.sock; {_sleep[2]}"], _sleep, _sleep]
ui._answers, ui._ENDED_AFTER_S = lambda *given: True, 1
"""


@on_linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_a_ui_has_started_ends_with_it(
    command: Callable[..., subprocess.Popen[str]], tmp_path: Path, port: int, number: int
) -> None:
    ui = command("ui", "--port", str(port), prepared=_STUBBORN)
    assert ui.stdout is not None
    assert "The Dagster UI" in ui.stdout.readline()
    assert len(processes_of(tmp_path)) > 3
    ui.send_signal(number)
    assert ui.wait(_PATIENCE_S) == (-number if number == signal.SIGKILL else INTERRUPTED)
    until = time.monotonic() + _PATIENCE_S
    while processes_of(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.3)


def test_a_port_that_is_taken_is_named(port: int) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(BenchledgerError, match=f"port {port} cannot be used .*PORT=3001"):
            serve_ui(port)
