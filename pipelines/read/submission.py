"""A submission to MLPerf as one document: the logs and the descriptions of systems in a
folder.

Each file begins with a heading, its path within the folder; its lines follow as they are. What they
mean belongs in `extract/mlperf_training.py` and `extract/mlperf_inference.py`.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from pipelines.read.document import Document, ReadError

# `results/ipu-pod16-TF1/resnet/result_0.txt`, `results/ipu-pod16-TF1/resnet/scaling.json`,
# `systems/ipu-pod16-TF1.json`, `results/DGX-B200/bert-99/Offline/performance/run_1/mlperf_log_summary.txt`
MEMBER = re.compile(
    r"results/(?!\.)[^/]+/(?!\.)[^/]+/(?:result_[^/]+\.txt|scaling\.json"
    r"|[^/]+/performance/run_\d+/mlperf_log_summary\.txt)|systems/(?!\.)[^/]+\.json"
)
MEDIA_TYPE = "inode/directory"
# The largest round has some hundred megabytes of logs of all its submitters.
MAX_BYTES = 256 * 1024 * 1024

_LINE_END = re.compile(r"\r\n|\n|\r")


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


def submission_digest(folder: Path) -> str:
    """sha256 of what `sha256sum` prints of the members in the order of their paths."""
    digest = hashlib.sha256()
    for name in members(folder):
        with (folder / name).open("rb") as file:
            digest.update(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n".encode())
    return digest.hexdigest()


def submission_size(folder: Path) -> int:
    """Bytes of the members."""
    return sum((folder / name).stat().st_size for name in members(folder))


def read_submission(folder: Path, document_id: str, format: str | None = None) -> Document:
    """The members one after the other, each below its path as a heading.

    Raises:
        ReadError: `too_large`, or `empty_document` where the folder holds no log.
    """
    names = members(folder)
    if not is_submission(folder):
        raise ReadError(
            "empty_document",
            "the folder has no results/<system>/<benchmark>/result_N.txt, and no <scenario>/performance/run_N/"
            "mlperf_log_summary.txt there",
        )
    if (size := submission_size(folder)) > MAX_BYTES:
        raise ReadError(
            "too_large",
            f"{size:,} bytes of logs are more than the {MAX_BYTES:,} allowed; add a part",
        )
    lines: list[str] = []
    levels = []
    for name in names:
        lines.append(name)
        levels.append((len(lines), 1))
        lines += _LINE_END.split(_text((folder / name).read_bytes()).removesuffix("\n"))
    return Document(document_id, format, tuple(lines), levels=tuple(levels))


def _text(content: bytes) -> str:
    # Output of other programs, in any encoding, may be between the relevant lines, which are ASCII.
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
