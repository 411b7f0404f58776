"""Addresses of object stores, and the local folders that mirror them. No requests are made here.

All that reads or builds works on folders; an address such as `s3://bucket/raw` is one of them,
which `ingest/mirror.py` and `remote/publishing.py` keep as the bucket is.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

from pipelines.exceptions import WrongUseError

# `s3://bucket/some/folder`
_ADDRESS = re.compile(r"s3://(?P<bucket>[A-Za-z0-9][\w.-]{1,62})(?P<key>/.*)?", re.ASCII)


class AddressError(WrongUseError, ValueError):
    """An invalid address of an object store; the message does not repeat it."""


def folder_of(place: str | Path) -> Path:
    """The folder of a place: a path is itself, an address the folder that mirrors it.

    Raises:
        AddressError: It is an address of another kind.
    """
    if "://" not in str(place):
        return Path(place)
    found = _ADDRESS.fullmatch(str(place))
    name = f"{found['bucket']}/{(found['key'] or '').strip('/')}".rstrip("/") if found else ""
    if {"", ".", ".."} & {*name.split("/")}:
        # The part before an @ may be a password, so the message omits it.
        raise AddressError(
            "an object store address has the form s3://bucket/folder; set credentials with AWS settings"
        )
    return _mirrors() / quote(name, safe="")


def address_of(folder: Path) -> str | None:
    """The address that a folder mirrors, such as `s3://bucket/raw`; None for an ordinary folder."""
    return f"s3://{unquote(folder.name)}" if folder.parent == _mirrors() else None


def shown(path: Path) -> str:
    """A path as a person knows it: of what mirrors an object store its address."""
    for folder in (path, *path.parents):
        if address := address_of(folder):
            return "/".join([address, *path.relative_to(folder).parts])
    return str(path)


def refuse_nested(raw: Path, warehouse: Path) -> None:
    """A store is all that its address holds: a warehouse within it would be documents.

    Raises:
        AddressError: One address is inside the other, or they are equal.
    """
    one, other = (f"{address_of(folder)}/" for folder in (raw, warehouse))
    if address_of(raw) and (one.startswith(other) or other.startswith(one)):
        raise AddressError(f"{one} and {other} overlap; use separate folders for raw and warehouse")


def endpoint() -> str:
    """The server that the environment names; without one AWS, or what the profile names."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""


def _mirrors() -> Path:
    """Where addresses are mirrored; a bucket of the same name on another server is another one."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "benchledger")
    cache = Path(os.environ.get("BENCHLEDGER_CACHE") or usual).expanduser().resolve()
    return cache / f"s3-{hashlib.sha256(endpoint().encode()).hexdigest()[:8]}"
