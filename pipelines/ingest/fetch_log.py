"""What became of each attempt to fetch a source: `raw/<publisher>/<source>/fetches.jsonl`, only ever appended to."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

FETCH_LOG = "fetches.jsonl"

Result = Literal["unchanged", "changed", "gone", "blocked", "failed"]
OUTCOMES: tuple[str, ...] = get_args(Result)
# After these the source was seen as it is; after the others nobody knows.
SEEN: tuple[str, ...] = ("unchanged", "changed")


class FetchLogError(Exception):
    """A log with a line that is no attempt; the message names the line."""


class Attempt(BaseModel):
    """One line of the log.

    Attributes:
        source: `publisher/source`.
        url: Address that was asked for.
        attempted_at: When, in UTC.
        outcome: What came of it.
        reason: Why, in words; None only for a plain change or no change.
        requests: Requests made, retries and redirects among them.
        status: HTTP status of the last answer.
        final_url: Address of the last answer, after redirects.
        media_type: Media type of the body.
        bytes: Size of the body, decompressed.
        etag, last_modified: What the next request is made conditional on.
        document_id: The stored snapshot that the page reads like; its bytes may differ where no content does.
        not_before: Until when the server asked not to be asked again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    url: str
    attempted_at: AwareDatetime
    outcome: Result
    reason: str | None = None
    requests: int = 0
    status: int | None = None
    final_url: str | None = None
    media_type: str | None = None
    bytes: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    document_id: str | None = None
    not_before: AwareDatetime | None = None


def read_attempts(folder: Path) -> list[Attempt]:
    """The attempts of a source in their order; a last line broken off in the middle of writing does not count.

    Raises:
        FetchLogError: A line is no attempt.
    """
    path = folder / FETCH_LOG
    if not path.exists():
        return []
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FetchLogError(f"{FETCH_LOG} cannot be read: {error}; mend it or move it away") from error
    attempts = []
    # What follows the last line feed is empty, or a line that was never finished.
    for number, line in enumerate(lines[:-1], start=1):
        try:
            attempts.append(Attempt.model_validate_json(line))
        except ValidationError as error:
            fault = error.errors()[0]
            raise FetchLogError(f"{FETCH_LOG}, line {number}: {fault['msg']}; mend or remove the line") from error
    return attempts


def append_attempt(folder: Path, attempt: Attempt) -> None:
    """Add an attempt to the log of its source, on a line of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FETCH_LOG
    with path.open("a+b") as file:
        # A line that an earlier process did not finish must not swallow this one.
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                _cut_unfinished(path)
        file.seek(0, 2)
        file.write(attempt.model_dump_json(exclude_none=True).encode() + b"\n")


def _cut_unfinished(path: Path) -> None:
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.truncate(content.rfind(b"\n") + 1)
