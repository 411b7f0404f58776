"""Which addresses may be fetched from: those of web pages on public hosts, or on hosts that a
source allows, and the error of those that cannot be.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Collection
from datetime import UTC, datetime

import httpx

from pipelines.exceptions import BenchledgerError

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
            hint = "to fetch from there, add the host to allow_hosts in source.yml"
            raise FetchError(f"{what} not public; {hint}", outcome="blocked")
    return addresses
