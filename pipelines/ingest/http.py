"""One page over HTTP, within limits: what the server answered, or why there is no answer.

Nothing that is fetched is executed or rendered. An address that is not public is asked only if it is allowed by name.
To one host one request is made at a time, with a pause between two. What the answer means for a source is in
`fetching.py`.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime

import httpx
from protego import Protego

from pipelines.ingest.addresses import AddressRefusedError, resolve


class Host:
    """The turns of one host, and the rules it has stated.

    Attributes:
        robots: Rules by origin (`https://example.org:443`); None where everything is allowed,
            and an error where they cannot be read.
        delay_s: Pause that its robots.txt asks for.
    """

    def __init__(self) -> None:
        self.robots: dict[str, Protego | FetchError | None] = {}
        self.delay_s = 0.0
        self.reading = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._ended_at = self._held_until = -float("inf")

    def hold(self, seconds: float) -> None:
        """Let no turn begin for so long: the server asked to wait, whoever of us it said it to."""
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


class Hosts:
    """All hosts of one round of fetching, by name."""

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}

    def __getitem__(self, name: str) -> Host:
        return self._hosts.setdefault(name.rstrip(".").casefold(), Host())


# Bombs are made of nested codings, and these two are all that servers need.
CODINGS = ("", "identity", "gzip", "deflate", "x-gzip")
_PACKED_AS_GZIP, _PACKED_BARE = zlib.MAX_WBITS | 16, -zlib.MAX_WBITS
# By so many bytes a frame shows whether it is there.
_FRAME_BYTES = 2
_GZIP_BEGINS = b"\x1f\x8b"


class Unpacker:
    """Unpacks a body piece by piece; a small piece may hold a thousand times its bytes, and no more are made of it.

    Args:
        coding: One of `CODINGS`.
        limit: Bytes that are enough from one piece.
    """

    def __init__(self, coding: str, limit: int) -> None:
        self._is_gzip, self._is_packed, self._limit = "gzip" in coding, coding not in ("", "identity"), limit
        self._parts = zlib.decompressobj(_PACKED_AS_GZIP if self._is_gzip else zlib.MAX_WBITS)
        self._has_begun, self._beginning = False, b""

    def unpack(self, piece: bytes) -> bytes:
        """What a piece holds, at most as much as is enough.

        Raises:
            httpx.DecodingError: It is not in the coding that was stated.
        """
        if not self._is_packed or not piece:
            return piece
        piece, self._beginning = self._beginning + piece, b""
        if not self._has_begun and len(piece) < _FRAME_BYTES:
            self._beginning = piece
            return b""
        try:
            unpacked = self._unpacked(piece)
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error
        self._has_begun = True
        return unpacked

    def _unpacked(self, piece: bytes) -> bytes:
        try:
            unpacked = self._parts.decompress(piece, self._limit)
        except zlib.error:
            if self._is_gzip or self._has_begun:
                raise
            # Some servers leave out the frame that the standard puts around `deflate`.
            self._parts = zlib.decompressobj(_PACKED_BARE)
            unpacked = self._parts.decompress(piece, self._limit)
        # A file of gzip may be several, one behind the other; anything else behind the end is padding.
        while self._is_gzip and self._parts.unused_data.startswith(_GZIP_BEGINS) and len(unpacked) < self._limit:
            behind, self._parts = self._parts.unused_data, zlib.decompressobj(_PACKED_AS_GZIP)
            unpacked += self._parts.decompress(behind, self._limit - len(unpacked))
        return unpacked

    def end(self) -> None:
        """Called behind the last piece.

        Raises:
            httpx.RemoteProtocolError: The body was cut: its end has not come.
        """
        if self._beginning or (self._has_begun and not self._parts.eof):
            raise httpx.RemoteProtocolError("the packed body breaks off before its end")


USER_AGENT = "benchledger/0.1 (benchmark archive; honours robots.txt)"
REDIRECTS = (301, 302, 303, 307, 308)
# `iso-8859-1`, `Windows-1252`
_CHARSET = re.compile(r"[\w.:+-]{1,40}", re.ASCII)
# What may pass when it is asked again: too early, too many, a server or a gateway in trouble.
_PASSING = (408, 425, 429, 500, 502, 503, 504)


# A server that asks to wait longer is wrong, or gone.
_LONGEST_STATED_S = 30 * 24 * 3600


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
        longest_wait_s: What a server may ask to wait within one fetch; when it asks more, the next fetch waits.
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


class FetchError(Exception):
    """No answer that can be used, and asking again would give the same.

    Attributes:
        outcome: `blocked` where somebody refuses, else `failed`.
        status: HTTP status, where there was one.
        not_before: Until when the server asked not to be asked again.
    """

    def __init__(
        self, reason: str, *, outcome: str = "failed", status: int | None = None, not_before: datetime | None = None
    ) -> None:
        super().__init__(reason)
        self.outcome, self.status, self.not_before = outcome, status, not_before


class PassingError(FetchError):
    """No answer that can be used, but asking again may give one; `wait_s` is what the server asked to wait."""

    def __init__(self, reason: str, *, status: int | None = None, wait_s: float | None = None) -> None:
        super().__init__(reason, status=status)
        self.wait_s = wait_s


class _PinnedTransport(httpx.AsyncHTTPTransport):
    """Connects to an address that was checked, so that a name cannot stand for another one a moment later."""

    def __init__(self, allowed: Collection[str]) -> None:
        # No connection is kept: two names may stand for one address, and one opened for the one is not for the other.
        super().__init__(retries=0, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
        self._allowed = allowed

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host, port = request.url.host, request.url.port or (443 if request.url.scheme == "https" else 80)
        try:
            addresses = await resolve(host, port, self._allowed)
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(f"the name {host} cannot be resolved: {error}", request=request) from error
        url, failure = request.url, httpx.ConnectError(f"{host} has no address", request=request)
        for address in addresses:
            # The certificate is checked against the name, which is also what the server is told.
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
    """Asks servers, one request at a time per host, with a pause between two.

    Args:
        limits: What one request may cost.
        allowed: Host names whose addresses need not be public.
    """

    def __init__(self, limits: RequestLimits, allowed: Collection[str] = ()) -> None:
        self.limits, self.requests = limits, 0
        self._client = httpx.AsyncClient(
            transport=_PinnedTransport(allowed),
            headers={"user-agent": USER_AGENT, "accept-encoding": "gzip, deflate"},
            timeout=limits.seconds,
            follow_redirects=False,
            trust_env=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def request(self, url: str, headers: dict[str, str], host: Host, cut_at: int | None = None) -> Answer:
        """One request without redirects followed; the answer whatever its status, unless that is a passing one.

        Args:
            url: Address to ask for.
            headers: What makes the request conditional.
            host: Its host.
            cut_at: Bytes of the body that are enough; without it a body beyond the limit is an error.

        Raises:
            PassingError: Asking again may help: no connection, too slow, broken off, a server in trouble.
            FetchError: Asking again is of no use: an address refused, a body too large, a coding nobody can read.
        """
        async with host.turn(self.limits.pause_s):
            self.requests += 1
            try:
                async with asyncio.timeout(self.limits.seconds):
                    answer = await self._answer(url, headers, cut_at)
            except AddressRefusedError as error:
                raise FetchError(str(error), outcome="blocked") from error
            except TimeoutError as error:
                raise PassingError(f"no complete answer within {self.limits.seconds:g} s") from error
            except httpx.TransportError as error:
                words = str(error) or "the connection was lost"
                raise PassingError(f"no complete answer: {words} ({type(error).__name__})") from error
            except httpx.DecodingError as error:
                raise FetchError(f"the body is not in the coding it states: {error}") from error
            except (httpx.InvalidURL, UnicodeError) as error:
                raise FetchError(f"{url} is no address that can be asked: {error}") from error
        if answer.status in _PASSING:
            wait_s = _wait_s(answer.headers.get("retry-after"))
            if wait_s and wait_s <= self.limits.longest_wait_s:
                host.hold(wait_s)
            raise PassingError(f"the server answers {answer.status}", status=answer.status, wait_s=wait_s)
        return answer

    async def _answer(self, url: str, headers: dict[str, str], cut_at: int | None) -> Answer:
        async with self._client.stream("GET", url, headers=headers) as response:
            if response.status_code in REDIRECTS or response.status_code == 304:
                return Answer(url, response.status_code, response.headers, b"")
            coding = response.headers.get("content-encoding", "").strip().casefold()
            if coding not in CODINGS:
                raise FetchError(f"the body has the coding {coding!r}, which was not asked for")
            stated = response.headers.get("content-length", "")
            if cut_at is None and stated.isdecimal() and int(stated) > self.limits.bytes:
                raise FetchError(f"the body has {int(stated):,} bytes, more than the {self.limits.bytes:,} allowed")
            enough = min(cut_at or self.limits.bytes, self.limits.bytes)
            # One more than is enough, so that a body beyond the limit is seen to be.
            body, unpacker = bytearray(), Unpacker(coding, enough + 1)
            async for piece in response.aiter_raw():
                body += unpacker.unpack(piece)
                if cut_at is not None and len(body) >= enough:
                    break
                if len(body) > enough:
                    raise FetchError(f"the body has more than the {self.limits.bytes:,} bytes allowed")
            else:
                unpacker.end()
            return Answer(url, response.status_code, response.headers, bytes(body[:enough]))


def _wait_s(stated: str | None) -> float | None:
    """Seconds that a `Retry-After` asks to wait: a number, or a date."""
    if not stated:
        return None
    try:
        if stated.strip().isdecimal():
            wait_s = float(stated)
        else:
            until = parsedate_to_datetime(stated)
            until = until if until.tzinfo else until.replace(tzinfo=UTC)
            wait_s = (until - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, wait_s), _LONGEST_STATED_S)
