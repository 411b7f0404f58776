"""Adds pages from outside docs/ to the documentation site: README, data dictionary, changelog."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_PROJECT = Path(__file__).parent.parent
_PAGES = {
    "index.md": "README.md",
    "tables.md": "warehouse/README.md",
    "raw.md": "raw/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "license.md": "LICENSE",
    "notice.md": "NOTICE",
    "citation.md": "CITATION.cff",
}
_NAMES = {source: page for page, source in _PAGES.items()}
# `](../raw/README.md#facts-editions)`
_LINK = re.compile(r"\]\((?!\w+:)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    for page, source in _PAGES.items():
        text = (_PROJECT / source).read_text("utf-8")
        if not source.endswith(".md"):
            text = f"# {source}\n\n```text\n{text}\n```\n"
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite links to the pages of the site; links to other files of the repository lead to its
    start page.
    """
    folder = posixpath.dirname(_PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}"))

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link["path"]))
        name = _NAMES.get(
            target, target.removeprefix("docs/") if target.startswith("docs/") else ""
        )
        relative = posixpath.relpath(
            name or "index.md", posixpath.dirname(page.file.src_uri) or "."
        )
        return f"]({relative}{(name and link['anchor']) or ''})"

    return _LINK.sub(moved, markdown)
