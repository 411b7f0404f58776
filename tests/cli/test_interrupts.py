"""Ctrl-C and SIGTERM: one sentence and a status of their own, whatever a command was at."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from conftest import Ledger
from typer.testing import CliRunner

from benchledger import Project
from pipelines.cli import entry_point
from pipelines.cli.main import app
from pipelines.exceptions import FAILED, INTERRUPTED, INTERRUPTION, QUERY_INTERRUPTED

_ENDLESS = "select count(*) from range(1000000) a, range(1000000) b"
# Says when the query has begun.
_SAYING = """
import threading
from pipelines.cli.entry_point import main
from pipelines.warehouse import reader
_require_one = reader._require_one
def begin(*given):
    threading.Timer(0.5, print, ["begun"], {"flush": True}).start()
    return _require_one(*given)
reader._require_one = begin
main()
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_query_is_interrupted(
    with_a_page: Ledger, tmp_path: Path, number: int, status: int
) -> None:
    # In a file: to a program without one DuckDB shows how far a query is.
    (tmp_path / "program.py").write_text(_SAYING, "utf-8")
    words = [sys.executable, tmp_path / "program.py", "sql", _ENDLESS]
    environment = os.environ | {"BENCHLEDGER_WAREHOUSE": str(with_a_page.warehouse)}
    query = subprocess.Popen(
        words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # As a shell starts it in the foreground, even where the tests run in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert query.stdout is not None
    assert query.stdout.readline() == "begun\n"
    os.killpg(query.pid, number)
    _, said = query.communicate(timeout=50)
    assert (query.returncode, said) == (status, f"error: {INTERRUPTION}\n")


def test_the_words_of_duckdb_for_an_interrupt_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def report(project: Project, **given: object) -> None:
        raise RuntimeError(QUERY_INTERRUPTED)

    monkeypatch.setattr(Project, "report", report)
    done = CliRunner().invoke(app, ["report"])
    assert (done.exit_code, done.stderr) == (INTERRUPTED, f"error: {INTERRUPTION}\n")


class _Field:
    def __set_name__(self, owner: type, name: str) -> None:
        raise KeyboardInterrupt


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("load", [_interrupt, lambda: type("Rows", (), {"field": _Field()})])
def test_the_loading_of_the_commands_is_interrupted(
    load: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> object:
            return load()

    monkeypatch.setitem(sys.modules, "pipelines.cli.main", Interrupted("pipelines.cli.main"))
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(atexit, "register", lambda function: None)
    with pytest.raises(SystemExit) as ended:
        entry_point.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, f"error: {INTERRUPTION}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_full_disk_behind_what_is_printed_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", "from pipelines.cli.entry_point import main; main()"]
        done = subprocess.run(
            [*command, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (FAILED, "error: No space left on device\n")
