"""The commands about sources: add, fetch, list. Heavy imports stand inside the commands, as in `main.py`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import options as cli
from pipelines.cli.commands import WithBoth, WithRaw
from pipelines.cli.output import OutputFormat, print_rows, rows_of
from pipelines.exceptions import BUILT_WITH_LOSSES
from pipelines.object_addresses import shown

if TYPE_CHECKING:
    from pipelines.ingest.fetch_log import Attempt
    from pipelines.ingest.registry import RegisteredSource


def add(
    project: WithBoth,
    file: Annotated[str, typer.Argument(metavar="FILE|URL")],
    source: str,
    published_on: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"])] = None,
    format: str | None = None,
    title: str | None = None,
    url: str | None = None,
    interest: str | None = None,
    cadence: str | None = None,
    allow_host: list[str] | None = None,
) -> None:
    """Store a document as an immutable snapshot of a source; a URL is registered and fetched.

    Exit status: 0 stored; 2 not stored; 3 stored, but a part was not read: the command prints what to do.

    Example: `benchledger add page.txt --source acme/results --published-on 2026-01-31`

    Options:
        file: The document as captured, or its URL.
        source: Its source, as publisher/source.
        published_on: Day of publication; by default the one that the text states.
        format: Source format; by default it is detected.
        title: Title of a new source.
        url: Address it was captured from.
        interest: Interest of a new source: vendor, competitor, independent or unknown.
        cadence: Only with a URL: how often to fetch it, such as `daily` or `12 hours`.
        allow_host: Only with a URL: a host that may be fetched although its address is not public.
    """
    cli.go_on_unread()
    day = published_on.date() if published_on else None
    stated: dict[str, Any] = {"title": title, "url": url, "interest": interest, "cadence": cadence}
    added = project.add(
        file, source, published_on=day, format=format, allow_hosts=allow_host or (), **stated
    )
    stored = added.stored
    if added.attempt:
        _print_attempts([added.attempt], OutputFormat.table)
    elif not stored.is_new:
        cli.say(
            f"Nothing changed, stored already as {stored.entry.format or 'unknown'}: {shown(stored.path)}"
        )
    else:
        cli.say(f"Stored {shown(stored.path)}")
        cli.say(f"  sha256 {stored.entry.sha256}")
        published = stored.entry.published_on or "not known"
        cli.say(f"  format {stored.entry.format or 'not recognised'}, published on {published}")
    if added.tables:
        words = (
            f"  {added.tables}"
            if added.is_understood
            else f"  {added.tables}: benchledger map {source}"
        )
        cli.say(words, "green" if added.is_understood else "yellow")
        for words in added.third_party if added.is_understood else ():
            cli.say(f"  {words}", "yellow")
    if not added.is_understood:
        raise typer.Exit(BUILT_WITH_LOSSES)


def remove(
    project: WithBoth,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT")],
    yes: bool = False,
) -> None:
    """Take a document out of the store that was added by mistake. The next build is as if it had never been there.

    Exit status: 0 removed; 2 not removed: published rows rest on it, or the name means none or several.

    Example: `benchledger remove acme/results/2026-01-31/page.txt`

    Options:
        document: Its path below `raw/`, or the last parts of it.
        yes: Remove it although published results or claims rest on it.
    """
    for path in project.remove(document, anyway=yes):
        cli.say(f"Removed {path}")


def fetch(
    project: WithRaw,
    names: Annotated[list[str] | None, typer.Argument(metavar="[SOURCE]...")] = None,
    force: bool = False,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """Fetch the sources that are due, or the named ones, and store what has changed.

    Exit status: 0 all sources responded; 3 a source is gone, blocked or failed, or its new page is not read.

    Example: `benchledger fetch`

    Options:
        names: Sources to fetch now, due or not.
        force: Fetch named sources even before the time until which their server asks to wait.
    """
    cli.go_on_unread()
    from pipelines.cli.progress import show_progress
    from pipelines.ingest.fetch_log import SEEN

    with show_progress("Fetching", stderr=True) as progress:
        fetched = project.fetch(*names or (), force=force, progress=progress)
    for name, fault in fetched.faulty.items():
        cli.stop(f"{name} is not fetched: {fault}", BUILT_WITH_LOSSES)
    if fetched.attempts or format is not OutputFormat.table:
        _print_attempts(fetched.attempts, format)
    elif not names:
        words = "`benchledger sources` says when one will be, `benchledger fetch SOURCE` looks at it now."
        print(f"No source is due; {words}")
    if fetched.warning:
        cli.warn(fetched.warning)
    for name, words in fetched.lost.items():
        cli.warn(f"{name}: {words}; `benchledger map {name}` shows it")
    if (
        fetched.faulty
        or fetched.lost
        or any(attempt.outcome not in SEEN for attempt in fetched.attempts)
    ):
        raise typer.Exit(BUILT_WITH_LOSSES)


def sources(
    project: WithBoth,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """List the sources: last fetch, last change, next fetch, and freshness.

    `degraded`: the newest snapshot no longer has results. Without a fetch, the last change is the newest snapshot.

    Example: `benchledger sources --format csv`
    """
    from pipelines.ingest.fetch_log import SEEN
    from pipelines.ingest.registry import read_registry
    from pipelines.ingest.sidecars import moments_of
    from pipelines.ingest.store import stored_documents
    from pipelines.run.source_health import published_losses

    now, losses = datetime.now(UTC), published_losses(project.published())

    def row(source: RegisteredSource) -> tuple[str | int | None, ...]:
        last, due, lost = source.last, source.next_due_at, losses.get(source.name)
        freshness = source.freshness(now)
        moments = {
            moment for one in stored_documents(source.folder) for moment in moments_of(one.entry)
        }
        if lost:
            is_seen = freshness in ("fresh", "due", "by hand")
            freshness = "degraded" if is_seen else f"{freshness}, degraded"
        unseen = last.reason if last and last.outcome not in SEEN else None
        reasons = source.fault, lost, unseen
        return (
            source.name,
            source.source.url,
            source.source.cadence,
            len(moments),
            _minute(last.attempted_at if last else None),
            last.outcome if last else None,
            _minute(source.last_change_at or max(moments, default=None)),
            "now" if due and due <= now else _minute(due),
            freshness,
            "; ".join(filter(None, reasons)) or (last.reason if last else None),
        )

    names = (
        "source url cadence snapshots last_checked outcome last_changed next_due freshness reason"
    )
    print_rows(rows_of(names, map(row, read_registry(project.stored()))), format)


def _minute(moment: datetime | None) -> str | None:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" if moment else None


def _print_attempts(attempts: Iterable[Attempt], format: OutputFormat) -> None:
    rows = (
        (
            one.source,
            one.outcome,
            one.reason,
            one.status,
            one.bytes,
            one.document_id and one.document_id[:12],
        )
        for one in attempts
    )
    print_rows(rows_of("source outcome reason http_status bytes document_id", rows), format)
