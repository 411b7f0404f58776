"""The site written: pages compared with what stands there, assets copied, pages of things that are
gone removed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from jinja2 import Environment

from pipelines.exceptions import BenchledgerError
from pipelines.export.replacing import give_back, refuse_others, take_place
from pipelines.own_files import create_file, marked, own_folder, replace_file, work_folder
from pipelines.report.evidence import Pictures, claim_pages, evidence_scripts
from pipelines.report.feed import feeds
from pipelines.report.rendering import environment, packed_script
from pipelines.report.site_pages import SitePage, SiteRows, first_rows
from pipelines.schemas.tables import PUBLISHED
from pipelines.settings import SITE_LIST, START_PAGE
from pipelines.site_links import root_of
from pipelines.warehouse.reader import FILE_NAME, read_as_copy, tables_in

FOLDER = START_PAGE.parent.name
_LIST = SITE_LIST.name
_STATIC = Path(__file__).parent / "static"
_QUESTIONS = Path(__file__).parent.parent / "queries"
# DuckDB-WASM answers SQL in the browser. What of the package is used, by the name of its script.
VERSION = "1.32.0"
_ENGINE = {
    "worker": (
        "duckdb-browser-eh.worker.js",
        "f8ab72b6b90b3ad83077d47426d4a99d5d9a4c7e07cba1a2be37d655adc7c1ab",
    ),
    "module": (
        "duckdb-eh.wasm",
        "4c221bfa59c11f24dbd750e70c90b9252eca6eec5633936e6a2ec766e55fd879",
    ),
}
_LICENCE = Path(__file__).parent / "duckdb-wasm.LICENSE.txt"


@dataclass
class WrittenSite:
    """A written site.

    Attributes:
        start: The start page.
        pages: Count of pages.
        changed: Count of new or changed files.
        removed: Count of removed files.
    """

    start: Path
    pages: int = 0
    changed: int = 0
    removed: int = 0
    files: set[str] = field(default_factory=set)  #: Names of all files.


def write_site(warehouse: Path, raw: Path, *, explore: bool = False) -> WrittenSite:
    """Write the site of the published warehouse to `site/` beside it.

    Raises:
        WarehouseError: There is no warehouse, or it was built by another version.
        BenchledgerError: The folder of the site is a link, or leads out of itself, or the engine
            that answers SQL in the browser is not installed.
        NotOursError: There is a folder of that name that no report has written, or a page was
            changed.
    """
    folder = warehouse / FOLDER
    published = warehouse / FILE_NAME
    # Whether it can be opened, before anything is written.
    tables_in(published)
    give_back(folder)
    with work_folder(folder) as still, read_as_copy(published):
        site = _Site(folder, still)
        # A second name for the same bytes: a build may publish another file while the pages are
        # written.
        (still / FILE_NAME).hardlink_to(published)
        found, pictures = SiteRows(still), Pictures(raw)
        templates = _templates(found, has_engine=explore)
        for name, script in explore_files(still / FILE_NAME) if explore else ():
            site.write(name, script)
        claims = claim_pages(still, raw, found.rows["claims"], pictures)
        # Every page has named how its long tables continue before they are written.
        for page in chain(found.pages(), claims, found.further, feeds(found)):
            site.write(page.path, _rendered(page, templates))
        evidence = evidence_scripts(still, raw, found, pictures)
        for name, content in chain(found.scripts(), evidence):
            site.write(name, content)
        for name, picture in pictures.drawn.items():
            if picture is not None:
                site.write(name, picture)
        for path in (path for path in sorted(_STATIC.rglob("*")) if path.is_file()):
            site.write(f"static/{path.relative_to(_STATIC).as_posix()}", path.read_bytes())
        return site.finish()


def _templates(found: SiteRows, *, has_engine: bool) -> Environment:
    """The templates with what they ask: rows, parts of long tables, plots."""
    templates = environment()
    templates.globals |= {
        "rows": found.rows,
        "of": found.of,
        "listing_of": found.listing,
        "plot": found.plot,
        "first_rows": first_rows,
        "has_engine": has_engine,
        "questions": [path.read_text("utf-8") for path in sorted(_QUESTIONS.glob("*.sql"))],
        "schema": sorted(PUBLISHED, key=lambda table: table.layer != "main"),
    }
    return templates


def _rendered(page: SitePage, templates: Environment) -> bytes:
    context = {"root": root_of(page.path), "path": page.path}
    # Half of a surrogate pair is no character; `visible` has written out all that documents hold.
    return (
        templates.get_template(page.template).render(context | dict(page.content)).encode("utf-8")
    )


class _Site:
    """The folder of the site, which its list marks. It removes what it has made itself, and nothing
    anywhere else.

    Args:
        folder: The folder.
        work: Where a file is written before it has its place.
    """

    def __init__(self, folder: Path, work: Path) -> None:
        if folder.is_symlink() or folder.is_file():
            raise BenchledgerError(
                f"{folder} is a link or a file; move it, or choose another folder"
            )
        self._folder, self._work = own_folder(folder, marker=_LIST), work
        # Before anything is replaced.
        for path in self._listed().values():
            refuse_others(path)
        self._outcome = WrittenSite(folder / START_PAGE.name)
        self._checked: set[Path] = set()

    def write(self, name: str, content: bytes) -> None:
        """Put a file in place, unless the same bytes stand there."""
        if name in self._outcome.files:
            raise BenchledgerError(f"two pages of the site have one address: {name}")
        self._outcome.files.add(name)
        self._outcome.pages += name.endswith(".html")
        path = self._folder / name
        content = marked(content)
        if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
            return
        self._check(path.parent)
        create_file(self._work / path.name, content)
        take_place(self._work / path.name, path, self._work)
        self._outcome.changed += 1

    def finish(self) -> WrittenSite:
        """Remove what the site once wrote and has no more, and keep the list of what it wrote."""
        listed = self._listed()
        for name in sorted(listed.keys() - self._outcome.files):
            refuse_others(listed[name])
            listed[name].unlink(missing_ok=True)
            self._outcome.removed += 1
        names = "\n".join(sorted(self._outcome.files)) + "\n"
        replace_file(self._folder / _LIST, names.encode())
        return self._outcome

    def _listed(self) -> dict[str, Path]:
        """The listed files that are in the site's folder: anybody may have written to the list."""
        root, found = self._folder.resolve(), {}
        for name in (self._folder / _LIST).read_text("utf-8", "replace").splitlines():
            path = self._folder / name
            if path.is_file() and str(path.resolve()) == f"{root}/{name}":
                found[name] = path
        return found

    def _check(self, folder: Path) -> None:
        """Make a folder of the site; one that is a link to elsewhere is none."""
        if folder in self._checked:
            return
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(self._folder.resolve()):
            raise BenchledgerError(
                f"{folder} leads out of the site; remove it and write the site again"
            )
        self._checked.add(folder)


# SQL in the browser: a page that is opened from the disk may not fetch anything, but it may load
# scripts.


def engine_folder() -> Path:
    """Where DuckDB-WASM is: `BENCHLEDGER_DUCKDB_WASM`, else where `make explore` installs it."""
    installed = Path(sys.prefix) / "npm" / "node_modules" / "@duckdb" / "duckdb-wasm" / "dist"
    return Path(os.environ.get("BENCHLEDGER_DUCKDB_WASM", installed))


def explore_files(published: Path) -> Iterator[tuple[str, bytes]]:
    """Scripts that hold the engine and the warehouse file, and the engine's licence, by their path
    in the site.

    Raises:
        BenchledgerError: The engine is not there, or its bytes are others than those that were
            tried.
    """
    for name, (file, digest) in _ENGINE.items():
        path = engine_folder() / file
        if not path.exists():
            raise BenchledgerError(
                f"there is no {path}; `make explore` installs DuckDB-WASM {VERSION} and writes the site"
            )
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise BenchledgerError(
                f"{path} is not the one of DuckDB-WASM {VERSION}; `make explore` installs it anew"
            )
        yield f"explore/{name}.js", packed_script("exploreFiles", name, content)
    yield "explore/warehouse.js", packed_script("exploreFiles", "warehouse", published.read_bytes())
    yield "explore/LICENSE.txt", _LICENCE.read_bytes()
