"""The registered sources: where each is fetched from, how often, when it was last seen, when it is
due.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

from pipelines.exceptions import WrongUseError
from pipelines.ingest.fetch_log import FETCH_LOG, SEEN, Attempt, FetchLogError, read_attempts
from pipelines.ingest.files import Fault, is_inside, source_folders
from pipelines.ingest.mirror import remove
from pipelines.ingest.sidecars import (
    SOURCE_FILE,
    SOURCE_HINT,
    SOURCE_NAME,
    SidecarError,
    Source,
    checked,
    parse_cadence,
    read_sidecar,
    write_sidecar,
)

# A source counts as stale when it could not be seen for this many of its intervals: one miss is no
# news.
STALE_AFTER = 2
# What has failed may have passed an hour later, long before a monthly look; each further failure
# doubles the wait.
_AFTER_FAILURE = timedelta(hours=1)
_MOST_DOUBLINGS = 16
# Two machines that take turns are no further apart.
_CLOCK_MAY_DIFFER = timedelta(hours=1)


@dataclass(frozen=True)
class RegisteredSource:
    """A source under `raw/` with its sidecar and its log.

    Attributes:
        name: `publisher/source`.
        folder: Its folder.
        source: Its sidecar.
        attempts: To fetch it, in order.
        faults: Why its sidecar or its log cannot be used.
    """

    name: str
    folder: Path
    source: Source
    attempts: list[Attempt] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def fault(self) -> str | None:
        """Why it cannot be fetched, or None."""
        return self.faults[0].reason if self.faults else None

    @property
    def url(self) -> str:
        """Where it is fetched from; nothing where it is added by hand."""
        return self.source.url or ""

    @property
    def pages(self) -> list[RegisteredSource]:
        """The source with the address of each of its pages; the last is its `url`."""
        addressed = [self.source.model_copy(update={"url": url}) for url in self.source.urls]
        return [*(replace(self, source=source) for source in addressed), self]

    @property
    def interval(self) -> timedelta | None:
        """The time between two looks, or None when it is not fetched by itself."""
        return parse_cadence(self.source.cadence) if self.source.cadence else None

    @property
    def last_seen_at(self) -> datetime | None:
        """When the page was last seen, changed or not."""
        return self._last(*SEEN)

    @property
    def last_change_at(self) -> datetime | None:
        """When the page was last seen to have changed."""
        return self._last("changed")

    def _last(self, *outcomes: str) -> datetime | None:
        # By their order, as a clock that once went wrong must not count for ever.
        newest_first = reversed(self.attempts)
        return next((one.attempted_at for one in newest_first if one.outcome in outcomes), None)

    @property
    def last(self) -> Attempt | None:
        """The last attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def next_due_at(self) -> datetime | None:
        """When it is to be looked at next; None when it has no url, no cadence, or a fault."""
        if not self.source.url or self.interval is None or self.fault:
            return None
        if self.last is None:
            return datetime.min.replace(tzinfo=UTC)
        due = self.last.attempted_at + self._wait(self.interval)
        return max(due, self.last.not_before) if self.last.not_before else due

    def _wait(self, interval: timedelta) -> timedelta:
        """How long to wait after the last attempt: less than the interval where it failed for what
        may have passed.
        """
        newest_first = reversed(self.attempts)
        failed = len([*takewhile(lambda one: one.outcome == "failed", newest_first)])
        if not failed:
            return interval
        return min(interval, _AFTER_FAILURE * (1 << min(failed - 1, _MOST_DOUBLINGS)))

    def is_due(self, now: datetime) -> bool:
        """Whether it is to be looked at now."""
        due = self.next_due_at
        if due is None or self.last is None:
            return due is not None
        # An attempt of tomorrow was made by a clock that was wrong; to wait for its day could take
        # years.
        return due <= now or self.last.attempted_at > now + _CLOCK_MAY_DIFFER

    def freshness(self, now: datetime) -> str:
        """`not registered`, `by hand`, `never fetched`, `fresh`, `due`, `stale`, `replaced` or
        `faulty`.
        """
        if self.fault:
            return "faulty"
        if self.source.replaced_on and self.last_seen_at is None:
            return "replaced"
        if not self.source.url:
            return "not registered"
        if self.interval is None:
            return "by hand"
        if self.last_seen_at is None:
            return "never fetched"
        if now - self.last_seen_at > STALE_AFTER * self.interval:
            return "stale"
        return "due" if self.is_due(now) else "fresh"


def register(raw: Path, name: str, url: str, **stated: Any) -> RegisteredSource:
    """Register a source under an address, so that it can be fetched; a source.yml that is there is
    not changed.

    Args:
        raw: Root of the store.
        name: `publisher/source`.
        url: Address of the page.
        stated: Other fields of `source.yml`; those without a value are left out.

    Raises:
        WrongUseError: The name is no `publisher/source`, the address none of a web page, a field
            has a wrong value, or the source is registered already and its sidecar says something
            else.
    """
    # Its library takes a fifth of a second, which no list of sources needs.
    from pipelines.ingest.http import fault_of_address

    if wrong := fault_of_address(url):
        raise WrongUseError(wrong)
    if not SOURCE_NAME.fullmatch(name):
        raise WrongUseError(f"{name!r} is not a source", hint=SOURCE_HINT)
    path = raw / name / SOURCE_FILE
    given = {"url": url} | {field: value for field, value in stated.items() if value}
    if not is_inside(raw, path):
        reason = f"{path.parent} is a link that leaves the store"
        raise WrongUseError(reason, hint="choose another name for the source")
    if path.exists():
        known = read_source(raw, name)
        if known.fault:
            raise WrongUseError(f"{path}: {known.fault}")
        for field, value in given.items():
            if (other := getattr(known.source, field)) != value:
                hint = f"write `{field}: {value}` in {path}, or choose another name for the source"
                raise WrongUseError(f"{name} is registered with {field}: {other}", hint=hint)
        return known
    source = checked(Source, publisher=name.split("/")[0], **given)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_sidecar(path, source)
    return read_source(raw, name)


def unregister(source: RegisteredSource) -> None:
    """Take a registration back that has just been made: its files go, and the folders that are
    empty then.
    """
    for name in (SOURCE_FILE, FETCH_LOG):
        (source.folder / name).unlink(missing_ok=True)
    remove(
        source.folder.parent.parent, [f"{source.name}/{name}" for name in (SOURCE_FILE, FETCH_LOG)]
    )
    for folder in (source.folder, source.folder.parent):
        with suppress(OSError):
            folder.rmdir()


def read_registry(raw: Path) -> list[RegisteredSource]:
    """Every source under `raw/`, ordered by name; one whose files cannot be used has a fault, the
    others do not.
    """
    return [read_source(raw, folder.relative_to(raw).as_posix()) for folder in source_folders(raw)]


def read_source(raw: Path, name: str) -> RegisteredSource:
    """One source, whether it exists already or not."""
    registered = RegisteredSource(name, raw / name, Source(publisher=name.split("/")[0]))
    path = registered.folder / SOURCE_FILE
    try:
        if path.exists():
            registered = replace(registered, source=read_sidecar(path, Source))
    except SidecarError as error:
        reason = f"{error}; its documents get source and date from their path"
        registered.faults.append(Fault(f"{name}/{SOURCE_FILE}", "wrong_sidecar", reason))
    try:
        registered.attempts.extend(read_attempts(registered.folder))
    except FetchLogError as error:
        registered.faults.append(Fault(f"{name}/{FETCH_LOG}", "wrong_fetch_log", str(error)))
    return registered
