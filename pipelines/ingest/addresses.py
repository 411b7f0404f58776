"""Which addresses may be fetched from: those of web pages on public hosts, or on hosts that a
source allows.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Collection

import httpx

from pipelines.exceptions import BenchledgerError

# Reached only from inside a cloud, though their numbers look public.
_METADATA_ADDRESSES = frozenset({"168.63.129.16", "192.0.0.192"})
# An IPv4 address in the last 32 bits: after a translation prefix, or in the old notation of IPv6
# (`::127.0.0.1`).
_AROUND_IPV4 = tuple(
    ipaddress.ip_network(text)
    for text in ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96")
)

_HIGHEST_PORT = 65535

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefusedError(BenchledgerError):
    """A host with an address that is not public."""


def is_public(text: str) -> bool:
    """Whether an IP address is one of the open internet: not loopback, private, link-local,
    reserved or metadata.
    """
    address: IpAddress = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = (
            address.ipv4_mapped
            or address.sixtofour
            or (address.teredo[1] if address.teredo else None)
        )
        if inner is None and any(address in network for network in _AROUND_IPV4):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if address.is_site_local:
            return False
    return (
        address.is_global and not address.is_multicast and str(address) not in _METADATA_ADDRESSES
    )


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
        AddressRefusedError: One of the addresses is not public, even if others are.
        OSError: The name cannot be resolved.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if host.rstrip(".").casefold() in {name.rstrip(".").casefold() for name in allowed}:
        return addresses
    for address in addresses:
        if not is_public(address):
            what = (
                f"{host} is"
                if host.strip("[]") == address
                else f"{host} resolves to {address}, which is"
            )
            raise AddressRefusedError(
                f"{what} not public; to fetch from there, add the host to allow_hosts in source.yml"
            )
    return addresses
