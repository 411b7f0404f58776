"""The documents of the store as their sidecars list them: to compare with, not to build from (that is `store.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from pipelines.ingest.files import folders_in
from pipelines.ingest.moments import moment_of
from pipelines.ingest.sidecars import SNAPSHOT_FILE, Captured, SidecarError, Snapshot, read_sidecar


@dataclass(frozen=True, slots=True)
class Stored:
    """A document in the store.

    Attributes:
        path: Where it is.
        entry: Its entry in the sidecar.
        is_new: False when the same bytes were there already.
    """

    path: Path
    entry: Captured
    is_new: bool


def find_stored(raw: Path, digest: str) -> Stored | None:
    """The stored document with these bytes, or None. Sidecars that cannot be read are left to the build to report."""
    sources = (source for publisher in folders_in(raw) for source in folders_in(publisher))
    return next((one for source in sources for one in _documents(source, digest)), None)


def stored_documents(folder: Path, digest: str = "") -> list[Stored]:
    """The stored documents of a source, or those with these bytes, in the order of their snapshots.

    Sidecars that cannot be read are left to the build to report: nothing can be compared with what they list.
    """
    return sorted(
        _documents(folder, digest), key=lambda one: (moment_of(one.entry), one.entry.retrieved_at.astimezone(UTC))
    )


def _documents(source: Path, digest: str) -> Iterator[Stored]:
    for path in (day / SNAPSHOT_FILE for day in folders_in(source)):
        try:
            # Most do not list it, and looking for it is quicker than reading YAML.
            entries = read_sidecar(path, Snapshot).documents if digest.encode() in path.read_bytes() else []
        except (SidecarError, OSError):
            continue
        for entry in entries:
            if (not digest or entry.sha256 == digest) and (path.parent / entry.file).exists():
                yield Stored(path.parent / entry.file, entry, is_new=False)
