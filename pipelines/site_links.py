"""Where each page of the site stands, as a path below its folder, and whether the site is of the
published warehouse. A path depends on the thing alone: it lasts.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path
from typing import Any

from pipelines.settings import FILE_NAME, SITE_LIST

# Long enough to be read, short enough for every file system.
_MAX_NAME = 60
# Two names that look alike, or differ in their case alone, still have two pages.
_DIGITS = 6
_OTHER = re.compile(r"[^a-z0-9]+")


def traced_page(kind: str, id: str) -> str:
    """Page of a result, claim or piece of evidence: its lasting address. One page draws all results
    and printed places.
    """
    return f"claim/{id}.html" if kind == "claim" else f"result.html#{id}"


def page_of(kind: str, key: Any) -> str:
    """Page of what the search finds: a model, platform, vendor, publisher, source or claim.

    One page has all results whose document names no model, one those that name no platform.
    """
    if kind in ("model", "platform", "source"):
        return f"{kind}/{_file_name(key)}.html"
    return {"vendor": f"platforms.html#{anchor(key)}", "publisher": "sources.html"}.get(
        kind
    ) or traced_page(kind, key)


def feed_of(kind: str, name: str) -> str:
    """Feed of what changed on a vendor's platforms, or for a model."""
    return f"feed/{kind}-{_file_name(name)}.atom"


def rows_of(kind: str, name: str | None) -> str:
    """Script with all results of a family of models, or of a platform."""
    return f"rows/{kind}-{_file_name(name)}"


def root_of(page: str) -> str:
    """From a page to the site's folder: empty, or `../` for each folder that it stands in."""
    return "../" * page.count("/")


def part_of(page: str, table: str, number: int) -> str:
    """Page with a further part of a long table; the first part stands on the page itself."""
    return page if number == 1 else f"{page.removesuffix('.html')}-{table}-{number}.html"


def anchor(vendor: str | None) -> str:
    """Place of a vendor on the page of platforms."""
    return f"vendor-{_file_name(vendor)}"


def site_note(warehouse: Path) -> str | None:
    """What one has to know of the site of a warehouse before one reads it; None for nothing."""
    written, published = warehouse / SITE_LIST, warehouse / FILE_NAME
    if not written.exists():
        return "the site is not written: `benchledger report` writes it"
    if published.exists() and written.stat().st_mtime_ns < published.stat().st_mtime_ns:
        return "the site is older than the warehouse: `benchledger report` renews it"
    return None


def _file_name(name: str | None) -> str:
    """A name as part of a path: nothing in it leads elsewhere, whatever it holds."""
    if name is None:
        return "not-stated"
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    readable = _OTHER.sub("-", plain)[:_MAX_NAME].strip("-")
    return f"{readable}-{digest}" if readable else digest
