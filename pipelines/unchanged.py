"""Whether a build would give what is published already: same documents, same code, same file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pipelines.ingest.store import read_store
from pipelines.settings import document_limits
from pipelines.warehouse import FILE_NAME

_CODE = Path(__file__).parent
_NOTE = Path("tables") / "built.json"


def build_digest(raw: Path) -> str:
    """Hash of everything a build depends on: stored bytes, sidecars, faults, limits, code, SQL and vocabularies."""
    digest = hashlib.sha256()
    store = read_store(raw)
    digest.update(repr((store.documents, store.sources, store.sightings, store.faults)).encode())
    for run in store.runs:
        # Years of looks: as words they would take longer than all else.
        digest.update(repr((run.first, [moment.timestamp() for moment in run.made_at])).encode())
    digest.update(str(document_limits()).encode())
    for path in sorted(_CODE.rglob("*")):
        if path.suffix in (".py", ".sql", ".yml"):
            digest.update(path.relative_to(_CODE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_unchanged(warehouse: Path, digest: str) -> bool:
    """True when the published file is the one that a build of this digest has put there."""
    note, published = warehouse / _NOTE, warehouse / FILE_NAME
    if not note.exists() or not published.exists():
        return False
    status = published.stat()
    try:
        remembered = json.loads(note.read_text("utf-8"))
    except ValueError:
        return False
    return bool(remembered == [digest, status.st_size, status.st_mtime_ns])


def remember_build(warehouse: Path, digest: str) -> None:
    """Keep what the published file was built from."""
    status = (warehouse / FILE_NAME).stat()
    (warehouse / _NOTE).write_text(json.dumps([digest, status.st_size, status.st_mtime_ns]))
