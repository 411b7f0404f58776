"""Adding a document to the store: an immutable copy, and its entry in the sidecar."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from signal import SIGINT, SIGTERM, raise_signal, signal
from threading import current_thread, main_thread

from filelock import FileLock, Timeout

from pipelines.exceptions import WrongUseError
from pipelines.extract.contract import detect_format, formats
from pipelines.ingest.files import is_inside, source_folders
from pipelines.ingest.sidecars import (
    SNAPSHOT_FILE,
    SOURCE_FILE,
    SOURCE_HINT,
    SOURCE_NAME,
    Captured,
    SidecarError,
    Snapshot,
    Source,
    checked,
    read_sidecar,
    write_sidecar,
)
from pipelines.ingest.store import (
    Stored,
    find_stored,
    is_in_future,
    media_type_at,
    sha256_of,
    size_of,
    stored_documents,
)
from pipelines.object_addresses import shown
from pipelines.own_files import give_name, is_folder, is_regular, work_folder
from pipelines.read.document import Document, ReadError
from pipelines.read.files import ask_of, beginning_of, check_file
from pipelines.read.submission import is_packed, is_submission, members, submission_digest

_LOCK_FILE = ".store.lock"
# Where a document is copied to before it has its name.
_WORK = "store"
# A document is stored in less than a second.
_PATIENCE_S = 60
_MANY_FILES = (
    "to add many files at once, copy them to raw/PUBLISHER/SOURCE/YYYY-MM-DD/, "
    "and run `benchledger build`"
)
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
# `Tuesday, July 4, 2023`, `Jun 30, 2021`
_DATE = re.compile(rf"\b(?P<month>{_MONTHS})[a-z]*\.?\s+(?P<day>\d{{1,2}}),?\s+(?P<year>20\d\d)\b")
# `This page was last updated on ...`, `Published: ...`, or a line that is only the date
_DATED = re.compile(r"\b(?:last\s+)?(?:updated|published|posted|modified)\b", re.IGNORECASE)


class IngestError(WrongUseError):
    """A document that cannot be stored; the message has the reason and what to do."""


def add_document(
    file: Path,
    source: str,
    raw: Path,
    *,
    published_on: date | None = None,
    format: str | None = None,
    title: str | None = None,
    url: str | None = None,
    interest: str | None = None,
    media_type: str | None = None,
    charset: str | None = None,
    now: datetime | None = None,
    snapshot_at: datetime | None = None,
) -> Stored:
    """Store a file, or the folder of a submission, as an immutable snapshot of a source.

    Args:
        file: The file or folder as captured; it is copied and not touched. Of a folder the logs of
            results and the descriptions of systems are stored, with their paths; a zip file stays
            one.
        source: `publisher/source`.
        raw: Root of the store.
        published_on: Day of publication; found in the text where it states one and none is given.
        format: Source format; found from the content where none is given.
        title: Title of the source, kept when the source is new.
        url: Address the file was captured from.
        interest: The publisher's interest, kept when the source is new.
        media_type: Media type the server stated, for what was fetched.
        charset: Encoding the server named, for what was fetched.
        now: Time of capture, by default the present.
        snapshot_at: What orders it among the snapshots of the source, for what was fetched.

    Raises:
        IngestError: The source is no `publisher/source`, the file is missing, empty, too large or
            has a name that is none in the store, its bytes are a document of another source, a date
            is in the future, or a sidecar in the way cannot be read.
        WrongUseError: A field has a wrong value.
    """
    # A folder that somebody has made by hand may have any name, `Acme Corp/Results 2026`.
    if not SOURCE_NAME.fullmatch(source) and raw / source not in source_folders(raw):
        raise IngestError(f"{source!r} is not a source", hint=SOURCE_HINT)
    _check_exists(file)
    try:
        if file.is_file():
            check_file(file, charset)
        digest = sha256_of(file)
        digests = [digest]
        if is_packed(file):
            # Its files may be stored as a folder.
            digests.append(submission_digest(file))
    except ReadError as error:
        raise IngestError(f"{file.name} is not stored: {error.reason}") from error
    except OSError as error:
        raise IngestError(f"{file} cannot be read: {error.strerror}") from error
    stored = (find_stored(raw, each) for each in digests)
    if known := next(filter(None, stored), None):
        _check_same_source(known, raw / source)
        return known
    recognised = format
    if found := _look_at(file, charset):
        recognised = format or _expected_format(raw / source, found[0])
        # The days that logs print are those of their runs.
        of_runs = file.is_dir() or is_packed(file)
        published_on = published_on or (None if of_runs else found[1])
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    if published_on and is_in_future(published_on):
        if snapshot_at is None:
            hint = "give the day of publication with --published-on"
            raise IngestError(f"{published_on} is in the future", hint=hint)
        # What a fetched page prints is then another date.
        published_on = None
    folder = raw / source / (snapshot_at or published_on or now).strftime("%Y-%m-%d")
    if not is_inside(raw, folder):
        reason = f"{folder} is reached by a link that leaves the store"
        raise IngestError(reason, hint="remove the link")
    with alone(raw):
        listed = _listed(folder)
        new_source = checked(
            Source,
            publisher=source.split("/")[0],
            title=title,
            url=url,
            formats=[recognised] if recognised else [],
            interest=interest,
        )
        entry = checked(
            Captured,
            file=_free_name(folder, file.resolve().name, digest, listed),
            sha256=digest,
            bytes=size_of(file),
            media_type=media_type or media_type_at(file),
            charset=charset,
            format=recognised,
            url=url,
            published_on=published_on,
            retrieved_at=now,
            snapshot_at=snapshot_at,
        )
        with work_folder(raw / _WORK) as work:
            _store(file, folder, entry, listed, work)
        if not (path := raw / source / SOURCE_FILE).exists():
            write_sidecar(path, new_source)
    return Stored(folder / entry.file, entry, is_new=True)


def remove_document(path: Path, raw: Path) -> list[str]:
    """Take a stored document out of the store, with its entry; the source stays.

    Args:
        path: The document.
        raw: Root of the store.

    Returns:
        What was removed, below `raw/`.

    Raises:
        IngestError: Its sidecar cannot be read, or nothing can be written.
    """
    folder = path.parent
    with alone(raw):
        others = [entry for entry in _listed(folder) if entry.file != path.name]
        files = [path / name for name in members(path)] if path.is_dir() else [path]
        if others:
            write_sidecar(folder / SNAPSHOT_FILE, Snapshot(documents=others))
        elif (folder / SNAPSHOT_FILE).exists():
            files.append(folder / SNAPSHOT_FILE)
        for file in files:
            file.unlink()
        for file in sorted(files, reverse=True):
            # A file of somebody else keeps its folder.
            with suppress(OSError):
                for place in file.parents[: len(file.relative_to(folder).parts)]:
                    place.rmdir()
    return [file.relative_to(raw).as_posix() for file in files]


def _check_same_source(known: Stored, folder: Path) -> None:
    """Refuse a document that another source has: the same bytes are one document."""
    if known.path.parents[1].resolve() != folder.resolve():
        source = "/".join(known.path.parts[-4:-2])
        reason = f"the same bytes are stored already as a document of {source}: {shown(known.path)}"
        hint = "a document has one source, store or register it only once"
        raise IngestError(reason, hint=hint)


def _check_exists(file: Path) -> None:
    shown = os.fsencode(file.resolve().name).decode("utf-8", "backslashreplace")
    if not shown.strip(".") or "\\" in shown:
        hint = "rename the file (UTF-8, no backslash)"
        raise IngestError(f"{shown} is not a valid document name", hint=hint)
    if file.is_dir():
        if not is_submission(file):
            inner = sorted(path.name for path in file.iterdir() if is_submission(path))
            hint = f"add one of the folders in it: {', '.join(inner)}" if inner else _MANY_FILES
            what = "results/<system>/<benchmark>/result_N.txt of a submission"
            raise IngestError(f"{file} contains no {what}", hint=hint)
        return
    if not file.is_file():
        raise IngestError(f"file not found: {file}")
    if file.stat().st_size == 0:
        raise IngestError(f"{file} is empty", hint="capture the document again")


@contextmanager
def alone(raw: Path) -> Iterator[None]:
    """Context with an exclusive lock on the store, which ends before an interrupt is raised:
    simultaneous writes to a sidecar would lose one of them, an interrupt the entry of a document.

    Raises:
        IngestError: Nothing can be written there, or somebody else does not end.
    """
    try:
        raw.mkdir(parents=True, exist_ok=True)
        with FileLock(raw / _LOCK_FILE, timeout=_PATIENCE_S), _uninterrupted():
            yield
    except Timeout:
        reason = f"another process is writing to {raw}"
        raise IngestError(reason, hint="wait until it has finished") from None
    except OSError as error:
        raise IngestError(f"cannot write to {raw}: {error.strerror or error}") from error


@contextmanager
def _uninterrupted() -> Iterator[None]:
    # Python interrupts no other thread.
    numbers = (SIGINT, SIGTERM) if current_thread() is main_thread() else ()
    came: list[int] = []
    before = [(number, signal(number, lambda got, _: came.append(got))) for number in numbers]
    try:
        yield
    finally:
        for each in before:
            signal(*each)
    for number in came:
        raise_signal(number)


def _expected_format(folder: Path, found: str | None) -> str | None:
    """The format a new document of a source is stored as: the one found, if the source is known for
    it.

    A page that shows nothing of what its source has had is stored as what it should be: then the
    build says that nothing of it was found, and a page that lost its tables does not pass for a
    page without news.
    """
    try:
        path = folder / SOURCE_FILE
        expected = read_sidecar(path, Source).formats if path.exists() else []
    except SidecarError:
        # The build reports its error.
        return found
    # A fetched source was registered before its content was known.
    expected = (
        expected or [one.entry.format for one in stored_documents(folder) if one.entry.format][-1:]
    )
    expected = [name for name in expected if name in formats()]
    return found if not expected or found in expected else expected[0]


def printed_date(document: Document) -> date | None:
    """The day of publication that the text states: after "last updated", or on a separate line near
    the top.
    """
    for line in document.lines:
        match = _DATE.search(line.text)
        if not match or not (
            _DATED.search(line.text[: match.start()]) or line.cell.text == match[0]
        ):
            continue
        try:
            return datetime.strptime(" ".join(match.group(1, 2, 3)), "%b %d %Y").date()
        except ValueError:
            continue
    return None


def _look_at(file: Path, charset: str | None) -> tuple[str | None, date | None] | None:
    """The format of a file and its printed date; None for one that cannot be read.

    A table at the beginning of a long page says its format, if no date may stand further down.
    """
    with beginning_of(file) as part:
        if part != file:
            name, day = ask_of(part, charset, _format_and_date) or (None, None)
            is_table = name is not None and formats()[name].FORMAT.mapping == "tables"
            if is_table and (day or not _DATE.search(file.read_text("utf-8", "replace"))):
                return name, day
    return ask_of(file, charset, _format_and_date)


def _format_and_date(document: Document) -> tuple[str | None, date | None]:
    return detect_format(document), printed_date(document)


def _free_name(folder: Path, name: str, digest: str, listed: Iterable[Captured]) -> str:
    """The file's own name, or with a piece of its hash where something else has that name.

    A file with these very bytes is the document itself: a capture was broken off before the sidecar
    was written.
    """
    # A hidden file is no document.
    path = folder / name.lstrip(".")
    taken = {SNAPSHOT_FILE, SOURCE_FILE}
    taken |= {entry.file for entry in listed if entry.sha256 != digest}
    for stem in (path.stem, f"{path.stem}-{digest[:8]}"):
        place = path.with_name(f"{stem}{path.suffix}")
        if place.name not in taken and (not os.path.lexists(place) or _holds(place, digest)):
            return place.name
    raise IngestError(f"something else has the name {place}; rename it")


def _holds(path: Path, digest: str) -> bool:
    try:
        return (is_regular(path) or is_folder(path)) and sha256_of(path) == digest
    except OSError:
        return False


def _listed(folder: Path) -> list[Captured]:
    sidecar = folder / SNAPSHOT_FILE
    try:
        return read_sidecar(sidecar, Snapshot).documents if sidecar.exists() else []
    except SidecarError as error:
        raise IngestError(f"{sidecar}: {error}", hint="correct it first") from error


def _store(
    file: Path, folder: Path, entry: Captured, listed: Iterable[Captured], work: Path
) -> None:
    copy, target = work / "document", folder / entry.file
    for name in members(file) if file.is_dir() else ("",):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file / name, copy / name)
    if sha256_of(copy) != entry.sha256:
        raise IngestError(f"{file} changed while it was copied", hint="add it again")
    folder.mkdir(parents=True, exist_ok=True)
    # One of this name that is there already has these very bytes.
    if not target.exists():
        give_name(copy, target)
    # What was listed under this name had these bytes and was lost; it is there again.
    others = [other for other in listed if other.file != entry.file]
    documents = sorted([*others, entry], key=lambda other: other.file)
    write_sidecar(folder / SNAPSHOT_FILE, Snapshot(documents=documents))
