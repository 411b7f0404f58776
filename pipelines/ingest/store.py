"""What is stored under `raw/`: a row per document, and a fault for whatever is not as its sidecar says."""

from __future__ import annotations

import hashlib
import itertools
import pickle
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.extract.tables.mapping import MAPPING_FILE, MAPPING_FILES
from pipelines.ingest.fetch_log import FETCH_LOG, SEEN, Attempts, FetchLogError, read_runs
from pipelines.ingest.files import Fault, folders_in, visible_files
from pipelines.ingest.mirror import refused_objects
from pipelines.ingest.sidecars import (
    SNAPSHOT_FILE,
    SOURCE_FILE,
    Captured,
    SidecarError,
    Snapshot,
    Source,
    in_utc,
    moment_of,
    moments_of,
    read_sidecar,
    within_years,
)
from pipelines.read.submission import MEDIA_TYPE, is_submission, submission_digest, submission_size
from pipelines.schemas.tables import TABLES, arrow_schema

_BLOCK = 1 << 20
# `MLPerf Training v1.0 results`, `graphcore-v1.0`
_ROUND = re.compile(r"(?<![A-Za-z0-9])v\d{1,2}\.\d{1,2}(?![\d.])")
# What stands beside the snapshots of a source, and is no document.
_OF_A_SOURCE = (SOURCE_FILE, FETCH_LOG, MAPPING_FILES)


# Rows that are held as Python has them before they are packed.
_ROWS_AT_ONCE = 1000


class Rows:
    """Rows of a table in the order in which they were found, packed: as dicts a million would take gigabytes.

    Args:
        full_name: The table.
    """

    def __init__(self, full_name: str) -> None:
        self._schema = arrow_schema(TABLES[full_name])
        self._packs: list[bytes] = []
        self._latest: list[tuple[Any, ...]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        self._latest.append(tuple(row.get(name) for name in self._schema.names))
        if len(self._latest) == _ROWS_AT_ONCE:
            self._packs.append(pickle.dumps(self._latest))
            self._latest = []

    def __len__(self) -> int:
        return len(self._packs) * _ROWS_AT_ONCE + len(self._latest)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return itertools.chain.from_iterable(self._parts())

    def table(self) -> pa.Table:
        """The rows with the schema of the table."""
        batches = [pa.RecordBatch.from_pylist(part, self._schema) for part in self._parts()]
        return pa.Table.from_batches(batches, self._schema)

    def _parts(self) -> Iterator[list[dict[str, Any]]]:
        for rows in itertools.chain(map(pickle.loads, self._packs), [self._latest]):
            yield [dict(zip(self._schema.names, row, strict=True)) for row in rows]


@dataclass
class Store:
    """All that is stored.

    Attributes:
        documents: Rows of `raw.documents`, ordered by path.
        sources: Rows of `raw.sources`, ordered by name.
        runs: Attempts to fetch, by source in their order; those that differ only in their time stand together.
        sightings: Rows of `raw.sightings`, ordered by path and time.
        faults: What could not be taken up, ordered by path.
    """

    documents: Rows = field(default_factory=lambda: Rows("raw.documents"))
    sources: Rows = field(default_factory=lambda: Rows("raw.sources"))
    runs: list[Attempts] = field(default_factory=list)
    sightings: Rows = field(default_factory=lambda: Rows("raw.sightings"))
    faults: list[Fault] = field(default_factory=list)
    _ids: set[bytes] = field(default_factory=set, repr=False)
    _repeats: list[tuple[str, str]] = field(default_factory=list, repr=False)

    @property
    def fetches(self) -> Rows:
        """Rows of `raw.fetches`, made when they are asked for: years of looks make many."""
        rows = Rows("raw.fetches")
        for run in self.runs:
            for row in _fetch_rows(run):
                rows.add(row)
        return rows

    def add(self, document: Mapping[str, Any], moments: Iterable[datetime]) -> None:
        """Take up a document that was seen at these moments; of several with the same bytes only the first."""
        key = bytes.fromhex(document["document_id"])
        if key in self._ids:
            self._repeats.append((document["document_id"], document["path"]))
            return
        self._ids.add(key)
        self.documents.add(document)
        for moment in sorted(moments):
            self.sightings.add({**document, "snapshot_on": moment.date(), "snapshot_at": moment})

    def name_repeats(self) -> None:
        """Let the faults say where the bytes of each document stand that was not taken up."""
        repeated = {document_id for document_id, _ in self._repeats}
        first = {row["document_id"]: row["path"] for row in self.documents if row["document_id"] in repeated}
        for document_id, path in self._repeats:
            reason = f"the same bytes stand at {first[document_id]}; one of the two is enough"
            self.faults.append(Fault(path, "repeated_document", reason))


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes, in hex, read block by block; of a submission that of its files and their paths."""
    if path.is_dir():
        return submission_digest(path)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def sha256_of_bytes(content: bytes) -> str:
    """sha256 of bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def read_store(raw: Path) -> Store:
    """Every document under `raw/<publisher>/<source>/<date>/`.

    A document without a `snapshot.yml` entry (dropped in by hand) is taken with what its path says.
    """
    store = Store()
    # It may hold thousands of files.
    of_submission = lru_cache(maxsize=None)(is_submission)
    for path in visible_files(raw, raw, store.faults.append):
        depth = len(path.relative_to(raw).parts)
        # A README above the snapshots explains the store; one among the documents of a day is a document.
        is_note = path.name.casefold() == "readme.md" and depth < 4
        if is_note or (depth == 3 and any(path.match(name) for name in _OF_A_SOURCE)) or path.name == SNAPSHOT_FILE:
            continue
        if depth > 4 and of_submission(raw.joinpath(*path.relative_to(raw).parts[:4])):
            continue
        if depth != 4:
            reason = "documents stand at <publisher>/<source>/<date>/<document>; use `benchledger add`"
            store.faults.append(Fault(_relative(raw, path), "misplaced_file", reason))
    for publisher in folders_in(raw):
        for folder in folders_in(publisher):
            _read_source(raw, folder, store)
    store.name_repeats()
    store.faults += refused_objects(raw)
    store.faults.sort(key=lambda fault: (fault.path, fault.rule))
    return store


def _read_source(raw: Path, folder: Path, store: Store) -> None:
    source = Source(publisher=folder.parent.name)
    if (path := folder / SOURCE_FILE).exists():
        try:
            source = read_sidecar(path, Source)
        except SidecarError as error:
            reason = f"{error}; its documents are taken with what their path says"
            store.faults.append(Fault(_relative(raw, path), "wrong_sidecar", reason))
    store.sources.add(_source_row(raw, folder, source))
    try:
        store.runs += read_runs(folder)
    except FetchLogError as error:
        store.faults.append(Fault(_relative(raw, folder / FETCH_LOG), "wrong_fetch_log", str(error)))
    mapping = folder / MAPPING_FILE
    mapping_sha256 = sha256_of(mapping) if mapping.is_file() else None
    for snapshot_folder in folders_in(folder):
        _read_snapshot(raw, folder, snapshot_folder, source, mapping_sha256, store)


def _source_row(raw: Path, folder: Path, source: Source) -> dict[str, Any]:
    stated = source.model_dump(
        include={"publisher", "interest", "title", "url", "cadence", "licence", "rows_lost_up_to"}
    )
    return {"source": _relative(raw, folder)} | stated


def _fetch_rows(run: Attempts) -> list[dict[str, Any]]:
    row = run.first.model_dump()
    row["http_status"] = row.pop("status")
    row["not_before"] = in_utc(row["not_before"]) if row["not_before"] else None
    return [row | {"attempted_at": in_utc(moment)} for moment in run.made_at]


def _read_snapshot(
    raw: Path, folder: Path, snapshot_folder: Path, source: Source, mapping_sha256: str | None, store: Store
) -> None:
    captured: dict[str, Captured] = {}
    if (path := snapshot_folder / SNAPSHOT_FILE).exists():
        try:
            captured = {entry.file: entry for entry in read_sidecar(path, Snapshot).documents}
        except SidecarError as error:
            # Without a readable sidecar nobody vouches for the bytes beside it.
            reason = f"{error}; the documents beside it were not read: mend it, or remove it and add them again"
            store.faults.append(Fault(_relative(raw, path), "wrong_sidecar", reason))
            return
    present = {path.name: path for path in visible_files(raw, snapshot_folder) if path.parent == snapshot_folder}
    present |= {path.name: path for path in folders_in(snapshot_folder) if is_submission(path)}
    present.pop(SNAPSHOT_FILE, None)
    for name in sorted(captured.keys() - present.keys()):
        reason = f"{SNAPSHOT_FILE} lists the document, and it is not there; restore it"
        store.faults.append(Fault(_relative(raw, snapshot_folder / name), "missing_document", reason))
    for name, path in sorted(present.items()):
        try:
            document_id, entry = sha256_of(path), captured.get(name)
        except OSError as error:
            reason = f"it cannot be opened: {error.strerror}; let it be read"
            store.faults.append(Fault(_relative(raw, path), "unreadable_document", reason))
            continue
        if entry and entry.sha256 != document_id:
            reason = (
                f"the bytes are no longer those that were captured (sha256 {document_id[:12]}..., "
                f"{SNAPSHOT_FILE} says {entry.sha256[:12]}...); restore them, or add the changed file as a new snapshot"
            )
            store.faults.append(Fault(_relative(raw, path), "changed_bytes", reason))
            continue
        row = _row(raw, folder, path, document_id, source, entry) | {"mapping_sha256": mapping_sha256}
        store.add(row, moments_of(entry) if entry else [row["snapshot_at"]])


def _row(
    raw: Path, folder: Path, path: Path, document_id: str, source: Source, entry: Captured | None
) -> dict[str, Any]:
    # Imported here: a build that finds nothing changed opens no document.
    from pipelines.read.files import media_type_of

    published_on = entry.published_on if entry else _date_of(path.parent.name)
    retrieved_at = in_utc(entry.retrieved_at if entry else datetime.fromtimestamp(path.stat().st_mtime, UTC))
    snapshot_at = moment_of(entry) if entry else datetime.combine(published_on or retrieved_at.date(), time())
    title = (entry.title if entry else None) or source.title
    named = _ROUND.search(f"{title or ''} {folder.name}")
    return {
        "document_id": document_id,
        "source": f"{folder.parent.name}/{folder.name}",
        "publisher": source.publisher,
        "interest": source.interest,
        "title": title,
        "round": named[0] if named else None,
        "url": (entry.url if entry else None) or source.url,
        "format": entry.format if entry else None,
        "media_type": entry.media_type if entry else MEDIA_TYPE if path.is_dir() else media_type_of(path.name),
        "charset": entry.charset if entry else None,
        "published_on": published_on,
        "retrieved_at": retrieved_at,
        "edition": entry.edition if entry else "original",
        "bytes": submission_size(path) if path.is_dir() else path.stat().st_size,
        "path": _relative(raw, path),
        "snapshot_on": snapshot_at.date(),
        "snapshot_at": snapshot_at,
    }


def _date_of(folder: str) -> date | None:
    try:
        return within_years(date.fromisoformat(folder))
    except ValueError:
        return None


def _relative(raw: Path, path: Path) -> str:
    return path.relative_to(raw).as_posix()


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


# More sources than anyone registers: a log is read again only when it has changed.
_LOGS_KEPT = 4096


def state_of_store(raw: Path) -> tuple[str, float]:
    """Hash of all that is a reason to build, and when the last visible file beside the logs changed.

    Names, sizes and times of the visible files count, and of each fetch log whether its source was seen at the last
    attempt, and if not, what came of that.
    """
    digest, changed_at = hashlib.sha256(), 0.0
    for path in sorted(raw.rglob("*")):
        place = path.relative_to(raw)
        if any(part.startswith(".") for part in place.parts) or not path.is_file():
            continue
        status = path.stat()
        if path.name == FETCH_LOG and len(place.parts) == 3:
            state = _outcome(path.parent, status.st_mtime_ns, status.st_size)
        else:
            state = f"{status.st_size} {status.st_mtime_ns}"
            changed_at = max(changed_at, status.st_mtime)
        digest.update(f"{place.as_posix()}\0{state}\n".encode())
    return digest.hexdigest(), changed_at


@lru_cache(maxsize=_LOGS_KEPT)
def _outcome(folder: Path, changed_ns: int, size: int) -> str:
    try:
        runs = read_runs(folder)
    except FetchLogError as error:
        return str(error)
    if not runs:
        return "never"
    return "seen" if runs[-1].first.outcome in SEEN else runs[-1].first.outcome
