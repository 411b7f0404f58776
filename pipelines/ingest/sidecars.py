"""The two sidecar files of the store: `source.yml` beside the snapshots, `snapshot.yml` beside the
documents.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from pipelines.exceptions import BenchledgerError, WrongUseError
from pipelines.extract.contract import formats, module_names
from pipelines.own_files import replace_file
from pipelines.yaml_files import YamlError, load_yaml

# Python's calendar ends with the years 1 and 9999, and a time zone must not lead beyond it.
_YEARS = range(1970, 2201)
AnyDay = TypeVar("AnyDay", bound=date)

# A month has no fixed length; a source that is looked at monthly may be looked at every thirty
# days.
_MINUTES = {"minute": 1, "hour": 60, "day": 24 * 60, "week": 7 * 24 * 60, "month": 30 * 24 * 60}
# No page of benchmarks changes more often, and more requests would be impolite.
SHORTEST_ELSEWHERE = timedelta(hours=1)
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
# `12 hours`, `every 2 weeks`, `every day`
_CADENCE = re.compile(
    r"(?:every )?(?:(?P<count>[1-9]\d{0,3}) )?(?P<unit>minute|hour|day|week|month)s?"
)


def parse_cadence(text: str) -> timedelta:
    """The time between two looks at a source.

    Raises:
        ValueError: The text names no interval.
    """
    words = " ".join(text.lower().split())
    match = _CADENCE.fullmatch(_ADVERBS.get(words, words))
    if not match:
        raise ValueError(
            f"{text!r} is not a valid cadence; use daily, weekly, monthly, or for example `12 hours`"
        )
    return timedelta(minutes=int(match["count"] or 1) * _MINUTES[match["unit"]])


def within_years(day: AnyDay) -> AnyDay:
    """A day or a time of the years 1970 to 2200.

    Raises:
        ValueError: It is of another year.
    """
    if day.year not in _YEARS:
        raise ValueError(f"the year {day.year} is not between {_YEARS[0]} and {_YEARS[-1]}")
    return day


SOURCE_FILE = "source.yml"
SNAPSHOT_FILE = "snapshot.yml"
# `graphcore/performance-results`: two folder names
SOURCE_NAME = re.compile(r"[^\W_][\w.-]*/[^\W_][\w.-]*")
SOURCE_HINT = "use publisher/source, such as graphcore/performance-results"

# A day may have ten thousand documents.
_MOST_BYTES = 4 << 20
# `# checked twice`, also after a value
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)


class SidecarError(BenchledgerError):
    """A sidecar that does not say what it must; the message names the field and what is wrong with
    it.
    """


Day = Annotated[date, AfterValidator(within_years)]
Moment = Annotated[datetime, AfterValidator(within_years)]
Interest = Literal["vendor", "competitor", "independent", "unknown"]


class _SidecarModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_SidecarModel):
    """`source.yml`: who publishes, with what interest, and where and how often to look for a newer
    release.

    Attributes:
        cadence: `daily`, `weekly`, `12 hours`, with `allow_hosts` also `5 minutes`; without it, or
            without a url, the source is never fetched by itself.
        formats: Source formats of its documents, such as `results_page`; the first is what a new
            one is expected to be.
        urls: Addresses of further pages of the source, fetched with it: each is a document of its
            snapshots.
        replaced_on: When the page was replaced by another one that is not stored: its documents are
            of before.
        licence: What may be done with the documents.
        allow_hosts: Host names that may be fetched from although their addresses are not public.
        rows_lost_up_to: Share of its results that a new snapshot may lack before a check fails.
    """

    publisher: str = Field(min_length=1)
    source: str | None = None
    title: str | None = None
    url: str | None = None
    urls: list[str] = []
    replaced_on: Day | None = None
    interest: Interest = "unknown"
    cadence: str | None = None
    formats: list[str] = []
    licence: str | None = None
    allow_hosts: list[str] = []
    rows_lost_up_to: float = Field(default=0.2, ge=0, le=1)

    @model_validator(mode="after")
    def _is_no_burden(self) -> Self:
        if (
            self.cadence is not None
            and parse_cadence(self.cadence) < SHORTEST_ELSEWHERE
            and not self.allow_hosts
        ):
            raise ValueError("cadence: minutes are only for hosts in allow_hosts; use hourly")
        return self

    @field_validator("title", "url")
    @classmethod
    def _is_text(cls, text: str | None) -> str | None:
        # Bytes of a command line that are no UTF-8 are halves of surrogate pairs, which no YAML can
        # hold.
        (text or "").encode()
        return text

    @field_validator("formats")
    @classmethod
    def _are_formats(cls, names: list[str]) -> list[str]:
        # A page stored under the name of no format would not be read even when the name is mended.
        for name in names:
            if name not in module_names():
                raise ValueError(f"unknown format {name!r}; known are: {', '.join(formats())}")
        return names


class Captured(_SidecarModel):
    """One document of a `snapshot.yml`.

    Attributes:
        charset: Encoding that the server has named; the document's own statement counts where it
            does not fit.
        snapshot_at: When the page was first seen to read so, which orders the snapshots of a
            source; fetched documents have it. Without it the day of publication orders them, else
            the day of retrieval.
        seen_again_at: Times at which the page returned to this content; each is a separate
            snapshot.
    """

    file: str = Field(min_length=1, pattern=r"^[^/\\]+$")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)
    media_type: str = "text/plain"
    charset: str | None = None
    format: str | None = None
    title: str | None = None
    url: str | None = None
    published_on: Day | None = None
    retrieved_at: Moment
    snapshot_at: Moment | None = None
    seen_again_at: list[Moment] = []
    edition: Literal["original", "facts"] = "original"
    note: str | None = None


class Snapshot(_SidecarModel):
    """`snapshot.yml`: the documents captured together."""

    documents: list[Captured]


Sidecar = TypeVar("Sidecar", Source, Snapshot)
Described = TypeVar("Described", Source, Captured)


def moments_of(entry: Captured) -> list[datetime]:
    """When a source began to read like a document, each time, in order; in UTC without a zone.

    Documents added by hand on one day are one snapshot, whatever the hour.
    """
    by_hand = datetime.combine(entry.published_on or in_utc(entry.retrieved_at).date(), time())
    first = in_utc(entry.snapshot_at) if entry.snapshot_at else by_hand
    return sorted({first, *map(in_utc, entry.seen_again_at)})


def moment_of(entry: Captured) -> datetime:
    """What orders a document among the snapshots of its source: the last of its moments."""
    return moments_of(entry)[-1]


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC, without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def read_sidecar(path: Path, kind: type[Sidecar]) -> Sidecar:
    """A sidecar file, checked field by field.

    Raises:
        SidecarError: The file is no YAML, too large or too deep, lacks a field, has one too many,
            or a value is of the wrong kind.
    """
    try:
        content = load_yaml(path, most_bytes=_MOST_BYTES)
    except YamlError as error:
        raise SidecarError(f"{path.name}: {error}") from error
    if not isinstance(content, dict):
        raise SidecarError(
            f"{path.name} must contain fields with values, such as `publisher: graphcore`"
        )
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise SidecarError(
            f"{path.name} has wrong fields: {'; '.join(map(_worded, error.errors()))}"
        ) from error


def checked(kind: type[Described], **fields: Any) -> Described:
    """A source, or an entry of a snapshot, with those of the fields that have a value.

    Raises:
        WrongUseError: A field has a wrong value.
    """
    try:
        return kind.model_validate({name: value for name, value in fields.items() if value})
    except ValidationError as error:
        raise WrongUseError("; ".join(map(_worded, error.errors()))) from error


def _worded(fault: ErrorDetails) -> str:
    """The error of a field as a sentence."""
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}{': ' if place else ''}{fault['msg'].removeprefix('Value error, ')}"


def write_sidecar(path: Path, sidecar: Source | Snapshot) -> None:
    """Write a sidecar as YAML, in the order of its fields, complete or not at all; comments go to
    its top.
    """
    text = yaml.safe_dump(sidecar.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    comments = _COMMENT.findall(path.read_text("utf-8")) if path.exists() else []
    # A `#` within a value is no comment, and is in the text.
    kept = [f"{comment}\n" for comment in dict.fromkeys(comments) if comment not in text]
    replace_file(path, "".join([*kept, text]).encode())
