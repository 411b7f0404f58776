"""Pages that stand elsewhere in the repository, for the site of the documentation: README, dictionary, changes."""

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
    """Lead links to where their targets stand in the site; what is no page of it is named alone."""
    folder = posixpath.dirname(_PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}"))

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link["path"]))
        if target.startswith("docs/"):
            return f"]({target.removeprefix('docs/')}{link['anchor'] or ''})"
        return f"]({_NAMES[target]}{link['anchor'] or ''})" if target in _NAMES else "](index.md)"

    return _LINK.sub(moved, markdown)
