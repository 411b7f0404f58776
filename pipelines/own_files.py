"""Files and folders that this program may replace and remove, and how it writes them without touching those of others.

A folder is ours when it holds the marker; incomplete files are in a marked work folder beside their target.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path

MARKER = ".benchledger"
_MEANING = b"benchledger writes this folder, and removes what it has written here.\n"
# `.exported.4711.partial`
_UNFINISHED = re.compile(r"\..+\.(?P<process>\d+)\.partial")

# Work folders of this process.
_in_use: set[Path] = set()


class NotOursError(OSError):
    """A file or folder that was not written by this program; the message names it and says what to do."""


def own_folder(folder: Path, marker: str = MARKER) -> Path:
    """A folder of this program; created and marked if it does not exist.

    Raises:
        NotOursError: The folder has no marker, and holds another file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / marker).is_file():
        others = [path.name for path in folder.iterdir()]
        if others:
            words = "which benchledger did not write; move it, or choose another folder"
            raise NotOursError(f"{folder} holds {min(others)}, {words}")
        create_file(folder / marker, _MEANING)
    return folder


@contextmanager
def work_folder(target: Path) -> Iterator[Path]:
    """A folder beside a target for what is not complete yet, `.NAME.PROCESS.partial`; it is removed at the end.

    Those that killed processes have left beside the target are removed at the beginning.
    """
    for left in left_work_folders(target):
        remove_work_folder(left)
    folder = target.with_name(f".{target.name}.{os.getpid()}.partial")
    folder.mkdir(parents=True)
    _in_use.add(folder)
    try:
        create_file(folder / MARKER, _MEANING)
        yield folder
    finally:
        remove_work_folder(folder)
        _in_use.discard(folder)


def left_work_folders(target: Path) -> Iterator[Path]:
    """The work folders that killed processes have left beside a target."""
    for path in sorted(target.parent.glob(f".{glob.escape(target.name)}.*.partial")):
        found = _UNFINISHED.fullmatch(path.name)
        is_left = found and path not in _in_use and _is_gone(int(found["process"]))
        # A kill may come between making the folder and marking it.
        if is_left and _is_folder(path) and ((path / MARKER).is_file() or not any(path.iterdir())):
            yield path


def remove_work_folder(folder: Path) -> None:
    """Remove a work folder, its marker last: what a kill leaves of it is removed by the next run."""
    for path in folder.iterdir():
        if path.name != MARKER:
            remove(path)
    remove(folder)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with its contents, as far as possible."""
    if _is_folder(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    # In a container each run may have the same number.
    return process == os.getpid()


def create_file(path: Path, content: bytes) -> None:
    """Write a new file.

    Raises:
        FileExistsError: There is one of this name, or a link.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb") as file:
        file.write(content)


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file of this program atomically: a reader sees the old content or the new one."""
    with work_folder(path) as work:
        create_file(work / path.name, content)
        (work / path.name).replace(path)


def give_name(path: Path, target: Path) -> None:
    """Give a file or folder its name where nothing has it yet.

    Raises:
        FileExistsError: Something has the name.
    """
    if not path.is_dir():
        # A file system may have no hard links.
        with suppress(OSError):
            target.hardlink_to(path)
            path.unlink()
            return
    if os.path.lexists(target):
        raise FileExistsError(f"{target} is there already")
    path.rename(target)


def keep_beside(path: Path, suffix: str) -> Path:
    """Rename a file by adding a suffix, and a number if needed; nothing is replaced."""
    names = chain([path.name + suffix], (f"{path.name}{suffix}.{number}" for number in count(2)))
    target = next(target for name in names if not os.path.lexists(target := path.with_name(name)))
    give_name(path, target)
    return target


def checksum(path: Path) -> str:
    """sha256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
