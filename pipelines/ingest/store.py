"""Lists the documents under `raw/`, and a fault for each that differs from its sidecar."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipelines.ingest.fetch_log import FETCH_LOG, SEEN, Attempt, FetchLogError, read_attempts
from pipelines.ingest.files import Fault, folders_in, source_folders, visible_files
from pipelines.ingest.mirror import refused_objects
from pipelines.ingest.registry import read_source
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
from pipelines.own_files import checksum
from pipelines.read.submission import MEDIA_TYPE, is_submission, submission_digest, submission_size
from pipelines.settings import MAPPING_FILE, MAPPING_FILES

# `MLPerf Training v1.0 results`, `graphcore-v1.0`
_ROUND = re.compile(r"(?<![A-Za-z0-9])v\d{1,2}\.\d{1,2}(?![\d.])")
# Files beside the snapshots of a source that are not documents.
_OF_A_SOURCE = (SOURCE_FILE, FETCH_LOG, MAPPING_FILES)

Row = dict[str, Any]


class Store:
    """All that is stored: every document under `raw/<publisher>/<source>/<date>/`.

    A document without a `snapshot.yml` entry (dropped in by hand) is taken with what its path says.

    Attributes:
        documents: Rows of `raw.documents`, ordered by path.
        sources: Rows of `raw.sources`, ordered by name.
        attempts: Attempts to fetch, by source in their order.
        sightings: Rows of `raw.sightings`, ordered by path and time.
        faults: What could not be taken up, ordered by path.
    """

    def __init__(self, raw: Path) -> None:
        self._raw = raw
        self.documents, self.sources, self.sightings = list[Row](), list[Row](), list[Row]()
        self.attempts: list[Attempt] = []
        self.faults = refused_objects(raw)
        # Of several documents with the same bytes only the first is taken.
        known: dict[str, str] = {}
        by_source = self._listed()
        for folder in source_folders(raw):
            for row, moments in self._read_source(folder, by_source[folder]):
                if future := _future_date(row, moments):
                    self.faults.append(Fault(row["path"], "future_date", future))
                    continue
                first = known.setdefault(row["document_id"], row["path"])
                if first != row["path"]:
                    reason = f"duplicate of {first}; remove one of the two"
                    self.faults.append(Fault(row["path"], "repeated_document", reason))
                    continue
                self.documents.append(row)
                for moment in moments:
                    seen = {"snapshot_on": moment.date(), "snapshot_at": moment}
                    self.sightings.append(row | seen)
        self.faults.sort(key=lambda fault: (fault.path, fault.rule))

    @property
    def fetches(self) -> list[Row]:
        """Rows of `raw.fetches`."""
        rows = []
        for attempt in self.attempts:
            row = attempt.model_dump()
            row["http_status"] = row.pop("status")
            for name in ("attempted_at", "not_before"):
                row[name] = row[name] and in_utc(row[name])
            rows.append(row)
        return rows

    def _fault(self, path: Path, rule: str, reason: str) -> None:
        self.faults.append(Fault(path.relative_to(self._raw).as_posix(), rule, reason))

    def _listed(self) -> dict[Path, dict[Path, set[Path]]]:
        """The documents that are there, by the folder of their day, by that of their source."""
        found: dict[Path, dict[Path, set[Path]]] = defaultdict(lambda: defaultdict(set))
        # It may hold thousands of files.
        of_submission = lru_cache(maxsize=None)(is_submission)
        for path in visible_files(self._raw, self.faults):
            parts = path.relative_to(self._raw).parts
            document, depth = self._raw.joinpath(*parts[:4]), len(parts)
            if depth == 4 or (depth > 4 and of_submission(document)):
                day = found[document.parents[1]][document.parent]
                if path.name != SNAPSHOT_FILE or depth > 4:
                    day.add(document)
            # A README above the snapshots explains the store; one among the documents of a day is a
            # document.
            elif depth > 4 or not (
                path.name.casefold() == "readme.md"
                or (depth == 3 and any(map(path.match, _OF_A_SOURCE)))
            ):
                reason = "documents must be at <publisher>/<source>/<date>/<document>; use `benchledger add`"
                self._fault(path, "misplaced_file", reason)
        return found

    def _read_source(
        self, folder: Path, by_day: dict[Path, set[Path]]
    ) -> Iterator[tuple[Row, list[datetime]]]:
        """Rows of the documents of a source, each with the moments in which it was seen."""
        registered = read_source(self._raw, folder.relative_to(self._raw).as_posix())
        self.faults += registered.faults
        self.attempts += registered.attempts
        source, mapping = registered.source, folder / MAPPING_FILE
        of_source: Row = {"source": registered.name, "publisher": source.publisher}
        self.sources.append(source.model_dump() | of_source)
        of_source["mapping_sha256"] = sha256_of(mapping) if mapping.is_file() else None
        for day in sorted(by_day, key=lambda day: f"{day.name}/"):
            for document, entry in self._read_snapshot(day, by_day[day]):
                yield self._row(document, source, entry) | of_source, moments_of(entry)

    def _read_snapshot(self, day: Path, present: set[Path]) -> Iterator[tuple[Path, Captured]]:
        """The documents of a day whose bytes are those of their sidecar, with their entries."""
        captured: dict[Path, Captured] = {}
        if (path := day / SNAPSHOT_FILE).exists():
            try:
                captured = {
                    day / entry.file: entry for entry in read_sidecar(path, Snapshot).documents
                }
            except SidecarError as error:
                # Without a readable sidecar, the documents cannot be verified.
                reason = f"{error}; its documents were not read: correct it, or delete it and add them again"
                self._fault(path, "wrong_sidecar", reason)
                return
        for path in captured.keys() - present:
            reason = f"{SNAPSHOT_FILE} lists the document, but the file is missing; restore it"
            self._fault(path, "missing_document", reason)
        for path in sorted(present, key=lambda path: path.name):
            try:
                document_id = sha256_of(path)
            except OSError as error:
                reason = f"it cannot be opened: {error.strerror}; check permissions"
                self._fault(path, "unreadable_document", reason)
                continue
            entry = captured.get(path) or _by_hand(path, document_id)
            if entry.sha256 != document_id:
                reason = (
                    f"the file changed after it was captured (sha256 {document_id[:12]}..., {SNAPSHOT_FILE} "
                    f"has {entry.sha256[:12]}...); restore it, or add the changed file as a new snapshot"
                )
                self._fault(path, "changed_bytes", reason)
                continue
            yield path, entry

    def _row(self, path: Path, source: Source, entry: Captured) -> Row:
        title = entry.title or source.title
        named = _ROUND.search(f"{title or ''} {path.parents[1].name}")
        snapshot_at = moment_of(entry)
        stated = {"format", "charset", "media_type", "edition", "published_on"}
        return entry.model_dump(include=stated) | {
            "document_id": entry.sha256,
            "interest": source.interest,
            "title": title,
            "round": named[0] if named else None,
            "url": entry.url or source.url,
            "retrieved_at": in_utc(entry.retrieved_at),
            "bytes": size_of(path),
            "path": path.relative_to(self._raw).as_posix(),
            "snapshot_on": snapshot_at.date(),
            "snapshot_at": snapshot_at,
        }


def _by_hand(path: Path, document_id: str) -> Captured:
    """The entry of a document that was dropped into the folder of a day, by what its path says."""
    return Captured.model_construct(
        file=path.name,
        sha256=document_id,
        media_type=media_type_at(path),
        published_on=_date_of(path.parent.name),
        retrieved_at=datetime.fromtimestamp(path.stat().st_mtime, UTC),
    )


def read_store(raw: Path) -> Store:
    """Every document under `raw/`, and a fault for each that differs from its sidecar."""
    return Store(raw)


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes, in hex; of a submission that of its files and their paths."""
    if path.is_dir():
        return submission_digest(path)
    return checksum(path)


def size_of(path: Path) -> int:
    """Bytes of a document."""
    return submission_size(path) if path.is_dir() else path.stat().st_size


def media_type_at(path: Path) -> str:
    """The media type of a document by its name."""
    # Imported here: a build that finds nothing changed opens no document.
    from pipelines.read.files import media_type_of

    return MEDIA_TYPE if path.is_dir() else media_type_of(path.name)


def is_in_future(day: date) -> bool:
    """Whether a day is after tomorrow: somewhere on earth it is tomorrow already."""
    return day > datetime.now(UTC).date() + timedelta(days=1)


def _future_date(row: Mapping[str, Any], moments: Sequence[datetime]) -> str | None:
    """Why a document is not taken that would be the newest of its source for years, by a wrong
    date.
    """
    days = {
        "published_on": row["published_on"],
        "retrieved_at": row["retrieved_at"].date(),
        "seen": moments[-1].date(),
    }
    for name, day in days.items():
        if day and is_in_future(day):
            return f"{name} is {day}, which is in the future; correct the date in {SNAPSHOT_FILE} or of the folder"
    return None


def _date_of(folder: str) -> date | None:
    try:
        return within_years(date.fromisoformat(folder))
    except ValueError:
        return None


@dataclass(frozen=True)
class Stored:
    """A document in the store.

    Attributes:
        path: The stored file.
        entry: Its entry in `snapshot.yml`: sha256, size, format, dates, edition.
        is_new: False if the same bytes were already stored.
    """

    path: Path
    entry: Captured
    is_new: bool


def find_stored(raw: Path, digest: str) -> Stored | None:
    """The stored document with these bytes, or None. Sidecars that cannot be read are left to the
    build to report.
    """
    return next(
        (one for source in source_folders(raw) for one in stored_documents(source, digest)), None
    )


def stored_documents(folder: Path, digest: str = "") -> list[Stored]:
    """The stored documents of a source, or those with these bytes, in the order of their snapshots.

    Sidecars that cannot be read are left to the build to report: nothing can be compared with what
    they list.
    """
    found = []
    for day in folders_in(folder):
        try:
            # Most do not list it, and looking for it is quicker than reading YAML.
            is_listed = digest.encode() in (day / SNAPSHOT_FILE).read_bytes()
            entries = read_sidecar(day / SNAPSHOT_FILE, Snapshot).documents if is_listed else []
        except (SidecarError, OSError):
            continue
        for entry in entries:
            if (not digest or entry.sha256 == digest) and (day / entry.file).exists():
                found.append(Stored(day / entry.file, entry, is_new=False))
    return sorted(
        found, key=lambda one: (moment_of(one.entry), one.entry.retrieved_at.astimezone(UTC))
    )


def state_of_store(raw: Path) -> tuple[str, float]:
    """Hash of all that is a reason to build, and when the last visible file beside the logs
    changed.

    Names, sizes and times of the visible files count, and of each fetch log whether its source was
    seen at the last attempt, and if not, what came of that.
    """
    digest, changed_at = hashlib.sha256(), 0.0
    for path in sorted(visible_files(raw, [])):
        place, status = path.relative_to(raw), path.stat()
        if path.name == FETCH_LOG and len(place.parts) == 3:
            state = _outcome(path.parent)
        else:
            state = f"{status.st_size} {status.st_mtime_ns}"
            changed_at = max(changed_at, status.st_mtime)
        digest.update(f"{place.as_posix()}\0{state}\n".encode())
    return digest.hexdigest(), changed_at


def _outcome(folder: Path) -> str:
    try:
        attempts = read_attempts(folder)
    except FetchLogError as error:
        return str(error)
    outcome = attempts[-1].outcome if attempts else "never"
    return "seen" if outcome in SEEN else outcome
