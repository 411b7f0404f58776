"""Which tables stand already: made by the same query, under the same contract, from inputs of the same content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pipelines.schemas.tables import Table
from pipelines.validate.contracts import contract_stamp
from pipelines.warehouse import ENGINE_VERSION, Tables

_ENGINE_CODE = Path(__file__).with_name("warehouse.py")


def stamp(query: str, table: Table, inputs: Iterable[str], tables: Tables) -> str:
    """Hash of all that decides the rows of a table: query, engine, contract, and the content of every input."""
    parts = [query, ENGINE_VERSION, _content(_ENGINE_CODE), contract_stamp(table)]
    parts += [f"{name} {_content(tables.path(name))}" for name in sorted(inputs)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def stands(table: Table, stamped: str, tables: Tables) -> bool:
    """True when the table's file is the one that was made with this stamp."""
    note = _note(table.full_name, tables)
    return note.exists() and note.read_text() == f"{stamped} {_content(tables.path(table.full_name))}"


def remember(table: Table, stamped: str, tables: Tables) -> None:
    """Keep what the table's file was made from; called when its rows and those it refused are in place."""
    _note(table.full_name, tables).write_text(f"{stamped} {_content(tables.path(table.full_name))}")


def forget(names: Iterable[str], tables: Tables) -> None:
    """Have tables made again by the next build, whatever they were made from: a check has found them wrong."""
    for name in names:
        _note(name, tables).unlink(missing_ok=True)


def _note(full_name: str, tables: Tables) -> Path:
    return tables.path(full_name).with_suffix(".made_from")


def _content(path: Path) -> str:
    status = path.stat() if path.exists() else None
    return _hash(path, status.st_mtime_ns, status.st_size) if status else "none"


@cache
def _hash(path: Path, changed_ns: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
