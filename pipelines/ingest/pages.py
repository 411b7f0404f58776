"""A page as its owner lets it be fetched: robots.txt asked first, redirects followed, passing faults retried."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
from protego import Protego
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from pipelines.ingest.addresses import fault_of_address
from pipelines.ingest.http import REDIRECTS, USER_AGENT, Answer, Browser, FetchError, Host, Hosts, PassingError

# A longer delay than this is meant for crawlers that want everything; a page every day is none.
_LONGEST_DELAY_S = 30.0
# Beyond this much, a robots.txt need not be read (RFC 9309, 2.5).
_ROBOTS_BYTES = 500 * 1024


async def fetch_page(browser: Browser, hosts: Hosts, url: str, headers: dict[str, str], known: str) -> Answer:
    """The answer for a page, at the end of its redirects.

    Args:
        browser: What asks.
        hosts: The hosts of this round.
        url: Address of the page.
        headers: What makes the request conditional.
        known: The one address they are about; of another one, at the end of other redirects, they say nothing.

    Raises:
        FetchError: There is no answer: refused by robots.txt or by us, out of limits, or still failing after retries.
    """
    asked = [url]
    while True:
        host = _host_of(asked[-1], hosts)
        await _obey_robots(browser, hosts, host, asked[-1])
        answer = await _ask(browser, asked[-1], headers if asked[-1] == known else {}, host)
        if answer.status not in REDIRECTS:
            return answer
        asked.append(_target(asked, answer, browser.limits.redirects))


def _host_of(url: str, hosts: Hosts) -> Host:
    if fault := fault_of_address(url):
        raise FetchError(fault)
    return hosts[httpx.URL(url).host]


def _target(asked: list[str], answer: Answer, limit: int) -> str:
    """Where a redirect leads."""
    location = answer.headers.get("location")
    if not location:
        raise FetchError(f"the server answers {answer.status} and does not say where the page is", status=answer.status)
    try:
        target = str(httpx.URL(answer.url).join(location).copy_with(fragment=None))
    except httpx.InvalidURL as error:
        raise FetchError(f"the page is redirected to {location!r}, which is no address") from error
    if target in asked:
        raise FetchError(f"the page is redirected in a circle, back to {target}", status=answer.status)
    if len(asked) > limit:
        raise FetchError(f"the page is redirected more than {limit} times", status=answer.status)
    if answer.url.startswith("https:") and target.startswith("http:"):
        reason = f"the page is redirected from https to {target}, where anyone on the way could change it"
        raise FetchError(reason, outcome="blocked", status=answer.status)
    return target


async def _ask(browser: Browser, url: str, headers: dict[str, str], host: Host, cut_at: int | None = None) -> Answer:
    """One address, asked again after faults that may pass."""
    limits = browser.limits
    backoff = wait_exponential_jitter(multiplier=limits.backoff_s, max=limits.longest_wait_s, jitter=limits.backoff_s)

    def is_worth_another_try(error: BaseException) -> bool:
        return isinstance(error, PassingError) and (error.wait_s or 0) <= limits.longest_wait_s

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        stated = error.wait_s if isinstance(error, PassingError) else None
        return max(stated or 0.0, backoff(state))

    retrying = AsyncRetrying(
        retry=retry_if_exception(is_worth_another_try), stop=stop_after_attempt(limits.tries), wait=wait, reraise=True
    )
    try:
        answer: Answer = await retrying(browser.request, url, headers, host, cut_at)
    except PassingError as error:
        if not error.wait_s:
            raise
        not_before = datetime.now(UTC) + timedelta(seconds=error.wait_s)
        reason = f"{error} and asks to wait until {not_before:%Y-%m-%d %H:%M} UTC"
        raise FetchError(reason, status=error.status, not_before=not_before.replace(microsecond=0)) from error
    return answer


async def _obey_robots(browser: Browser, hosts: Hosts, host: Host, url: str) -> None:
    """Raise where the host's robots.txt does not allow the address."""
    parts = httpx.URL(url)
    origin = f"{parts.scheme}://{parts.netloc.decode()}"
    async with host.reading:
        if origin not in host.robots:
            host.robots[origin] = await _read_robots(browser, hosts, f"{origin}/robots.txt", host)
    rules = host.robots[origin]
    if rules is None:
        return
    if isinstance(rules, FetchError):
        raise FetchError(str(rules), status=rules.status, not_before=rules.not_before)
    if not rules.can_fetch(url, USER_AGENT):
        raise FetchError(f"{origin}/robots.txt does not allow {parts.path}", outcome="blocked")
    host.delay_s = min(float(rules.crawl_delay(USER_AGENT) or 0), _LONGEST_DELAY_S)


async def _read_robots(browser: Browser, hosts: Hosts, url: str, host: Host) -> Protego | FetchError | None:
    """The rules; None where there are none (any 4xx).

    While a server cannot say, nothing is allowed (RFC 9309, 2.3): the error says why, for all sources of the host, so
    that a server in trouble is not asked again for each of them.
    """
    asked = [url]
    try:
        answer = await _ask(browser, url, {}, host, _ROBOTS_BYTES)
        while answer.status in REDIRECTS:
            asked.append(_target(asked, answer, browser.limits.redirects))
            answer = await _ask(browser, asked[-1], {}, _host_of(asked[-1], hosts), _ROBOTS_BYTES)
    except FetchError as error:
        if error.outcome == "blocked":
            # Refused by us: another source may allow the host by name.
            raise
        reason = f"its robots.txt cannot be read: {error}"
        return FetchError(reason, status=error.status, not_before=error.not_before)
    if 400 <= answer.status < 500:
        return None
    if answer.status != 200:
        reason = f"its robots.txt cannot be read: the server answers {answer.status}"
        return FetchError(reason, status=answer.status)
    return Protego.parse(answer.body.decode("utf-8", "replace"))
