"""A fetched body beside the snapshots its source has: news, the same again, or nothing that can be stored."""

from __future__ import annotations

import codecs
import hashlib
import re
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from pipelines.ingest.fetch_log import Result
from pipelines.ingest.sidecars import SNAPSHOT_FILE, Snapshot, moment_of, read_sidecar, write_sidecar
from pipelines.ingest.snapshots import ARCHIVE_SUFFIX, IngestError, add_document, alone, unpack_submission
from pipelines.ingest.store import Stored, sha256_of, stored_documents
from pipelines.read.document import Document
from pipelines.read.files import ask_of
from pipelines.read.text import in_utf8

_DAY, _MONTH = (
    r"\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?",
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*",
)
_VOLATILE = re.compile(
    # `2026-11-21`, `2026-11-21T09:30:00Z`; not `2048`, which is a batch
    r"(?<![\w./-])20[0-3]\d-[01]\d-[0-3]\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?(?![\w/-])"
    # `Tuesday, July 4, 2023`
    rf"|{_DAY}{_MONTH}\.?\s+\d{{1,2}},?\s+20\d\d"
    # `Sat, 21 Nov 2026`
    rf"|{_DAY}\b\d{{1,2}}\s+{_MONTH}\.?,?\s+20\d\d"
    # `3f2b8c19-d07a-4f00-9abc-0123456789ab`, `3f2b8c19d07a`: a build number, a nonce, a request id
    r"|\b(?=[0-9a-f-]{0,64}\d)(?=[0-9a-f-]{0,64}[a-f])(?:[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b",
    re.IGNORECASE,
)


def content_digest(document: Document) -> str:
    """Hash of what a document says; full dates and hexadecimal identifiers do not count.

    Args:
        document: Its lines, in order, and what is drawn on its pages: a bar without a number is a value, too.
            Blank lines and the blanks within a line do not count either.
    """
    digest = hashlib.sha256()
    for line in document.lines:
        words = " ".join(_VOLATILE.sub("<token>", line.text).split())
        if words:
            digest.update(words.encode("utf-8", "surrogatepass") + b"\n")
    for page in document.pages:
        for shape in page.shapes:
            corners = [round(number, 1) for point in (shape.box[:2], shape.box[2:], *shape.points) for number in point]
            digest.update(f"{page.number} {shape.kind} {corners}\n".encode())
    return digest.hexdigest()


# What benchmarks are published as, with the suffix a snapshot gets; text of any kind is read as text.
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "text/csv": ".csv",
    "application/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/plain": ".txt",
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
}
# Said by servers that do not know; the address then says it.
_UNKNOWN_TYPES = ("", "application/octet-stream", "binary/octet-stream")
_NO_NAME = re.compile(r"[^\w.-]+")
# In bytes: file systems count these, and a suffix is still to come.
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Capture:
    """What a body means for its source; `document_id` is the stored snapshot it reads like."""

    outcome: Result
    reason: str | None = None
    document_id: str | None = None


def capture(
    body: bytes, media_type: str, charset: str | None, url: str, source: str, raw: Path, now: datetime
) -> Capture:
    """Store a fetched body as the next snapshot of its source, if it says anything new.

    Args:
        body: The page, decompressed.
        media_type: As the server stated it.
        charset: As the server stated it, or None.
        url: Where it was found, after redirects.
        source: `publisher/source`.
        raw: Root of the store.
        now: Time of capture, in UTC.
    """
    name = _file_name(media_type, url)
    if name is None:
        known = ", ".join(sorted(SUFFIXES))
        return Capture("failed", f"the page is {media_type or 'of no stated type'}; what can be read is {known}")
    if not body.removeprefix(codecs.BOM_UTF8).strip():
        return Capture("failed", "the server sent an empty page")
    snapshots = stored_documents(raw / source)
    latest = snapshots[-1] if snapshots else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(body)
        try:
            if file.suffix == ARCHIVE_SUFFIX:
                # It is stored as its files; how they were packed is no news.
                file, media_type = unpack_submission(file, Path(folder, "unpacked")), ""
            digest = sha256_of(file)
            if latest and latest.entry.sha256 == digest:
                # Only where it makes a difference: an entry that is written again starts a build.
                if latest.entry.charset is None and file.is_file() and in_utf8(body, charset) != body:
                    _note(latest, raw, charset=charset)
                    return Capture("unchanged", f"its server says now that it is in {charset}", digest)
                return Capture("unchanged", document_id=digest)
            if latest and _same_content(file, charset, latest):
                return Capture("unchanged", "the bytes differ, what is printed does not", latest.entry.sha256)
            for earlier in snapshots:
                if earlier.entry.sha256 == digest:
                    _note(earlier, raw, seen_again_at=[*earlier.entry.seen_again_at, now])
                    return Capture("changed", f"the page reads as on {moment_of(earlier.entry):%Y-%m-%d} again", digest)
            stored = add_document(
                file, source, raw, url=url, media_type=media_type or None, charset=charset, now=now, snapshot_at=now
            )
        except IngestError as error:
            return Capture("failed", str(error))
    if not stored.is_new:
        where = stored.path.relative_to(raw).as_posix()
        return Capture("failed", f"these very bytes are stored as {where}; one address for a page is enough")
    return Capture("changed", None if latest else "the first snapshot", digest)


def _same_content(file: Path, charset: str | None, latest: Stored) -> bool:
    new = ask_of(file, charset, content_digest)
    return new is not None and new == ask_of(latest.path, latest.entry.charset, content_digest)


def _note(stored: Stored, raw: Path, **known: object) -> None:
    """Write into the sidecar what is known of a document by now; the bytes stay, and all else that is said of them."""
    sidecar = stored.path.parent / SNAPSHOT_FILE
    with alone(raw):
        entries = read_sidecar(sidecar, Snapshot).documents
        noted = [entry.model_copy(update=known) if entry.file == stored.entry.file else entry for entry in entries]
        write_sidecar(sidecar, Snapshot(documents=noted))


def _file_name(media_type: str, url: str) -> str | None:
    """A file name with the suffix of the content, or None for what cannot be read."""
    path = PurePosixPath(unquote(urlsplit(url).path))
    stem = _NO_NAME.sub("-", path.stem).encode()[:_LONGEST_NAME].decode(errors="ignore").strip("-.") or "page"
    if media_type in SUFFIXES:
        suffix = SUFFIXES[media_type]
        # Repositories serve tables and Markdown as plain text; the address knows better.
        if suffix == ".txt" and path.suffix.lower() in SUFFIXES.values():
            suffix = path.suffix.lower()
        return stem + suffix
    if media_type in _UNKNOWN_TYPES and path.suffix.lower() in SUFFIXES.values():
        return stem + path.suffix.lower()
    return None
