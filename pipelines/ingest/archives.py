"""A submission as a zip file: its logs and descriptions of systems are unpacked, and nothing else is."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from pipelines.read.submission import MAX_BYTES, MEMBER

ARCHIVE_SUFFIX = ".zip"
# A member is a log or a description: two folders and a name below `results`, a name below `systems`.
_DEPTHS = {"results": 4, "systems": 2}


class ArchiveError(Exception):
    """A zip file that holds no submission, or more than one; the message says what to do."""


def unpack_submission(archive: Path, folder: Path) -> Path:
    """The folder of the one submission in a zip file, unpacked into an empty folder.

    Raises:
        ArchiveError: It is damaged, too large, or does not hold one submission.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            wanted = _members(packed)
            # `submission-main/Acme/results/...` is Acme's, `results/...` that of whoever named the file.
            root = folder / (wanted[0][0].name or archive.stem)
            left = MAX_BYTES
            for _, name, info in wanted:
                with packed.open(info) as file:
                    # What a header says of the size need not be true.
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise ArchiveError(f"its logs are more than the {MAX_BYTES:,} bytes allowed; add a part of them")
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(content)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError, OSError) as error:
        raise ArchiveError(f"the zip file cannot be unpacked: {error}") from error
    return root


def _members(packed: zipfile.ZipFile) -> list[tuple[PurePosixPath, str, zipfile.ZipInfo]]:
    """Root, path within it, and entry of each file of the one submission."""
    found = []
    for info in packed.infolist():
        parts = PurePosixPath(info.filename).parts
        for kind, depth in _DEPTHS.items():
            at = len(parts) - depth
            if at >= 0 and parts[at] == kind and ".." not in parts and MEMBER.fullmatch("/".join(parts[at:])):
                found.append((PurePosixPath(*parts[:at]), "/".join(parts[at:]), info))
    roots = sorted({root.as_posix() for root, name, _ in found if name.endswith(".txt")})
    if len(roots) != 1:
        many = f"{len(roots)} submissions ({', '.join(roots[:3])} ...)" if roots else "no submission"
        raise ArchiveError(f"it holds {many}; it must hold the logs of one, results/<system>/<benchmark>/result_N.txt")
    return [one for one in found if one[0].as_posix() == roots[0]]
