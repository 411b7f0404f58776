"""Files and folders that this program may replace and remove, and how it writes them without
touching those of others.

A folder is ours when it holds the marker, a page or a picture when it ends with the mark of its
content; incomplete files are in a marked work folder beside their target. What users are given is
replaced by `pipelines.export.replacing`.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from pipelines.exceptions import WrongUseError

MARKER = ".benchledger"
_MEANING = b"benchledger writes this folder, and removes what it has written here.\n"
# In a work folder what had the name of a complete file or folder: only who moved it there may
# remove it.
DISPLACED = "displaced"
# A comment in HTML and XML, in CSS, and in a script; readers of pictures ignore what follows a
# picture.
_MARK = b"\n<!-- /* written by benchledger, sha256 of the rest: "
_MARK_END = b" */ -->\n"
# No page and no picture is larger.
_MOST_BYTES = 2**30


class NotOursError(WrongUseError):
    """A file or folder that this program did not write, or that was changed; the message says what
    to do.
    """


# What is ours


def own_folder(folder: Path, marker: str = MARKER) -> Path:
    """A folder of this program; created and marked if it does not exist.

    Raises:
        NotOursError: The folder has no marker, and holds another file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # Listed first: who makes the folder at the same time marks it before all else.
    others = [path.name for path in folder.iterdir()]
    if not (folder / marker).is_file():
        if others:
            raise NotOursError(
                f"{folder} holds {min(others)}, which benchledger did not write",
                hint="move it, or choose another folder",
            )
        with suppress(FileExistsError):
            create_file(folder / marker, _MEANING)
    return folder


def marked(content: bytes) -> bytes:
    """A page or a picture with a mark at its end that has the sha256 of the rest."""
    start, end = content + _MARK, _MARK_END
    return start + hashlib.sha256(start + end).hexdigest().encode() + end


def is_marked(path: Path) -> bool:
    """Whether a file is a page or a picture as this program has written it."""
    if not is_regular(path) or path.stat().st_size > _MOST_BYTES:
        return False
    content = path.read_bytes()
    start, _, _ = content.rpartition(_MARK)
    return marked(start) == content


def files_in(path: Path) -> set[Path]:
    """A file itself, or all files and links in a folder."""
    found = path.rglob("*") if is_folder(path) else [path]
    return {one for one in found if not is_folder(one)}


# How it is written


@contextmanager
def work_folder(target: Path) -> Iterator[Path]:
    """A folder beside a target for what is not complete yet, `.NAME.RANDOM.partial`; it is removed
    at the end.

    Those that killed processes have left beside the target are removed at the beginning.
    """
    for left in left_work_folders(target):
        _remove_work_folder(left)
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    # Locked before its name says that it may have been left.
    with FileLock(folder / MARKER):
        folder = folder.rename(f"{folder}.partial")
        try:
            yield folder
        finally:
            _remove_work_folder(folder)


def left_work_folders(target: Path) -> Iterator[Path]:
    """The work folders that killed processes have left beside a target, each locked until the next
    one.
    """
    for path in target.parent.glob(f".{glob.escape(target.name)}.*.partial"):
        # What has no marker is not ours, and what another process removes is gone.
        if is_regular(path / MARKER):
            with suppress(OSError, Timeout), FileLock(path / MARKER, timeout=0):
                yield path


def _remove_work_folder(folder: Path) -> None:
    """Remove a work folder, its marker last: what a kill leaves of it is removed by the next run."""
    if os.path.lexists(folder / DISPLACED):
        return
    for path in folder.iterdir():
        if is_folder(path):
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != MARKER:
            path.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def create_file(path: Path, content: bytes) -> None:
    """Write a new file.

    Raises:
        FileExistsError: There is one of this name, or a link.
    """
    with path.open("xb") as file:
        file.write(content)


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file of this program atomically: a reader sees the old content or the new one."""
    with work_folder(path) as work:
        new = work / path.name
        create_file(new, content)
        new.replace(path)


def give_name(path: Path, target: Path) -> None:
    """Give a file or folder its name where nothing but an empty folder has it.

    Raises:
        FileExistsError: Something has the name.
    """
    # A file system may have no hard links.
    with suppress(OSError):
        if is_folder(path):
            path.rename(target)
        else:
            target.hardlink_to(path)
            path.unlink()
        return
    if os.path.lexists(target):
        raise FileExistsError(f"{target} is there already")
    path.rename(target)


def keep_beside(path: Path, target: Path, suffix: str = "") -> Path:
    """Give a file or folder a name with a suffix, and a number between them if needed; nothing is
    replaced.
    """
    for number in count(1):
        place = target.with_name(f"{target.name}{f'.{number}' if number > 1 else ''}{suffix}")
        with suppress(FileExistsError):
            give_name(path, place)
            break
    return place


def checksum(path: Path) -> str:
    """sha256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_folder(path: Path) -> bool:
    """Whether it is a folder, and not a link to one."""
    return path.is_dir() and not path.is_symlink()


def is_regular(path: Path) -> bool:
    """Whether it is a file, and not a link to one."""
    return path.is_file() and not path.is_symlink()
