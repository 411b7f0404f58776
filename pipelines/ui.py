"""The Dagster UI with its daemon: started when the record of runs is laid out, ended with all that it has started."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import httpx

from pipelines.assets.instance import open_instance
from pipelines.settings import IS_CHECKOUT, PROJECT, START_PAGE, warehouse_folder

HOST = "127.0.0.1"
PORT = 3000
# Dagster takes up to a minute for it where a process of its own does not listen.
_ENDED_AFTER_S = 6
_LOOK_EVERY_S = 0.25
# Its input ends with this process, whatever ends that: `kill -9`, too.
_WATCH = "read _; kill -INT -{0}; sleep {1}; kill -KILL -{0}"
_SECRET_BYTES = 8


class UiError(Exception):
    """The UI cannot be served; the message says why."""


def serve_ui(port: int = PORT) -> None:
    """Serve the UI until it is interrupted, and say where once it answers.

    Raises:
        UiError: The port is taken, or Dagster has ended by itself.
        InstanceError: The record of runs cannot be opened.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UiError(
                f"port {port} cannot be used ({error.strerror}); give another one, "
                "`make ui PORT=3001` or `benchledger ui --port 3001`"
            ) from error
    with open_instance():
        pass
    # Interrupted by us alone, and all of it: a terminal would interrupt only what stands in the foreground.
    # Dagster takes orders by GET, from whichever page is open in the browser: no other page knows this address.
    prefix = f"/{secrets.token_hex(_SECRET_BYTES)}"
    try:
        process = subprocess.Popen(_command(port), cwd=PROJECT, env=_environment(prefix), start_new_session=True)
        watching = ["sh", "-c", _WATCH.format(process.pid, _ENDED_AFTER_S)]
        watcher = subprocess.Popen(watching, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    except FileNotFoundError as error:
        raise UiError(
            f"Dagster's UI is not installed ({error.filename}); `pip install 'benchledger[ui]'` does it"
        ) from error
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        address = f"http://{HOST}:{port}{prefix}"
        if _answers(process, address):
            print(f"The Dagster UI: {address} (Ctrl-C ends it)", flush=True)
            print(f"The numbers, to look at: {_site()}", flush=True)
        status = process.wait()
        raise UiError(f"Dagster has ended by itself, with exit status {status}")
    except KeyboardInterrupt:
        pass
    finally:
        _end(process)
        # Before it can take a later process for this one.
        watcher.kill()
        watcher.communicate()


def _site() -> str:
    """Where the site is, or how it is written."""
    start = warehouse_folder().resolve() / START_PAGE
    return str(start) if start.exists() else f"`benchledger report` writes {start}"


def _command(port: int) -> list[str]:
    # What the daemon warns of when it starts for the first time concerns nobody, and would stand after the address.
    quiet = ["--log-level", "error", "--code-server-log-level", "error"]
    # `dg` serves the project of a checkout; an installed package is none.
    served = ["dg", "dev", "--no-check-yaml"] if IS_CHECKOUT else ["dagster", "dev", "-m", "pipelines.definitions"]
    program = str(Path(sys.executable).with_name(served[0]))
    return [program, *served[1:], "--host", HOST, "--port", str(port), *quiet]


def _environment(prefix: str) -> dict[str, str]:
    # Dagster warns of an environment that is not the active one, and starts what it finds on the path.
    found_first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    own = {"VIRTUAL_ENV": sys.prefix, "PATH": found_first, "DAGSTER_WEBSERVER_PATH_PREFIX": prefix}
    return os.environ | own


def _answers(process: subprocess.Popen[bytes], address: str) -> bool:
    """Wait until the UI answers; False when it has ended before."""
    while process.poll() is None:
        try:
            if httpx.get(f"{address}/server_info", trust_env=False).is_success:
                return True
        except httpx.TransportError:
            time.sleep(_LOOK_EVERY_S)
    return False


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _end(process: subprocess.Popen[bytes]) -> None:
    """End everything that was started, politely at first."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(_ENDED_AFTER_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
