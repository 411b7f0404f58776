"""Whether anything is new: what the published file was made of, and what a build would be made of
now.

One question before a build, whether there is anything to do at all, and one at its beginning,
whether what is published may stand where no document has changed. Opens neither documents nor
DuckDB.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pipelines.ingest.store import Store
from pipelines.object_addresses import address_of
from pipelines.own_files import checksum, own_folder, replace_file
from pipelines.settings import FILE_NAME, PREVIOUS_FILE, document_limits
from pipelines.vocabulary import lookup

_CODE = Path(__file__).parent.parent
# What the published file was made of; without it nothing of that file is taken over.
_NOTE = Path("cache") / "published.json"
_DISTRUSTED = {"digest": "", "code": ""}


def is_up_to_date(folder: Path, store: Store) -> bool:
    """Whether a build would give what is published already: same documents, same code, same file."""
    return (read_note(folder) or _DISTRUSTED)["digest"] == build_digest(store)


def distrust(folder: Path) -> None:
    """Make the next build rebuild all tables and verify all evidence."""
    write_note(folder, _DISTRUSTED if (folder / FILE_NAME).exists() else None)


def take_over_published(folder: Path) -> bool:
    """Have a folder that mirrors an object store hold what is published there, and know what that
    was made of.

    Returns:
        Whether the published file is another one than before.
    """
    if address_of(folder) is None:
        return False
    from pipelines.remote.publishing import bring

    note, is_new = bring(folder)
    known = read_note(folder)
    if known is None or known["digest"] != _DISTRUSTED["digest"]:
        write_note(folder, note)
    return is_new


def build_digest(store: Store) -> str:
    """Hash of everything a build depends on: stored bytes, sidecars, faults, limits, code, SQL and
    vocabularies.
    """
    digest = hashlib.sha256(code_digest().encode())
    stored = store.documents, store.sources, store.sightings, store.attempts, store.faults
    for part in (*stored, document_limits()):
        digest.update(repr(part).encode())
    return digest.hexdigest()


def code_digest() -> str:
    """Hash of all that decides what documents give: code, SQL, vocabularies, the engine."""
    return _digest_of(lookup.FOLDER)


@cache
def _digest_of(vocabulary: Path) -> str:
    digest = hashlib.sha256(version("duckdb").encode())
    for folder in (_CODE, vocabulary):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".sql", ".yml"):
                digest.update(
                    path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes()
                )
    return digest.hexdigest()


def stands(folder: Path) -> bool:
    """Whether this code has published the file that is there: what nothing has changed since need
    not be made again.
    """
    return (read_note(folder) or _DISTRUSTED)["code"] == code_digest()


def read_note(folder: Path) -> dict[str, str] | None:
    """What the published file was made of; None for a file that somebody else has put there."""
    published = folder / FILE_NAME
    try:
        remembered = json.loads((folder / _NOTE).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    is_note = (
        isinstance(remembered, dict)
        and {"digest", "code", "file"} <= {*remembered}
        and published.exists()
    )
    return remembered if is_note and remembered["file"] == checksum(published) else None


def cache_folder(folder: Path) -> Path:
    """The cache of a warehouse, where rows of documents are kept from build to build.

    Raises:
        NotOursError: There is a folder of that name that no build has written.
    """
    return own_folder(folder / _NOTE.parent)


def write_note(folder: Path, note: dict[str, str] | None) -> None:
    """Keep what the published file was made of; None where the next build can take nothing over."""
    path = cache_folder(folder) / _NOTE.name
    if note is None:
        path.unlink(missing_ok=True)
    else:
        # A build has looked through what it leaves; who distrusts all of it has not.
        names = {"file": FILE_NAME} | ({"previous": PREVIOUS_FILE} if note["code"] else {})
        sums = {
            kind: checksum(folder / name)
            for kind, name in names.items()
            if (folder / name).exists()
        }
        replace_file(path, json.dumps(note | sums).encode())
