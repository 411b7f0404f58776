"""A submission to MLPerf as one document: the logs and the descriptions of systems in a folder or a
zip file.

Each file begins with a heading, its path within the submission; its lines follow as they are. A
folder and a zip file with the same files have the same lines. What they mean belongs in
`extract/mlperf_training.py` and `extract/mlperf_inference.py`.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import NoReturn

from pipelines.read.document import Document, ReadError
from pipelines.read.text import check_size

# `results/ipu-pod16-TF1/resnet/result_0.txt`, `results/ipu-pod16-TF1/resnet/scaling.json`,
# `systems/ipu-pod16-TF1.json`, `results/DGX-B200/bert-99/Offline/performance/run_1/mlperf_log_summary.txt`,
# `results/DGX-B200/bert-99/Offline/accuracy/accuracy.txt`,
# `compliance/DGX-B200/bert-99/Offline/TEST01/verify_performance.txt`; since v6.0 `results/.../TEST01`
MEMBER = re.compile(
    r"results/(?!\.)[^/]+/(?!\.)[^/]+/(?:result_[^/]+\.txt|scaling\.json"
    r"|[^/]+/(?:performance/run_\d+/mlperf_log_summary|accuracy/accuracy)\.txt)|systems/(?!\.)[^/]+\.json"
    r"|(?:compliance|results)/(?!\.)[^/]+/(?!\.)[^/]+/[^/]+/TEST0[145](?:-A)?/verify_(?:performance|accuracy)\.txt"
)
# `main/Acme/results/acme-8/bert/result_0.txt`
_PACKED = rf"(?P<root>(?:.*/)?)(?P<member>{MEMBER.pattern})"
MEDIA_TYPE = "inode/directory"
_SUFFIX = ".zip"
# The largest round has some hundred megabytes of logs of all its submitters, and ten thousand
# files; whole submissions have their code beside them.
MAX_BYTES = 256 * 1024 * 1024
_MOST_FILES = 100_000
_ENCRYPTED = 1
_DAMAGED = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, ValueError, RuntimeError)

_LINE_END = re.compile(r"\r\n|\n|\r")


def is_packed(path: Path) -> bool:
    """Whether a file is a zip file, by its name: all that is read of these is submissions."""
    return path.suffix.lower() == _SUFFIX and path.is_file()


def is_submission(folder: Path) -> bool:
    """True for a folder that holds logs where a submission has them."""
    return (folder / "results").is_dir() and any(name.endswith(".txt") for name in members(folder))


def members(folder: Path) -> list[str]:
    """Paths, within the folder, of the files of a submission, in order, without hidden ones and
    without links, which may lead out of it.
    """
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    names = (path.relative_to(folder).as_posix() for path in files)
    return sorted(filter(MEMBER.fullmatch, names))


def submission_digest(place: Path) -> str:
    """sha256 of what `sha256sum` prints of the members in the order of their paths.

    Raises:
        ReadError: A zip file that `check_archive` refuses, or that is damaged.
    """
    digest = hashlib.sha256()
    for name, content in _contents(place):
        digest.update(f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode())
    return digest.hexdigest()


def submission_size(folder: Path) -> int:
    """Bytes of the members."""
    return sum((folder / name).stat().st_size for name in members(folder))


def check_archive(path: Path) -> None:
    """Refuse a zip file that is not one submission, by its directory, before anything is unpacked.

    Raises:
        ReadError: `too_large`, or `bad_archive`: it is damaged, holds no submission or several,
            other zip files, links, encrypted files, two files of one name, or a path that leads out
            of it; the reason names the file.
    """
    check_size(path.stat().st_size)
    try:
        with zipfile.ZipFile(path) as packed:
            _members_of(packed)
    except _DAMAGED as error:
        _fail(f"the zip file is damaged: {error}")


def _fail(reason: str, rule: str = "bad_archive") -> NoReturn:
    raise ReadError(rule, reason)


def _check_total(size: int) -> None:
    if size > MAX_BYTES:
        reason = f"{size:,} bytes of logs are more than the {MAX_BYTES:,} allowed; add a part"
        _fail(reason, "too_large")


def _members_of(packed: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members of the one submission in a zip file by their paths in it, in order."""
    files = packed.infolist()
    if len(files) > _MOST_FILES:
        reason = f"it holds {len(files):,} files, more than the {_MOST_FILES:,} allowed; add a part"
        _fail(reason, "too_large")
    by_root: dict[str, dict[str, zipfile.ZipInfo]] = {}
    for file in files:
        _check_name(file.filename)
        if match := re.fullmatch(_PACKED, file.filename):
            found = by_root.setdefault(match["root"], {})
            if match["member"] in found:
                _fail(f"it holds {file.filename} twice")
            found[match["member"]] = file
    # Descriptions of systems and code of the submitter may be anywhere.
    roots = [root for root in by_root if any(name.endswith(".txt") for name in by_root[root])]
    if len(roots) != 1:
        names = ", ".join(root.rstrip("/") for root in sorted(roots)[:3])
        many = f"{len(roots)} submissions ({names} ...)" if roots else "no submission"
        _fail(f"it contains {many}; only one is allowed, results/<system>/<benchmark>/result_N.txt")
    found = dict(sorted(by_root[roots[0]].items()))
    for file in found.values():
        if file.flag_bits & _ENCRYPTED:
            _fail(f"{file.filename} is encrypted; pack it without a password")
        if stat.S_ISLNK(file.external_attr >> 16):
            _fail(f"{file.filename} is a link; pack the file itself")
    _check_total(sum(file.file_size for file in found.values()))
    return found


def _check_name(name: str) -> None:
    """Refuse what cannot be a path within a zip file, and another zip file, which is not read."""
    if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts:
        _fail(f"it holds {name!r}, a path that may lead out of it; pack it again")
    if name.lower().endswith(_SUFFIX):
        _fail(
            f"it holds another zip file, {name}, which is not read; add that alone, or pack it without"
        )


def _contents(place: Path) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each member, in order."""
    if not is_packed(place):
        for name in members(place):
            yield name, (place / name).read_bytes()
        return
    try:
        with zipfile.ZipFile(place) as packed:
            # No more is unpacked of a file than its header says.
            for name, file in _members_of(packed).items():
                yield name, packed.read(file)
    except _DAMAGED as error:
        _fail(f"the zip file is damaged: {error}")


def read_submission(place: Path, document_id: str, format: str | None = None) -> Document:
    """The members of a folder or a zip file one after the other, each below its path as a heading.

    Raises:
        ReadError: `too_large`, `empty_document` where a folder holds no log, or `bad_archive`.
    """
    if is_packed(place):
        check_archive(place)
    elif is_submission(place):
        _check_total(submission_size(place))
    else:
        raise ReadError(
            "empty_document",
            "the folder has no results/<system>/<benchmark>/result_N.txt, and no <scenario>/performance/run_N/"
            "mlperf_log_summary.txt there",
        )
    lines: list[str] = []
    levels = []
    for name, content in _contents(place):
        lines.append(name)
        levels.append((len(lines), 1))
        lines += _LINE_END.split(_text(content).removesuffix("\n"))
    return Document(document_id, format, tuple(lines), levels=tuple(levels))


def _text(content: bytes) -> str:
    # Output of other programs, in any encoding, may be between the relevant lines, which are ASCII.
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
