"""What became of each attempt to fetch a source: `raw/<publisher>/<source>/fetches.jsonl`, only
ever appended to.

A line is an attempt in full, or says only when the attempt before it came out in just the same way
again: years of looks at a page that does not change stay small, and none of them is lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, ValidationError

from pipelines.exceptions import BenchledgerError
from pipelines.ingest.sidecars import within_years

FETCH_LOG = "fetches.jsonl"

Result = Literal["unchanged", "changed", "gone", "blocked", "failed"]
# With these outcomes the page was seen.
SEEN: tuple[str, ...] = ("unchanged", "changed")

Moment = Annotated[AwareDatetime, AfterValidator(within_years)]


class FetchLogError(BenchledgerError):
    """A log with a line that is no attempt; the message names the line."""


class Attempt(BaseModel):
    """One attempt to fetch a source, as in a full line of its log.

    Attributes:
        source: `publisher/source`.
        url: Requested address.
        attempted_at: When, in UTC.
        outcome: `unchanged`, `changed`, `gone`, `blocked` or `failed`.
        reason: A sentence; None for a plain `changed` or `unchanged`.
        requests: Count of requests, with retries and redirects.
        status: HTTP status of the last response.
        final_url: Address of the last response, after redirects.
        media_type: Media type of the body.
        bytes: Size of the decompressed body.
        etag, last_modified: Headers for the next conditional request.
        document_id: The stored snapshot with the same content; its bytes may differ.
        not_before: The server's request not to fetch before this time.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    url: str
    attempted_at: Moment
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
    not_before: Moment | None = None


class _Again(BaseModel):
    """A short line of the log: when the attempt before it was made again, with the same outcome in
    every field.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    again_at: Moment


_AGAIN = '{"again_at"'


def read_attempts(folder: Path) -> list[Attempt]:
    """The attempts of a source in their order; a last line broken off in the middle of writing does
    not count.

    Raises:
        FetchLogError: A line is no attempt.
    """
    path = folder / FETCH_LOG
    if not path.exists():
        return []
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = f"{FETCH_LOG} cannot be read: {error}; correct it or move it away"
        raise FetchLogError(reason) from error
    found: list[Attempt] = []
    # What follows the last line feed is empty, or a line that was never finished.
    for number, line in enumerate(lines[:-1], start=1):
        try:
            if found and line.startswith(_AGAIN):
                again = _Again.model_validate_json(line)
                found.append(found[-1].model_copy(update={"attempted_at": again.again_at}))
            else:
                found.append(Attempt.model_validate_json(line))
        except ValidationError as error:
            reason = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise FetchLogError(
                f"{FETCH_LOG}, line {number}: {reason}; correct or delete the line"
            ) from error
    return found


def append_attempt(folder: Path, attempt: Attempt) -> None:
    """Add an attempt to the log of its source, as a line, shortened if it has the same result as
    the previous one.
    """
    try:
        before = read_attempts(folder)[-1:]
    except FetchLogError:
        # A line that somebody broke may be the attempt before.
        before = []
    line = attempt.model_dump_json(exclude_none=True)
    if [one.model_copy(update={"attempted_at": attempt.attempted_at}) for one in before] == [
        attempt
    ]:
        line = _Again(again_at=attempt.attempted_at).model_dump_json()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FETCH_LOG).open("a+b") as file:
        file.seek(0)
        # A line that an earlier process did not finish must not swallow this one.
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(line.encode() + b"\n")
