"""The files under `raw/`: those that may be taken, and why the others are not. What they say is for `store.py`.

A store is what its folders hold: a link to a folder is never followed, so that none leads out of the store or in a
circle, and a link to a file only where the file stands in the store itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """Something under `raw/` that cannot be taken up; `path` is relative to `raw/`, `scope` what is lost by it."""

    path: str
    rule: str
    reason: str
    document_id: str | None = None
    scope: str = "document"


Report = Callable[[Fault], None]


def visible_files(raw: Path, folder: Path, report: Report = lambda fault: None) -> Iterator[Path]:
    """The files in a folder and all below it that may be read, in the order of their names.

    Args:
        raw: Root of the store, in which all must stand.
        folder: A folder of it, or itself.
        report: Called with whatever is not taken: folders that cannot be opened, links, what is no file.
    """

    def closed(error: OSError) -> None:
        report(Fault(_relative(raw, Path(error.filename)), "unreadable_folder", f"{error.strerror}; let it be read"))

    for place, folders, names in os.walk(folder, onerror=closed):
        for name in sorted(filter(_is_no_text, (*folders, *names))):
            shown = os.fsencode(Path(place, name).relative_to(raw)).decode("utf-8", "backslashreplace")
            report(Fault(shown, "unreadable_name", "its name is no UTF-8; rename it"))
        folders[:] = sorted(name for name in folders if not (name.startswith(".") or _is_no_text(name)))
        for path in (Path(place, name) for name in folders):
            if path.is_symlink():
                report(_linked_folder(raw, path))
        visible = sorted(name for name in names if not (name.startswith(".") or _is_no_text(name)))
        for path in (Path(place, name) for name in visible):
            if path.is_symlink() and not is_inside(raw, path):
                report(_outside(raw, path))
            elif _is_file(path):
                yield path
            else:
                reason = "it is no file, a link to none, or in a folder that cannot be searched"
                report(Fault(_relative(raw, path), "no_file", reason))


def folders_in(folder: Path) -> list[Path]:
    """The visible folders in a folder that can be searched, in the order of the paths in them; links are none."""
    try:
        with os.scandir(folder) as entries:
            visible = [entry for entry in entries if not (entry.name.startswith(".") or _is_no_text(entry.name))]
            # `a-b/` comes before `a/`.
            in_order = sorted(visible, key=lambda entry: f"{entry.name}/")
            return [folder / entry.name for entry in in_order if _is_folder(entry)]
    except OSError:
        # Whoever walks over the files says what is wrong with it; one that is not there holds none.
        return []


def _is_no_text(name: str) -> bool:
    # Bytes that are no UTF-8 stand in it as halves of surrogate pairs.
    return any("\ud800" <= character <= "\udfff" for character in name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and os.access(entry.path, os.R_OK | os.X_OK)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def is_inside(raw: Path, path: Path) -> bool:
    """Whether a path, with all links on its way followed, stands in the store; what is not there yet may be."""
    try:
        return path.resolve().is_relative_to(raw.resolve())
    except (OSError, RuntimeError):
        # Links in a circle.
        return False


def _linked_folder(raw: Path, path: Path) -> Fault:
    if not is_inside(raw, path):
        return _outside(raw, path)
    reason = "a link to a folder of the store is not followed; what it holds is read where it stands"
    return Fault(_relative(raw, path), "linked_folder", reason, scope="note")


def _outside(raw: Path, path: Path) -> Fault:
    reason = "the link leads out of the store, or in a circle, and is not followed; put the files themselves here"
    return Fault(_relative(raw, path), "link_leads_outside", reason)


def _relative(raw: Path, path: Path) -> str:
    return path.relative_to(raw).as_posix()
