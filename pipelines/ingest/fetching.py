"""A round of fetching: each source once, sources of different hosts side by side, one outcome per
attempt.

A fetched body is compared with the snapshots that its source has: it is new, the same again, or
nothing that can be stored.
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from filelock import FileLock, Timeout

from pipelines.exceptions import BenchledgerError, WrongUseError
from pipelines.ingest.fetch_log import SEEN, Attempt, append_attempt
from pipelines.ingest.http import Answer, Browser, FetchError, Host, RequestLimits
from pipelines.ingest.mirror import Outcome, commit
from pipelines.ingest.registry import RegisteredSource
from pipelines.ingest.sidecars import (
    SNAPSHOT_FILE,
    Snapshot,
    moment_of,
    read_sidecar,
    write_sidecar,
)
from pipelines.ingest.snapshots import (
    IngestError,
    add_document,
    alone,
)
from pipelines.ingest.store import Stored, sha256_of, stored_documents
from pipelines.read.document import Document
from pipelines.read.files import ask_of
from pipelines.yaml_files import load_yaml

LOCK_FILE = ".fetch.lock"
# Seconds that a fetch waits for another one into the same store.
_PATIENCE_S = 120
_MEANINGS = dict.fromkeys((404, 410), ("gone", ": page not found")) | dict.fromkeys(
    (401, 402, 403, 407, 451), ("blocked", ": access denied")
)

Report = Callable[[Attempt], None]


def fetch_sources(
    sources: Sequence[RegisteredSource],
    raw: Path,
    limits: RequestLimits | None = None,
    report: Report = lambda attempt: None,
) -> list[Attempt]:
    """Look at sources now, store what is new, and add one line per source to its log.

    Args:
        sources: Sources with a url; whether they are due does not matter here.
        raw: Root of the store.
        limits: What one request may cost.
        report: Called with each attempt as it ends.

    Returns:
        One attempt per page of a source, in the order of the sources. A source that fails does not
        stop the others.

    Raises:
        BenchledgerError: Another round of fetching into this store is running, or nothing can be
            written to it.
    """
    try:
        raw.mkdir(parents=True, exist_ok=True)
        with FileLock(raw / LOCK_FILE, timeout=_PATIENCE_S):
            return asyncio.run(_round(sources, raw, limits or RequestLimits(), report))
    except Timeout:
        reason = f"another fetch into {raw} is running"
        raise BenchledgerError(reason, hint="wait until it has finished") from None
    except OSError as error:
        raise BenchledgerError(f"cannot write to {raw}: {error.strerror}") from error


async def _round(
    sources: Sequence[RegisteredSource], raw: Path, limits: RequestLimits, report: Report
) -> list[Attempt]:
    hosts, storing = defaultdict[str, Host](Host), asyncio.Lock()

    async def one(source: RegisteredSource) -> Attempt:
        attempt = Attempt(source=source.name, url=source.url, attempted_at=_now(), outcome="failed")
        looking = asyncio.ensure_future(_look(source, hosts, raw, limits, storing))
        with suppress(asyncio.CancelledError):
            await asyncio.gather(looking, return_exceptions=True)
        # What was stored before the round was interrupted is logged.
        fault = looking.exception()
        if not isinstance(fault, Exception):
            found = looking.result()
        else:
            # An unexpected error affects only this source; the others are fetched.
            found = {"reason": f"internal error: {type(fault).__name__}: {fault}"}
        looked = attempt.model_copy(update=found)
        try:
            await _to_the_end(raw, source, partial(append_attempt, source.folder, looked))
        except OSError as error:
            reason = f"the outcome could not be recorded: {error}"
            looked = attempt.model_copy(update={"reason": reason})
        report(looked)
        return looked

    pages = [page for source in sources for page in source.pages]
    return list(await asyncio.gather(*map(one, pages)))


async def _to_the_end(raw: Path, source: RegisteredSource, work: Callable[[], Outcome]) -> Outcome:
    """What is stored or logged of a source: it ends, and an interrupted round with it, once begun."""
    # Reading a page takes its time, and the clocks of the other requests go on.
    task = asyncio.ensure_future(asyncio.to_thread(commit, raw, source.name, work))
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return task.result()


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


async def _look(
    source: RegisteredSource,
    hosts: defaultdict[str, Host],
    raw: Path,
    limits: RequestLimits,
    storing: asyncio.Lock,
) -> dict[str, object]:
    """What is found at the address of a source, as fields of an attempt."""
    if source.fault:
        return {"reason": source.fault}
    url, browser = source.url, Browser(limits, hosts, source.source.allow_hosts)
    before = _last_seen(source)
    stated = (
        {"if-none-match": before.etag, "if-modified-since": before.last_modified} if before else {}
    )
    # A header is ASCII; with other values the whole page is requested.
    conditions = {name: value for name, value in stated.items() if value and value.isascii()}
    outcome: dict[str, object]
    try:
        answer = await browser.fetch(url, conditions, before.final_url or url if before else url)
        async with storing:
            understood = partial(_outcome, answer, source, before if conditions else None, raw)
            outcome = await _to_the_end(raw, source, understood)
    except FetchError as error:
        outcome = {"outcome": error.outcome, "reason": str(error), "status": error.status}
        until = error.not_before
        outcome["not_before"] = until and until.replace(microsecond=0)
    except OSError as error:
        outcome = {"reason": f"the page could not be stored: {error}"}
    finally:
        await browser.close()
    return outcome | {"requests": browser.requests}


def _last_seen(source: RegisteredSource) -> Attempt | None:
    """The last look at the page at this address, if the snapshot it read like is still there as it
    was captured.
    """
    newest_first = reversed(source.attempts)
    seen = next(
        (one for one in newest_first if one.outcome in SEEN and one.url == source.url), None
    )
    # The newest one is another where a look broke off before it was logged: "not modified" would be
    # about the other.
    stored = _of_page(stored_documents(source.folder), source.url, source.source.urls)
    if seen and stored:
        newest = stored[-1]
        if seen.document_id == newest.entry.sha256 == sha256_of(newest.path):
            return seen
    return None


def _page(url: str | None, urls: Sequence[str]) -> str:
    """The address of a further page, or nothing for any other address, which is the page itself."""
    return url if url and url in urls else ""


def _of_page(documents: Sequence[Stored], url: str, urls: Sequence[str]) -> list[Stored]:
    """The documents of the page at an address."""
    page = _page(url, urls)
    return [one for one in documents if _page(one.entry.url, urls) == page]


def _outcome(
    answer: Answer, source: RegisteredSource, before: Attempt | None, raw: Path
) -> dict[str, object]:
    """What an answer means for the source, as fields of an attempt."""
    fields: dict[str, object] = {"status": answer.status, "final_url": answer.url}
    if answer.status == 304 and before and answer.url == (before.final_url or before.url):
        fields |= before.model_dump(include={"etag", "last_modified", "document_id"})
        return fields | {"outcome": "unchanged"}
    if answer.status != 200:
        outcome, words = _MEANINGS.get(answer.status, ("failed", ""))
        reason = f"the server returned {answer.status}{words}"
        return fields | {"outcome": outcome, "reason": reason}
    fields |= {"media_type": answer.media_type or None, "bytes": len(answer.body)}
    try:
        result, why, fields["document_id"] = capture(answer, source, raw)
    except WrongUseError as error:
        return fields | {"reason": str(error)}
    fields["etag"] = answer.headers.get("etag")
    fields["last_modified"] = answer.headers.get("last-modified")
    return fields | {"outcome": result, "reason": why}


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
    """Hash of the content of a document, without full dates and hexadecimal identifiers.

    Args:
        document: Its lines, in order, and what is drawn on its pages: a bar without a number is a
            value, too. Blank lines and the blanks within a line do not count either.
    """
    digest = hashlib.sha256()
    for line in document.lines:
        words = " ".join(_VOLATILE.sub("<token>", line.text).split())
        if words:
            digest.update(words.encode("utf-8", "surrogatepass") + b"\n")
    for page in document.pages:
        for shape in page.shapes:
            points = shape.box[:2], shape.box[2:], *shape.points
            corners = [(round(x, 1), round(y, 1)) for x, y in points]
            digest.update(f"{page.number} {shape.kind} {corners}\n".encode())
    return digest.hexdigest()


# What benchmarks are published as, with the suffix a snapshot gets; text of any kind is read as
# text.
_SUFFIXES: dict[str, str] = load_yaml(Path(__file__).with_name("media_types.yml"))
# Default types of servers; then the address decides.
_UNKNOWN_TYPES = ("", "application/octet-stream", "binary/octet-stream")
_NO_NAME = re.compile(r"[^\w.-]+")
# In bytes: file systems count these, and a suffix is still to come.
_LONGEST_NAME = 80


def capture(answer: Answer, source: RegisteredSource, raw: Path) -> tuple[str, str | None, str]:
    """Store a fetched page as the next snapshot of its source, if its content has changed.

    Returns:
        `changed` or `unchanged`, a sentence or None, and the stored document that it reads like.

    Raises:
        IngestError: Nothing can be stored of it.
    """
    media_type, urls, now = answer.media_type, source.source.urls, _now()
    # Of a further page its address in `source.yml`, wherever it leads.
    url = _page(source.url, urls) or answer.url
    name = _file_name(media_type, url)
    if name is None:
        known = ", ".join(sorted(_SUFFIXES))
        raise IngestError(f"the media type is {media_type or 'not stated'}; supported are {known}")
    if not answer.body.removeprefix(codecs.BOM_UTF8).strip():
        raise IngestError("the server returned an empty page")
    documents = stored_documents(source.folder)
    snapshots = _of_page(documents, url, urls)
    latest = snapshots[-1] if snapshots else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(answer.body)
        digest = sha256_of(file)
        if latest and latest.entry.sha256 == digest:
            return "unchanged", None, digest
        if latest:
            new = ask_of(file, answer.charset, content_digest)
            if new and new == ask_of(latest.path, latest.entry.charset, content_digest):
                reason = "the bytes changed, but the content did not"
                return "unchanged", reason, latest.entry.sha256
        seen = next((one for one in snapshots if one.entry.sha256 == digest), None)
        if seen:
            _see_again(seen, raw, now)
        else:
            add_document(
                file,
                source.name,
                raw,
                url=url,
                media_type=media_type or None,
                charset=answer.charset,
                now=now,
                snapshot_at=now,
            )
    # A snapshot has every page: the last document of each other one is seen again.
    newest = {_page(one.entry.url, urls): one for one in documents}
    newest.pop(_page(url, urls), None)
    for other in newest.values():
        _see_again(other, raw, now)
    if seen:
        return "changed", f"same content as on {moment_of(seen.entry):%Y-%m-%d}", digest
    return "changed", None if latest else "the first snapshot", digest


def _see_again(stored: Stored, raw: Path, now: datetime) -> None:
    sidecar = stored.path.parent / SNAPSHOT_FILE
    known = {"seen_again_at": [*stored.entry.seen_again_at, now]}
    with alone(raw):
        entries = read_sidecar(sidecar, Snapshot).documents
        noted = [
            entry.model_copy(update=known) if entry.file == stored.entry.file else entry
            for entry in entries
        ]
        write_sidecar(sidecar, Snapshot(documents=noted))


def _file_name(media_type: str, url: str) -> str | None:
    """A file name with the suffix of the content, or None for what cannot be read."""
    path = PurePosixPath(unquote(urlsplit(url).path))
    name = _NO_NAME.sub("-", path.stem).encode()[:_LONGEST_NAME].decode(errors="ignore")
    stem = name.strip("-.") or "page"
    suffix, stated = _SUFFIXES.get(media_type), path.suffix.lower()
    # Repositories serve tables and Markdown as plain text, and some servers know no type; the
    # address knows better.
    if stated in _SUFFIXES.values() and (suffix == ".txt" or media_type in _UNKNOWN_TYPES):
        suffix = stated
    return stem + suffix if suffix else None
