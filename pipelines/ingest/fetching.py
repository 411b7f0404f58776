"""A round of fetching: each source once, sources of different hosts side by side, one outcome per attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from pipelines.ingest.capture import capture
from pipelines.ingest.fetch_log import SEEN, Attempt, append_attempt
from pipelines.ingest.hosts import Hosts
from pipelines.ingest.http import Answer, Browser, FetchError, Limits
from pipelines.ingest.pages import fetch_page
from pipelines.ingest.registry import RegisteredSource

LOCK_FILE = ".fetch.lock"
_GONE = (404, 410)
_REFUSED = (401, 402, 403, 407, 451)

Report = Callable[[Attempt], None]


class FetchingError(Exception):
    """A round that cannot begin; the message says why."""


def fetch_sources(
    sources: Sequence[RegisteredSource],
    raw: Path,
    limits: Limits | None = None,
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
        FetchingError: Another round of fetching into this store is running.
    """
    raw.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(raw / LOCK_FILE, timeout=0):
            return asyncio.run(_round(sources, raw, limits or Limits(), report))
    except Timeout:
        raise FetchingError(f"another fetch into {raw} is running; wait for it to end") from None


async def _round(sources: Sequence[RegisteredSource], raw: Path, limits: Limits, report: Report) -> list[Attempt]:
    hosts = Hosts()

    async def one(source: RegisteredSource) -> Attempt:
        attempt = await _attempt(source, hosts, raw, limits)
        append_attempt(source.folder, attempt)
        report(attempt)
        return attempt

    return list(await asyncio.gather(*(one(source) for source in sources)))


async def _attempt(source: RegisteredSource, hosts: Hosts, raw: Path, limits: Limits) -> Attempt:
    url, now = source.source.url or "", datetime.now(UTC).replace(microsecond=0)
    if source.fault:
        return Attempt(source=source.name, url=url, attempted_at=now, outcome="failed", reason=source.fault)
    browser = Browser(limits, source.source.allow_hosts)
    before = _last_seen(source, url)
    outcome: dict[str, object]
    try:
        answer = await fetch_page(browser, hosts, url, _conditions(before))
        outcome = _outcome(answer, source, before, raw)
    except FetchError as error:
        outcome = {
            "outcome": error.outcome,
            "reason": str(error),
            "status": error.status,
            "not_before": error.not_before,
        }
    except OSError as error:
        outcome = {"outcome": "failed", "reason": f"the page could not be stored: {error}"}
    finally:
        await browser.close()
    common = {"source": source.name, "url": url, "attempted_at": now, "requests": browser.requests}
    return Attempt.model_validate(common | outcome)


def _last_seen(source: RegisteredSource, url: str) -> Attempt | None:
    """The last look at the page at this address, if the snapshot it led to is still there."""
    seen = [attempt for attempt in source.attempts if attempt.outcome in SEEN and attempt.url == url]
    return seen[-1] if seen and any(source.folder.glob("*/snapshot.yml")) else None


def _conditions(before: Attempt | None) -> dict[str, str]:
    headers = {}
    if before and before.etag:
        headers["if-none-match"] = before.etag
    if before and before.last_modified:
        headers["if-modified-since"] = before.last_modified
    return headers


def _outcome(answer: Answer, source: RegisteredSource, before: Attempt | None, raw: Path) -> dict[str, object]:
    """What an answer means for the source, as fields of an attempt."""
    fields: dict[str, object] = {"status": answer.status, "final_url": answer.url}
    if answer.status == 304 and before:
        same = {"etag": before.etag, "last_modified": before.last_modified, "document_id": before.document_id}
        return fields | same | {"outcome": "unchanged"}
    if answer.status in _GONE:
        return fields | {"outcome": "gone", "reason": f"the server answers {answer.status}: there is no such page"}
    if answer.status in _REFUSED:
        return fields | {"outcome": "blocked", "reason": f"the server answers {answer.status}: it refuses the page"}
    if answer.status != 200:
        return fields | {"outcome": "failed", "reason": f"the server answers {answer.status}"}
    now = datetime.now(UTC).replace(microsecond=0)
    verdict = capture(answer.body, answer.media_type, answer.url, source.name, raw, now)
    fields |= {
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "document_id": verdict.document_id,
        "media_type": answer.media_type or None,
        "bytes": len(answer.body),
    }
    if verdict.outcome in SEEN:
        fields |= {"etag": answer.headers.get("etag"), "last_modified": answer.headers.get("last-modified")}
    return fields
