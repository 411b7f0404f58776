"""The files under `raw/`: those that may be taken, and why the others are not. What they say is for
`store.py`.

A store is what its folders hold: a link to a folder is never followed, so that none leads out of
the store or in a circle, and a link to a file only where the file is in the store itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipelines.own_files import is_folder


@dataclass(frozen=True)
class Fault:
    """Something under `raw/` that cannot be taken up; `path` is relative to `raw/`, `scope` what is
    lost by it.
    """

    path: str
    rule: str
    reason: str
    document_id: str | None = None
    scope: str = "document"


def visible_files(raw: Path, faults: list[Fault]) -> Iterator[Path]:
    """The files of a store that may be read; what is not taken (closed folders, links, what is no
    file) is a fault.
    """

    def closed(error: OSError) -> None:
        path = Path(error.filename).relative_to(raw).as_posix()
        faults.append(Fault(path, "unreadable_folder", f"{error.strerror}; check its permissions"))

    for place, folders, names in os.walk(raw, onerror=closed):
        links = [name for name in folders if not _is_text(name) or Path(place, name).is_symlink()]
        for path in (
            Path(place, name)
            for name in (*links, *names)
            if not _is_text(name) or not name.startswith(".")
        ):
            if fault := _fault_of(raw, path):
                faults.append(fault)
            else:
                yield path
        folders[:] = filter(_is_visible, folders)


def _fault_of(raw: Path, path: Path) -> Fault | None:
    shown = os.fsencode(path.relative_to(raw)).decode("utf-8", "backslashreplace")
    if not _is_text(path.name):
        return Fault(shown, "unreadable_name", "its name is not UTF-8; rename it")
    if path.is_symlink() and not is_inside(raw, path):
        reason = "the link leaves the store, and is not followed; store the file itself"
        return Fault(shown, "link_leads_outside", reason)
    leads_to_folder = False
    with suppress(OSError):
        if path.is_file():
            return None
        leads_to_folder = path.is_dir()
    if leads_to_folder:
        reason = "links to folders are not followed; the files are read at their real location"
        return Fault(shown, "linked_folder", reason, scope="note")
    return Fault(
        shown,
        "no_file",
        "it is not a file, a broken link, or in a folder without search permission",
    )


def folders_in(folder: Path) -> list[Path]:
    """The visible folders in a readable folder, without links, in the order of their paths."""
    # Errors are reported when the files are listed; a missing folder is empty.
    with suppress(OSError):
        found = [path for path in folder.iterdir() if _is_visible(path.name) and _is_open(path)]
        # `a-b/` comes before `a/`.
        return sorted(found, key=lambda path: f"{path.name}/")
    return []


def source_folders(raw: Path) -> list[Path]:
    """The folders of all sources, `<publisher>/<source>`, in the order of their names."""
    return [folder for publisher in folders_in(raw) for folder in folders_in(publisher)]


def _is_open(path: Path) -> bool:
    return is_folder(path) and os.access(path, os.R_OK | os.X_OK)


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and _is_text(name)


def _is_text(name: str) -> bool:
    # Bytes that are no UTF-8 are in it as halves of surrogate pairs.
    return not any("\ud800" <= character <= "\udfff" for character in name)


def is_inside(raw: Path, path: Path) -> bool:
    """Whether a path, with all links on its way followed, is in the store; what is not there yet
    may be.
    """
    # Nothing but the path is looked at, so that a link in a circle is no error here.
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(raw))
