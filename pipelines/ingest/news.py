"""What under `raw/` gives a build something new to say; a look at a page that found it unchanged does not.

The lines of the fetch logs wait for the next build that has a reason, and a build by hand takes them up. Only an
outcome of another kind than the one before is a reason itself: without it the ledger would call a page that is gone
well, or one that is back gone, until something else changes.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from pipelines.ingest.fetch_log import FETCH_LOG, SEEN, FetchLogError, read_runs

# More sources than anyone registers: a log is read again only when it has changed.
_LOGS_KEPT = 4096


def state_of_store(raw: Path) -> tuple[str, float]:
    """Hash of all that is a reason to build, and when the last visible file beside the logs changed.

    Names, sizes and times of the visible files count, and of each fetch log whether its source was seen at the last
    attempt, and if not, what came of that.
    """
    digest, changed_at = hashlib.sha256(), 0.0
    for path in sorted(raw.rglob("*")):
        place = path.relative_to(raw)
        if any(part.startswith(".") for part in place.parts) or not path.is_file():
            continue
        status = path.stat()
        if path.name == FETCH_LOG and len(place.parts) == 3:
            state = _outcome(path.parent, status.st_mtime_ns, status.st_size)
        else:
            state = f"{status.st_size} {status.st_mtime_ns}"
            changed_at = max(changed_at, status.st_mtime)
        digest.update(f"{place.as_posix()}\0{state}\n".encode())
    return digest.hexdigest(), changed_at


@lru_cache(maxsize=_LOGS_KEPT)
def _outcome(folder: Path, changed_ns: int, size: int) -> str:
    try:
        runs = read_runs(folder)
    except FetchLogError as error:
        return str(error)
    if not runs:
        return "never"
    return "seen" if runs[-1].first.outcome in SEEN else runs[-1].first.outcome
