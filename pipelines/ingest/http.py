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
import ipaddress
import random
import re
import socket
import zlib
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpcore
import httpx
from protego import Protego

from pipelines.exceptions import BenchledgerError

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
# Reached only from inside a cloud, though their numbers look public.
_METADATA_ADDRESSES = frozenset({"168.63.129.16", "192.0.0.192"})
# Where addresses of IPv6 are public; those outside of it (`fe80::1`, `::127.0.0.1`) are not, or
# stand for one of IPv4, as do those of two tunnels.
_PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")
_TUNNELS = tuple(map(ipaddress.ip_network, ("2001::/32", "2002::/16")))
# What a network without IPv4 puts in front of its addresses: `64:ff9b::7f00:1`
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
_HIGHEST_PORT = 65535


class FetchError(BenchledgerError):
    """No answer that can be used.

    Attributes:
        outcome: `blocked` where somebody refuses, else `failed`.
        status: HTTP status, where there was one.
        not_before: The server's request not to fetch before this time.
        may_pass: Whether asking again may give an answer.
    """

    def __init__(
        self,
        reason: str,
        *,
        outcome: str = "failed",
        status: int | None = None,
        not_before: datetime | None = None,
        may_pass: bool = False,
    ) -> None:
        super().__init__(reason)
        self.outcome, self.status, self.not_before = outcome, status, not_before
        self.may_pass = may_pass

    @property
    def wait_s(self) -> float:
        """Remaining seconds of the server's request to wait."""
        return (self.not_before - datetime.now(UTC)).total_seconds() if self.not_before else 0.0


def is_public(text: str) -> bool:
    """Whether an IP address is one of the open internet: not loopback, private, link-local,
    reserved or metadata.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    if address in _TRANSLATED:
        address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.version == 6 and address not in _PUBLIC_IPV6:
        return False
    if any(address in network for network in _TUNNELS) or str(address) in _METADATA_ADDRESSES:
        return False
    return address.is_global and not address.is_multicast


def fault_of_address(url: str) -> str | None:
    """Why nothing can be fetched from an address, or None."""
    try:
        parts = httpx.URL(url)
        name = parts.host
    except (httpx.InvalidURL, UnicodeError) as error:
        return f"{url} is not a valid address: {error}"
    if parts.userinfo:
        return "the address contains a user name or a password, which is not supported"
    if parts.scheme not in ("http", "https") or not name:
        return f"{url} is not a web address; use https:// or http://"
    if parts.port is not None and not 0 < parts.port <= _HIGHEST_PORT:
        return f"{url} is not a valid address: there is no port {parts.port}"
    return None


async def resolve(host: str, port: int, allowed: Collection[str]) -> list[str]:
    """The addresses of a host, to connect to these and no others.

    Args:
        host: Host name or address.
        port: Port to connect to.
        allowed: Host names that may have an address that is not public.

    Raises:
        FetchError: One of the addresses is not public, even if others are.
        OSError: The name cannot be resolved.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if host.rstrip(".").casefold() in {name.rstrip(".").casefold() for name in allowed}:
        return addresses
    for address in addresses:
        if not is_public(address):
            is_name = host.strip("[]") != address
            what = f"{host} resolves to {address}, which is" if is_name else f"{host} is"
            hint = "to fetch from there, use `--allow-host` of `benchledger add`, or allow_hosts in source.yml"
            raise FetchError(f"{what} not public; {hint}", outcome="blocked")
    return addresses


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
        charset = httpx.Response(self.status, headers=self.headers).charset_encoding
        return charset if charset and _CHARSET.fullmatch(charset) else None


class Host:
    """The turns of one host, and the rules it has stated.

    Attributes:
        robots: Rules by origin (`https://example.org:443`), and an error where they cannot be read.
        delay_s: Crawl delay of its robots.txt.
        reading: Held while its robots.txt is read.
        turn: Held during a request.
        free_at: Time of the event loop at which the pause before the next request begins.
    """

    def __init__(self) -> None:
        self.robots: dict[str, Protego | FetchError] = {}
        self.delay_s = self.free_at = 0.0
        self.reading, self.turn = asyncio.Lock(), asyncio.Lock()


class _PublicNetwork(httpcore.AnyIOBackend):
    """Connects to the checked address, so that the name cannot be resolved to another one
    afterwards; the certificate is still checked against the name.
    """

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = allowed

    async def connect_tcp(
        self, host: str, port: int, *arguments: Any, **more: Any
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await resolve(host, port, self._allowed)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"the name {host} cannot be resolved: {error}") from error
        failure = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await super().connect_tcp(address, port, *arguments, **more)
            except httpcore.ConnectError as error:
                failure = error
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
        # Connections are not reused: two names may have one address, and each needs its own.
        self._pool = httpcore.AsyncConnectionPool(
            network_backend=_PublicNetwork(allowed), max_keepalive_connections=0
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    async def fetch(
        self, url: str, headers: dict[str, str], known: str, *, is_page: bool = True
    ) -> Answer:
        """The answer for a page, or for a robots.txt, at the end of its redirects.

        Args:
            url: Address of the page.
            headers: What makes the request conditional.
            known: The one address they are about; of another one, at the end of other redirects,
                they say nothing.
            is_page: It is asked for as robots.txt allows, and its body must be within the limit;
                the body of a robots.txt is cut.

        Raises:
            FetchError: There is no answer: refused by robots.txt or by us, out of limits, or still
                failing after retries.
        """
        asked = [url]
        while True:
            if is_page:
                await self._obey_robots(asked[-1])
            conditions = headers if asked[-1] == known else {}
            answer = await self._ask(asked[-1], conditions, is_page)
            if answer.status not in _REDIRECTS:
                return answer
            asked.append(self._target(asked, answer))

    def _host(self, url: str) -> Host:
        if fault := fault_of_address(url):
            raise FetchError(fault)
        return self._hosts[httpx.URL(url).host.rstrip(".").casefold()]

    def _target(self, asked: list[str], answer: Answer) -> str:
        """Where a redirect leads."""
        location = answer.headers.get("location", "")
        try:
            target = str(httpx.URL(answer.url).join(location).copy_with(fragment=None))
        except httpx.InvalidURL as error:
            reason = f"the page is redirected to {location!r}, which is not a valid address"
            raise FetchError(reason) from error
        if answer.url.startswith("https:") and target.startswith("http:"):
            reason = f"the page is redirected from https to {target}, which is not encrypted"
            raise FetchError(reason, outcome="blocked", status=answer.status)
        if not location:
            reason = f"the server returned {answer.status} without a Location header"
        elif target in asked:
            reason = f"the page is in a redirect loop, back to {target}"
        elif len(asked) > self._limits.redirects:
            reason = f"the page is redirected more than {self._limits.redirects} times"
        else:
            return target
        raise FetchError(reason, status=answer.status)

    async def _obey_robots(self, url: str) -> None:
        """Raise where the host's robots.txt does not allow the address."""
        host, parts = self._host(url), httpx.URL(url)
        origin = f"{parts.scheme}://{parts.netloc.decode()}"
        async with host.reading:
            if origin not in host.robots:
                host.robots[origin] = await self._read_robots(f"{origin}/robots.txt")
        rules = host.robots[origin]
        if isinstance(rules, FetchError):
            raise rules
        if not rules.can_fetch(url, USER_AGENT):
            raise FetchError(f"{origin}/robots.txt does not allow {parts.path}", outcome="blocked")
        host.delay_s = min(float(rules.crawl_delay(USER_AGENT) or 0), _LONGEST_DELAY_S)

    async def _read_robots(self, url: str) -> Protego | FetchError:
        """The rules; where there are none (any 4xx) everything is allowed.

        While a server cannot say, nothing is allowed (RFC 9309, 2.3): the error says why, for all
        sources of the host, so that a server in trouble is not asked again for each of them.
        """
        try:
            answer = await self.fetch(url, {}, "", is_page=False)
        except FetchError as error:
            if error.outcome == "blocked":
                # Refused by us: another source may allow the host by name.
                raise
            error.reason = f"its robots.txt cannot be read: {error.reason}"
            return error
        if answer.status == 200:
            return Protego.parse(answer.body.decode("utf-8", "replace"))
        if 400 <= answer.status < 500:
            return Protego.parse("")
        reason = f"its robots.txt cannot be read: the server returned {answer.status}"
        return FetchError(reason, status=answer.status)

    async def _ask(self, url: str, headers: dict[str, str], is_page: bool) -> Answer:
        """One address, in the turns of its host, with retries after temporary errors; redirects are
        not followed.
        """
        host, limits, clock = self._host(url), self._limits, asyncio.get_running_loop().time
        number = 0
        while True:
            number += 1
            async with host.turn:
                pause_s = max(limits.pause_s, host.delay_s)
                await asyncio.sleep(max(0.0, host.free_at + pause_s - clock()))
                self.requests += 1
                try:
                    return await self._answer(url, headers, is_page)
                except FetchError as error:
                    if not error.may_pass or error.wait_s > limits.longest_wait_s:
                        raise
                    host.free_at = clock() + error.wait_s
                    if number == limits.tries:
                        raise
                finally:
                    host.free_at = max(host.free_at, clock())
            backoff_s = limits.backoff_s * (2 ** (number - 1) + random.random())
            await asyncio.sleep(min(backoff_s, limits.longest_wait_s))

    async def _answer(self, url: str, headers: dict[str, str], is_page: bool) -> Answer:
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await self._receive(url, headers, is_page)
        except TimeoutError as error:
            reason = f"no complete response within {self._limits.seconds:g} s"
            raise FetchError(reason, may_pass=True) from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            words = str(error) or "the connection was lost"
            reason = f"no complete answer: {words} ({type(error).__name__})"
            raise FetchError(reason, may_pass=True) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise FetchError(f"{url} cannot be requested: {error}") from error
        if answer.status not in _PASSING:
            return answer
        reason = f"the server returned {answer.status}"
        until = _retry_after(answer.headers.get("retry-after", ""))
        if until:
            reason += f" and asks to wait until {until:%Y-%m-%d %H:%M} UTC"
        raise FetchError(reason, status=answer.status, not_before=until, may_pass=True)

    async def _receive(self, url: str, headers: dict[str, str], is_page: bool) -> Answer:
        parts = httpx.URL(url)
        stated = {
            "host": parts.netloc.decode(),
            "user-agent": USER_AGENT,
            "accept": "*/*",
            "accept-encoding": "gzip",
        }
        most = self._limits.bytes if is_page else min(self._limits.bytes, _ROBOTS_BYTES)
        too_large = FetchError(f"the body is larger than the {most:,} bytes allowed")
        async with self._pool.stream(
            "GET", str(parts), headers=[*(stated | headers).items()]
        ) as response:
            fields = httpx.Headers(response.headers)
            if response.status in _REDIRECTS or response.status == 304:
                return Answer(url, response.status, fields, b"")
            coding = fields.get("content-encoding", "").strip().casefold()
            if coding not in (*_PLAIN, *_PACKED):
                reason = f"the body has the Content-Encoding {coding!r}, which was not requested"
                raise FetchError(reason)
            length = fields.get("content-length", "")
            if is_page and length.isdecimal() and int(length) > most:
                raise too_large
            received = bytearray()
            async for piece in response.aiter_stream():
                received += piece
                if len(received) > most:
                    break
        body = bytes(received)
        if coding in _PACKED and (len(body) <= most or not is_page):
            body = _unpacked(body, most + 1)
        if is_page and len(body) > most:
            raise too_large
        return Answer(url, response.status, fields, body[:most])


def _unpacked(body: bytes, most: int) -> bytes:
    """What a body holds that is packed as gzip, and no more of it than is enough."""
    try:
        with gzip.open(io.BytesIO(body)) as file:
            return file.read(most)
    except EOFError as error:
        raise httpcore.RemoteProtocolError("the compressed body ends early") from error
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
