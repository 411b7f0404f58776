"""How what a command gives a user takes the place of what an earlier one gave: only of what nobody
has changed since.

What is ours says so itself: a page or a picture in the mark at its end, a folder in the sha256 that
its marker lists. What has the name is moved away first, then looked at: nobody saves anything to it
any more. It is removed as far as it is ours, and given back, or kept beside its successor, as far
as it is not.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pipelines.own_files import (
    DISPLACED,
    MARKER,
    NotOursError,
    checksum,
    files_in,
    give_name,
    is_folder,
    is_marked,
    is_regular,
    keep_beside,
    left_work_folders,
)


def refuse_others(path: Path, at: Path | None = None) -> None:
    """Refuse what this program did not write, or what was changed since.

    Args:
        path: A file, or a folder with all that it holds; it need not exist.
        at: Its path for the user, where it was moved.

    Raises:
        NotOursError: The message names the first such file, and says what to do.
    """
    if not os.path.lexists(path):
        return
    # A folder without a list, such as a home, is not searched.
    is_listed = not is_folder(path) or is_regular(path / MARKER)
    others = sorted(files_in(path) - _own(path) if is_listed else path.iterdir())
    if others:
        words = "was changed, or was not written by benchledger; move it, or choose another name"
        raise NotOursError(f"{(at or path) / others[0].relative_to(path)} {words}")


def _own(path: Path) -> set[Path]:
    """A marked file, or the listed files of a folder with their list: those that nobody has
    changed.
    """
    if not is_folder(path):
        return {path} if is_marked(path) else set()
    own = set()
    if is_regular(path / MARKER):
        own.add(path / MARKER)
        for line in (path / MARKER).read_text("utf-8", "replace").splitlines():
            sha256, _, name = line.partition("  ")
            listed = path / name
            if is_regular(listed) and checksum(listed) == sha256:
                own.add(listed)
    return own


def take_place(new: Path, target: Path, work: Path) -> None:
    """Give what is complete its name, which nothing has, or something that is ours and unchanged.

    Args:
        new: A file or a folder.
        target: Its name.
        work: The work folder that it was made in; `give_back` has been asked for before.

    Raises:
        NotOursError: Somebody else's file has the name, or is in the folder that has it; it stays
            where it is.
    """
    displaced = work / DISPLACED
    while True:
        try:
            with suppress(FileNotFoundError):
                target.rename(displaced)
            refuse_others(displaced, target)
            # Somebody else may be faster.
            with suppress(FileExistsError):
                give_name(new, target)
                return
        finally:
            _settle(displaced, target)


def give_back(target: Path) -> None:
    """Give its name back to what a killed process has moved away and not replaced; what is replaced
    is removed.
    """
    for left in left_work_folders(target):
        _settle(left / DISPLACED, target)


def _settle(displaced: Path, target: Path) -> None:
    """Give back what nothing has replaced; else remove what is ours and unchanged, and keep the
    rest beside.
    """
    if not os.path.lexists(displaced):
        return
    with suppress(FileExistsError):
        give_name(displaced, target)
        return
    own = _own(displaced)
    # A kill may come in between: the list is removed last.
    for path in sorted(files_in(displaced), key=lambda path: path.name == MARKER):
        if path in own:
            path.unlink()
            continue
        place = target / path.relative_to(displaced)
        place.parent.mkdir(parents=True, exist_ok=True)
        keep_beside(path, place)
    if is_folder(displaced):
        for folder in sorted([displaced, *displaced.rglob("*")], reverse=True):
            with suppress(OSError):
                folder.rmdir()
        # Whoever works in the folder may have saved one more.
        if files_in(displaced):
            _settle(displaced, target)
