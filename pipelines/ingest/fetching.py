"""A round of fetching: each source once, sources of different hosts side by side, one outcome per attempt."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from pipelines.ingest.capture import capture
from pipelines.ingest.fetch_log import SEEN, Attempt, append_attempt
from pipelines.ingest.http import Answer, Browser, FetchError, Host, RequestLimits
from pipelines.ingest.mirror import commit
from pipelines.ingest.registry import RegisteredSource
from pipelines.ingest.store import sha256_of, stored_documents

LOCK_FILE = ".fetch.lock"
_MEANINGS = dict.fromkeys((404, 410), ("gone", ": there is no such page")) | dict.fromkeys(
    (401, 402, 403, 407, 451), ("blocked", ": it refuses the page")
)

Report = Callable[[Attempt], None]


class FetchingError(Exception):
    """A round that cannot begin; the message says why."""


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
        One attempt per source, in the order of the sources. A source that fails does not stop the others.

    Raises:
        FetchingError: Another round of fetching into this store is running, or nothing can be written to it.
    """
    try:
        raw.mkdir(parents=True, exist_ok=True)
        with FileLock(raw / LOCK_FILE, timeout=0):
            return asyncio.run(_round(sources, raw, limits or RequestLimits(), report))
    except Timeout:
        raise FetchingError(f"another fetch into {raw} is running; wait for it to end") from None
    except OSError as error:
        raise FetchingError(f"nothing can be stored in {raw}: {error.strerror}") from error


async def _round(
    sources: Sequence[RegisteredSource], raw: Path, limits: RequestLimits, report: Report
) -> list[Attempt]:
    hosts, storing = defaultdict[str, Host](Host), asyncio.Lock()

    async def one(source: RegisteredSource) -> Attempt:
        [attempt] = await asyncio.gather(_attempt(source, hosts, raw, limits, storing), return_exceptions=True)
        if isinstance(attempt, BaseException):
            if not isinstance(attempt, Exception):
                raise attempt
            # Nobody foresaw it; it is this source's affair all the same, and the others are looked at.
            attempt = _failure(source, f"an error of the program: {type(attempt).__name__}: {attempt}")
        try:
            recorded = partial(append_attempt, source.folder, attempt)
            await asyncio.to_thread(commit, raw, source.name, recorded)
        except OSError as error:
            attempt = _failure(source, f"what became of it could not be recorded: {error}")
        report(attempt)
        return attempt

    return list(await asyncio.gather(*(one(source) for source in sources)))


def _failure(source: RegisteredSource, reason: str) -> Attempt:
    return Attempt(source=source.name, url=source.url, attempted_at=_now(), outcome="failed", reason=reason)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


async def _attempt(
    source: RegisteredSource, hosts: defaultdict[str, Host], raw: Path, limits: RequestLimits, storing: asyncio.Lock
) -> Attempt:
    if source.fault:
        return _failure(source, source.fault)
    url, now, browser = source.url, _now(), Browser(limits, hosts, source.source.allow_hosts)
    before = _last_seen(source)
    stated = {"if-none-match": before.etag, "if-modified-since": before.last_modified} if before else {}
    # A header is ASCII; a server that states anything else is asked for the whole page again.
    conditions = {name: value for name, value in stated.items() if value and value.isascii()}
    outcome: dict[str, object]
    try:
        answer = await browser.fetch(url, conditions, before.final_url or url if before else url)
        async with storing:
            # Reading a page takes its time, and the clocks of the other requests go on.
            understood = partial(_outcome, answer, source, before if conditions else None, raw)
            outcome = await asyncio.to_thread(commit, raw, source.name, understood)
    except FetchError as error:
        outcome = {"outcome": error.outcome, "reason": str(error), "status": error.status}
        outcome |= {"not_before": error.not_before.replace(microsecond=0)} if error.not_before else {}
    except OSError as error:
        outcome = {"outcome": "failed", "reason": f"the page could not be stored: {error}"}
    finally:
        await browser.close()
    common = {"source": source.name, "url": url, "attempted_at": now, "requests": browser.requests}
    return Attempt.model_validate(common | outcome)


def _last_seen(source: RegisteredSource) -> Attempt | None:
    """The last look at the page at this address, if the snapshot it read like is still there as it was captured."""
    looks = (run.first for run in reversed(source.runs))
    seen = next((look for look in looks if look.outcome in SEEN and look.url == source.url), None)
    # The newest one is another where a look broke off before it was logged: "not modified" would be about the other.
    stored = stored_documents(source.folder)[-1:] if seen else []
    is_there = any(one.entry.sha256 == seen.document_id == sha256_of(one.path) for one in stored) if seen else False
    return seen if is_there else None


def _was_not_logged(source: RegisteredSource, document_id: str | None) -> bool:
    """Whether the page was stored by a fetch, and no look is said to have found it as it is now."""
    seen = next((run.first.document_id for run in reversed(source.runs) if run.first.outcome in SEEN), None)
    stored = stored_documents(source.folder, document_id) if document_id and seen != document_id else []
    return any(one.entry.snapshot_at or one.entry.seen_again_at for one in stored)


def _outcome(answer: Answer, source: RegisteredSource, before: Attempt | None, raw: Path) -> dict[str, object]:
    """What an answer means for the source, as fields of an attempt."""
    fields: dict[str, object] = {"status": answer.status, "final_url": answer.url}
    if answer.status == 304 and before and answer.url == (before.final_url or before.url):
        return fields | before.model_dump(include={"etag", "last_modified", "document_id"}) | {"outcome": "unchanged"}
    if answer.status != 200:
        outcome, words = _MEANINGS.get(answer.status, ("failed", ""))
        return fields | {"outcome": outcome, "reason": f"the server answers {answer.status}{words}"}
    verdict = capture(answer.body, answer.media_type, answer.charset, answer.url, source.name, raw, _now())
    if verdict.outcome == "unchanged" and _was_not_logged(source, verdict.document_id):
        verdict = replace(verdict, outcome="changed", reason="stored by a fetch that broke off before it said so")
    fields |= asdict(verdict) | {"media_type": answer.media_type or None, "bytes": len(answer.body)}
    if verdict.outcome in SEEN:
        fields |= {"etag": answer.headers.get("etag"), "last_modified": answer.headers.get("last-modified")}
    return fields
