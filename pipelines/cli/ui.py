"""The Dagster UI with its daemon: started when the record of runs is laid out, ended with all that it has started."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from pipelines.exceptions import BenchledgerError, install_command
from pipelines.settings import PROJECT, START_PAGE, warehouse_folder
from pipelines.site_links import site_note

HOST = "127.0.0.1"
# Dagster takes up to a minute for it where a process of its own does not listen.
_ENDED_AFTER_S = 6
_LOOK_EVERY_S = 0.25
# Its input ends with this process, whatever ends that: `kill -9`, too.
_WATCH = "read _; kill -INT -{0}; sleep {1}; kill -KILL -{0}; rm -rf {2}"
_SOCKET = "code.sock"


def serve_ui(port: int) -> None:
    """Serve the UI until it is interrupted, and say where once it answers."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise BenchledgerError(
                f"port {port} cannot be used ({error.strerror}); give another one, "
                "`make ui PORT=3001` or `benchledger ui --port 3001`"
            ) from error
    if not (program := Path(sys.executable).with_name("dagster-webserver")).exists():
        raise BenchledgerError(
            f"Dagster's UI is not installed ({program})", hint=f"`{install_command('ui')}`"
        )
    from pipelines.assets.instance import open_instance

    with open_instance():
        pass
    # Interrupted by us alone, and all of it: a terminal would interrupt only what stands in the foreground.
    # Dagster takes orders by GET, from whichever page is open in the browser: no other page knows this address.
    prefix = f"/{secrets.token_hex(8)}"
    environment = os.environ | {
        "DAGSTER_WEBSERVER_PATH_PREFIX": prefix,
        "BENCHLEDGER_SITE": os.environ.get("BENCHLEDGER_SITE") or f"{prefix}/site",
    }
    # A shell starts what runs in the background with the second ignored.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    processes: list[subprocess.Popen[bytes]] = []
    watcher: subprocess.Popen[bytes] | None = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            for command in _commands(port, Path(folder)):
                group = processes[0].pid if processes else 0
                processes.append(
                    subprocess.Popen(command, cwd=PROJECT, env=environment, process_group=group)
                )
                if watcher is None:
                    words = [
                        "sh",
                        "-c",
                        _WATCH.format(processes[0].pid, _ENDED_AFTER_S, shlex.quote(folder)),
                    ]
                    watcher = subprocess.Popen(
                        words,
                        stdin=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )
                while not (Path(folder) / _SOCKET).exists() and processes[0].poll() is None:
                    time.sleep(_LOOK_EVERY_S)
            address = f"http://{HOST}:{port}{prefix}"
            if _answers(processes, address):
                print(f"The Dagster UI: {address} (Ctrl-C ends it)", flush=True)
                print(
                    f"The site: {place_of_site(warehouse_folder().resolve(), address)}", flush=True
                )
            while not (ended := [process for process in processes if process.poll() is not None]):
                time.sleep(_LOOK_EVERY_S)
            raise BenchledgerError(
                f"Dagster has ended by itself, with exit status {ended[0].returncode}"
            )
        finally:
            _end(processes)
            if watcher:
                # Before it can take a later process for this one.
                watcher.kill()
                watcher.communicate()


def place_of_site(warehouse: Path, address: str) -> str:
    """Where the site is, below the address of the UI, and what one has to know of it; or what writes
    it.
    """
    note, start = site_note(warehouse), warehouse / START_PAGE
    if not start.exists():
        return f"`benchledger report` writes {start}"
    return f"{address}/{START_PAGE}{f' ({note})' if note else ''}"


def _commands(port: int, folder: Path) -> list[list[str]]:
    """The server of the code, which listens in the folder, the web server and the daemon, which ask it."""
    workspace = folder / "workspace.yaml"
    server = {"socket": str(folder / _SOCKET), "location_name": "benchledger"}
    workspace.write_text(json.dumps({"load_from": [{"grpc_server": server}]}), "utf-8")
    # What the daemon warns of when it starts for the first time concerns nobody, and would stand after the address.
    code = [
        "-m",
        "dagster",
        "code-server",
        "start",
        "-m",
        "pipelines.definitions",
        "--socket",
        server["socket"],
    ]
    web = [
        "-m",
        "pipelines.cli.web_server",
        "--host",
        HOST,
        "--port",
        str(port),
        "--dagster-log-level",
        "error",
    ]
    return [
        [sys.executable, *code, "--log-level", "error"],
        [sys.executable, *web, "--workspace", str(workspace)],
        [
            str(Path(sys.executable).with_name("dagster-daemon")),
            "run",
            "--log-level",
            "error",
            "-w",
            str(workspace),
        ],
    ]


def _answers(processes: Sequence[subprocess.Popen[bytes]], address: str) -> bool:
    """Wait until the UI answers; False when a process of it has ended before."""
    while all(process.poll() is None for process in processes):
        try:
            if httpx.get(f"{address}/server_info", trust_env=False).is_success:
                return True
        except httpx.TransportError:
            time.sleep(_LOOK_EVERY_S)
    return False


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End everything that was started, politely at first."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(processes[0].pid, number)
            for process in processes:
                process.wait(_ENDED_AFTER_S)
        except (ProcessLookupError, IndexError):
            return
        except subprocess.TimeoutExpired:
            continue
