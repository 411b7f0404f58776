"""Fetches a page over HTTP within limits and by robots.txt; returns the response, or the reason for
none.

Nothing that is fetched is executed or rendered. An address that is not public is asked only if it
is allowed by name. robots.txt is asked first. To one host one request is made at a time, with a
pause between two. What the answer means for a source is in `fetching.py`.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import re
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime

import httpx
from protego import Protego
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from pipelines.exceptions import BenchledgerError
from pipelines.ingest.addresses import AddressRefusedError, fault_of_address, resolve

USER_AGENT = "benchledger/0.1 (benchmark archive; honours robots.txt)"
_REDIRECTS = (301, 302, 303, 307, 308)
# Other encodings were not requested; nested ones can be compression bombs.
_PLAIN, _PACKED = ("", "identity"), ("gzip", "x-gzip")
# `iso-8859-1`, `Windows-1252`
_CHARSET = re.compile(r"[\w.:+-]{1,40}", re.ASCII)
# Statuses worth a retry: too early, too many requests, server or gateway errors.
_PASSING = (408, 425, 429, 500, 502, 503, 504)
# Longer waits are errors of the server.
_LONGEST_STATED = timedelta(days=30)
# Longer delays are meant for crawlers of whole sites, not for one page per day.
_LONGEST_DELAY_S = 30.0
# Beyond this much, a robots.txt need not be read (RFC 9309, 2.5).
_ROBOTS_BYTES = 500 * 1024


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What one request may cost.

    Attributes:
        seconds: From the first byte sent to the last received, redirects not included.
        bytes: Of the body, decompressed.
        redirects: In a row.
        pause_s: Between two requests to one host.
        tries: Requests in all for something worth retrying.
        backoff_s: Before the second try; doubled, with jitter, before each further one.
        longest_wait_s: Longest wait within one fetch; a longer one is left to the next fetch.
    """

    seconds: float = 60.0
    bytes: int = 32 * 1024 * 1024
    redirects: int = 5
    pause_s: float = 1.0
    tries: int = 4
    backoff_s: float = 1.0
    longest_wait_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered; `headers` as httpx gives them, `body` decompressed."""

    url: str
    status: int
    headers: httpx.Headers = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def media_type(self) -> str:
        """Media type of the body without its parameters, in lower case."""
        return str(self.headers.get("content-type", "")).partition(";")[0].strip().casefold()

    @property
    def charset(self) -> str | None:
        """Encoding of the body, where the server names one."""
        stated = Message()
        stated["content-type"] = str(self.headers.get("content-type", ""))
        charset = stated.get_content_charset()
        return charset if charset and _CHARSET.fullmatch(charset) else None


class FetchError(BenchledgerError):
    """No answer that can be used.

    Attributes:
        outcome: `blocked` where somebody refuses, else `failed`.
        status: HTTP status, where there was one.
        not_before: The server's request not to fetch before this time.
    """

    def __init__(
        self,
        reason: str,
        *,
        outcome: str = "failed",
        status: int | None = None,
        not_before: datetime | None = None,
    ) -> None:
        super().__init__(reason)
        self.outcome, self.status, self.not_before = outcome, status, not_before


class PassingError(FetchError):
    """No answer that can be used, but asking again may give one."""

    @property
    def wait_s(self) -> float:
        """Remaining seconds of the server's request to wait."""
        return (self.not_before - datetime.now(UTC)).total_seconds() if self.not_before else 0.0


class Host:
    """The turns of one host, and the rules it has stated.

    Attributes:
        robots: Rules by origin (`https://example.org:443`); None where everything is allowed,
            and an error where they cannot be read.
        delay_s: Crawl delay of its robots.txt.
    """

    def __init__(self) -> None:
        self.robots: dict[str, Protego | FetchError | None] = {}
        self.delay_s = 0.0
        self.reading = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._ended_at = self._held_until = -float("inf")

    def hold(self, seconds: float) -> None:
        """Delay all further requests to the host: the server asked to wait."""
        self._held_until = max(self._held_until, asyncio.get_running_loop().time() + seconds)

    @asynccontextmanager
    async def turn(self, pause_s: float) -> AsyncIterator[None]:
        """The next turn: it comes when the one before has ended and the pause is over."""
        async with self._turn:
            clock = asyncio.get_running_loop().time
            begins_at = max(self._held_until, self._ended_at + max(pause_s, self.delay_s))
            await asyncio.sleep(max(0.0, begins_at - clock()))
            try:
                yield
            finally:
                self._ended_at = clock()


class _PinnedTransport(httpx.AsyncHTTPTransport):
    """Connects to the checked address, so that the name cannot be resolved to another one
    afterwards.
    """

    def __init__(self, allowed: Collection[str]) -> None:
        # Connections are not reused: two names may have one address, and each needs its own
        # connection.
        super().__init__(
            retries=0, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
        )
        self._allowed = allowed

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host, port = (
            request.url.host,
            request.url.port or (443 if request.url.scheme == "https" else 80),
        )
        try:
            addresses = await resolve(host, port, self._allowed)
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(
                f"the name {host} cannot be resolved: {error}", request=request
            ) from error
        url, failure = request.url, httpx.ConnectError(f"{host} has no address", request=request)
        for address in addresses:
            # The certificate is checked against the name, which is also sent to the server.
            request.extensions = {**request.extensions, "sni_hostname": host}
            request.url = url.copy_with(host=address)
            try:
                return await super().handle_async_request(request)
            except httpx.ConnectError as error:
                failure = error
            finally:
                request.url = url
        raise failure


class Browser:
    """Fetches the pages of one source: one request at a time per host, with pauses.

    Args:
        limits: What one request may cost.
        hosts: The hosts of this round by name, shared by all that fetch in it.
        allowed: Host names whose addresses need not be public.
    """

    def __init__(
        self, limits: RequestLimits, hosts: defaultdict[str, Host], allowed: Collection[str] = ()
    ) -> None:
        self.requests = 0
        self._limits, self._hosts = limits, hosts
        self._client = httpx.AsyncClient(
            transport=_PinnedTransport(allowed),
            headers={"user-agent": USER_AGENT, "accept-encoding": "gzip"},
            timeout=limits.seconds,
            follow_redirects=False,
            trust_env=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def fetch(self, url: str, headers: dict[str, str], known: str) -> Answer:
        """The answer for a page, at the end of its redirects.

        Args:
            url: Address of the page.
            headers: What makes the request conditional.
            known: The one address they are about; of another one, at the end of other redirects,
                they say nothing.

        Raises:
            FetchError: There is no answer: refused by robots.txt or by us, out of limits, or still
                failing after retries.
        """
        asked = [url]
        while True:
            await self._obey_robots(asked[-1])
            answer = await self._ask(asked[-1], headers if asked[-1] == known else {})
            if answer.status not in _REDIRECTS:
                return answer
            asked.append(self._target(asked, answer))

    def _host(self, url: str) -> Host:
        if fault := fault_of_address(url):
            raise FetchError(fault)
        return self._hosts[httpx.URL(url).host.rstrip(".").casefold()]

    def _target(self, asked: list[str], answer: Answer) -> str:
        """Where a redirect leads."""
        location, outcome = answer.headers.get("location"), "failed"
        try:
            target = str(httpx.URL(answer.url).join(location or "").copy_with(fragment=None))
        except httpx.InvalidURL as error:
            raise FetchError(
                f"the page is redirected to {location!r}, which is not a valid address"
            ) from error
        if not location:
            reason = f"the server returned {answer.status} without a Location header"
        elif target in asked:
            reason = f"the page is in a redirect loop, back to {target}"
        elif len(asked) > self._limits.redirects:
            reason = f"the page is redirected more than {self._limits.redirects} times"
        elif answer.url.startswith("https:") and target.startswith("http:"):
            outcome = "blocked"
            reason = f"the page is redirected from https to {target}, which is not encrypted"
        else:
            return target
        raise FetchError(reason, outcome=outcome, status=answer.status)

    async def _obey_robots(self, url: str) -> None:
        """Raise where the host's robots.txt does not allow the address."""
        host, parts = self._host(url), httpx.URL(url)
        origin = f"{parts.scheme}://{parts.netloc.decode()}"
        async with host.reading:
            if origin not in host.robots:
                host.robots[origin] = await self._read_robots(f"{origin}/robots.txt")
        rules = host.robots[origin]
        if isinstance(rules, FetchError):
            raise FetchError(str(rules), status=rules.status, not_before=rules.not_before)
        if rules is None:
            return
        if not rules.can_fetch(url, USER_AGENT):
            raise FetchError(f"{origin}/robots.txt does not allow {parts.path}", outcome="blocked")
        host.delay_s = min(float(rules.crawl_delay(USER_AGENT) or 0), _LONGEST_DELAY_S)

    async def _read_robots(self, url: str) -> Protego | FetchError | None:
        """The rules; None if there are none (any 4xx).

        While a server cannot say, nothing is allowed (RFC 9309, 2.3): the error says why, for all
        sources of the host, so that a server in trouble is not asked again for each of them.
        """
        asked = [url]
        try:
            while (answer := await self._ask(asked[-1], {}, _ROBOTS_BYTES)).status in _REDIRECTS:
                asked.append(self._target(asked, answer))
            if answer.status != 200 and not 400 <= answer.status < 500:
                raise FetchError(f"the server returned {answer.status}", status=answer.status)
        except FetchError as error:
            if error.outcome == "blocked":
                # Refused by us: another source may allow the host by name.
                raise
            reason = f"its robots.txt cannot be read: {error}"
            return FetchError(reason, status=error.status, not_before=error.not_before)
        return (
            Protego.parse(answer.body.decode("utf-8", "replace")) if answer.status == 200 else None
        )

    async def _ask(self, url: str, headers: dict[str, str], cut_at: int | None = None) -> Answer:
        """One address, with retries after temporary errors; redirects are not followed.

        Args:
            url: Address to ask for.
            headers: What makes the request conditional.
            cut_at: Bytes of the body that are enough; without it a body beyond the limit is an
                error.
        """
        limits = self._limits
        backoff = wait_exponential_jitter(
            multiplier=limits.backoff_s, max=limits.longest_wait_s, jitter=limits.backoff_s
        )

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            return max(error.wait_s if isinstance(error, PassingError) else 0.0, backoff(state))

        def is_worth_another_try(error: BaseException) -> bool:
            return isinstance(error, PassingError) and error.wait_s <= limits.longest_wait_s

        answer: Answer = await AsyncRetrying(
            retry=retry_if_exception(is_worth_another_try),
            stop=stop_after_attempt(limits.tries),
            wait=wait,
            reraise=True,
        )(self._request, url, headers, cut_at)
        return answer

    async def _request(self, url: str, headers: dict[str, str], cut_at: int | None) -> Answer:
        host = self._host(url)
        async with host.turn(self._limits.pause_s):
            self.requests += 1
            try:
                async with asyncio.timeout(self._limits.seconds):
                    answer = await self._answer(url, headers, cut_at)
            except AddressRefusedError as error:
                raise FetchError(str(error), outcome="blocked") from error
            except TimeoutError as error:
                raise PassingError(
                    f"no complete response within {self._limits.seconds:g} s"
                ) from error
            except httpx.TransportError as error:
                words = str(error) or "the connection was lost"
                raise PassingError(
                    f"no complete answer: {words} ({type(error).__name__})"
                ) from error
            except (httpx.InvalidURL, UnicodeError) as error:
                raise FetchError(f"{url} cannot be requested: {error}") from error
        if answer.status not in _PASSING:
            return answer
        until, reason = (
            _retry_after(answer.headers.get("retry-after", "")),
            f"the server returned {answer.status}",
        )
        if until:
            reason += f" and asks to wait until {until:%Y-%m-%d %H:%M} UTC"
        fault = PassingError(reason, status=answer.status, not_before=until)
        if fault.wait_s <= self._limits.longest_wait_s:
            host.hold(fault.wait_s)
        raise fault

    async def _answer(self, url: str, headers: dict[str, str], cut_at: int | None) -> Answer:
        enough = min(cut_at or self._limits.bytes, self._limits.bytes)
        too_large = FetchError(f"the body is larger than the {enough:,} bytes allowed")
        async with self._client.stream("GET", url, headers=headers) as response:
            if response.status_code in _REDIRECTS or response.status_code == 304:
                return Answer(url, response.status_code, response.headers, b"")
            coding = response.headers.get("content-encoding", "").strip().casefold()
            if coding not in (*_PLAIN, *_PACKED):
                raise FetchError(
                    f"the body has the Content-Encoding {coding!r}, which was not requested"
                )
            stated = response.headers.get("content-length", "")
            if cut_at is None and stated.isdecimal() and int(stated) > enough:
                raise too_large
            received = bytearray()
            async for piece in response.aiter_raw():
                received += piece
                if len(received) > enough:
                    break
        body = bytes(received)
        if coding in _PACKED and (cut_at is not None or len(body) <= enough):
            body = _unpacked(body, enough + 1)
        if cut_at is None and len(body) > enough:
            raise too_large
        return Answer(url, response.status_code, response.headers, body[:enough])


def _unpacked(body: bytes, most: int) -> bytes:
    """What a body holds that is packed as gzip, and no more of it than is enough."""
    try:
        with gzip.open(io.BytesIO(body)) as file:
            return file.read(most)
    except EOFError as error:
        raise httpx.RemoteProtocolError("the compressed body ends early") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FetchError(f"the body does not match its Content-Encoding: {error}") from error


def _retry_after(stated: str) -> datetime | None:
    """The time in a `Retry-After`, which is a number of seconds or a date."""
    now = datetime.now(UTC)
    try:
        if stated.strip().isdecimal():
            until = now + timedelta(seconds=int(stated))
        else:
            until = parsedate_to_datetime(stated)
            until = until if until.tzinfo else until.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return min(until, now + _LONGEST_STATED) if until > now else None
