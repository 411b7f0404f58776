"""What the page of SQL needs to answer in the browser: the engine and the warehouse, packed into scripts.

A page that is opened from the disk may not fetch anything, but it may load scripts.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

VERSION = "1.32.0"
# What of the package is used, by the name of its script.
_ENGINE = {
    "worker": ("duckdb-browser-eh.worker.js", "f8ab72b6b90b3ad83077d47426d4a99d5d9a4c7e07cba1a2be37d655adc7c1ab"),
    "module": ("duckdb-eh.wasm", "4c221bfa59c11f24dbd750e70c90b9252eca6eec5633936e6a2ec766e55fd879"),
}
_LICENCE = Path(__file__).parent / "duckdb-wasm.LICENSE.txt"


class ExploreError(Exception):
    """The engine is not installed, or is another version; the message says what to do."""


def engine_folder() -> Path:
    """Where DuckDB-WASM is: `BENCHLEDGER_DUCKDB_WASM`, else where `make explore` installs it."""
    installed = Path(sys.prefix) / "npm" / "node_modules" / "@duckdb" / "duckdb-wasm" / "dist"
    return Path(os.environ.get("BENCHLEDGER_DUCKDB_WASM", installed))


def explore_files(published: Path) -> Iterator[tuple[str, bytes]]:
    """Scripts that hold the engine and the warehouse file, and the engine's licence, by their path in the site.

    Args:
        published: The warehouse file.

    Raises:
        ExploreError: The engine is not there, or its bytes are others than those that were tried.
    """
    for name, (file, digest) in _ENGINE.items():
        path = engine_folder() / file
        if not path.exists():
            raise ExploreError(f"there is no {path}; `make explore` installs DuckDB-WASM {VERSION} and writes the site")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ExploreError(f"{path} is not the one of DuckDB-WASM {VERSION}; `make explore` installs it anew")
        yield f"explore/{name}.js", _script(name, content)
    yield "explore/warehouse.js", _script("warehouse", published.read_bytes())
    yield "explore/LICENSE.txt", _LICENCE.read_bytes()


def _script(name: str, content: bytes) -> bytes:
    # Without a time in it, so that the same bytes give the same script.
    packed = base64.b64encode(gzip.compress(content, 6, mtime=0)).decode()
    return f'(window.exploreFiles ??= {{}}).{name} = "{packed}";\n'.encode()
