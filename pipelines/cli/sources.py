"""The commands about sources: add, fetch, list. Heavy imports stand inside the commands, as in `main.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import options as cli
from pipelines.cli.mapping import tell_of_tables
from pipelines.export.output import OutputFormat, print_rows
from pipelines.object_addresses import shown

if TYPE_CHECKING:
    from pipelines.ingest.fetch_log import Attempt
    from pipelines.ingest.registry import RegisteredSource


def add(
    file: Annotated[str, typer.Argument(metavar="FILE|URL")],
    source: Annotated[str, typer.Option(autocompletion=cli.complete_source)],
    published_on: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"])] = None,
    format: str | None = None,
    title: str | None = None,
    url: str | None = None,
    interest: str | None = None,
    cadence: str | None = None,
    allow_host: list[str] | None = None,
    raw: cli.RawOption = None,
) -> None:
    """Store a document as an immutable snapshot of a source; an address is registered and fetched.

    Exit status: 0 stored; 2 not stored; 3 stored, but not all of it is understood: it says what to do.

    Example: `benchledger add page.txt --source acme/results --published-on 2026-01-31`

    Options:
        file: The document as captured, or its address.
        source: publisher/source it belongs to.
        published_on: Day of publication; found in the text if it states one.
        format: Source format; found from the content when not given.
        title: Title of a new source.
        url: Address it was captured from.
        interest: Of a new source: vendor, competitor, independent or unknown.
        cadence: Of an address: how often it is fetched; daily, `12 hours` ...
        allow_host: Of an address: a host to fetch from though its address is not public.
    """
    cli.go_on_unread()
    of_file = {"published_on": published_on.date() if published_on else None, "format": format, "url": url}
    of_address = {"cadence": cadence, "allow_hosts": allow_host}
    what, idle = ("an address", of_file) if "://" in file else ("a file", of_address)
    if given := [name for name, value in idle.items() if value]:
        # It would be dropped in silence.
        option = given[0].replace("_", "-").removesuffix("s")
        raise cli.stop(f"--{option} says nothing of {what}; leave it out", cli.WRONG_USE)
    folder, stated = cli.stored_documents_in(raw), {"title": title, "interest": interest}
    from pipelines.ingest.mirror import commit

    if "://" in file:
        from pipelines.ingest.store import stored_documents

        _add_address(file, source, folder, stated | of_address)
        newest = stored_documents(folder / source)[-1:]
    else:
        from pipelines.ingest.snapshots import add_document

        options: dict[str, Any] = stated | of_file
        stored = commit(folder, source, partial(add_document, Path(file), source, folder, **options))
        if not stored.is_new:
            cli.say(f"The same bytes are stored already, nothing was changed: {shown(stored.path)}")
            return
        cli.say(f"Stored {shown(stored.path)}")
        cli.say(f"  sha256 {stored.entry.sha256}")
        published = stored.entry.published_on or "not known"
        cli.say(f"  format {stored.entry.format or 'not recognised'}, published on {published}")
        newest = [stored]
    if not all(tell_of_tables(stored, source) for stored in newest):
        raise typer.Exit(cli.BUILT_WITH_LOSSES)


def _add_address(url: str, name: str, raw: Path, stated: dict[str, Any]) -> None:
    """Register a source and take its first snapshot; what cannot be fetched is not registered."""
    from pipelines.ingest.fetch_log import SEEN
    from pipelines.ingest.mirror import commit
    from pipelines.ingest.registry import register, unregister
    from pipelines.ingest.sidecars import SOURCE_FILE

    is_new, is_seen = not (raw / name / SOURCE_FILE).exists(), False
    source = commit(raw, name, partial(register, raw, name, url, **stated))
    try:
        [attempt] = _fetch_and_print([source], raw, OutputFormat.table)
        is_seen = attempt.outcome in SEEN
    finally:
        if is_new and not is_seen:
            unregister(source)
    if not is_seen:
        raise cli.stop(f"nothing was stored{' or registered' if is_new else ''} of {url}", cli.WRONG_USE)


def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", autocompletion=cli.complete_source)
    ] = None,
    format: cli.FormatOption = OutputFormat.table,
    raw: cli.RawOption = None,
) -> None:
    """Look at the sources that are due, or at those named, and store what is new.

    Exit status: 0 all were seen; 3 a source was gone, blocked or failed, the others were stored.

    Example: `benchledger fetch`

    Options:
        names: Sources to look at now, due or not.
    """
    cli.go_on_unread()
    from pipelines.ingest.fetch_log import SEEN
    from pipelines.ingest.registry import read_registry

    folder = cli.stored_documents_in(raw)
    known = {source.name: source for source in read_registry(folder)}
    fetchable = {name for name, source in known.items() if source.source.url or source.fault}
    if unknown := [name for name in names or [] if name not in fetchable]:
        reason = "has no url" if unknown[0] in known else "is not registered"
        raise cli.stop(
            f"{unknown[0]} {reason}; `benchledger add URL --source {unknown[0]}` registers it", cli.WRONG_USE
        )
    now = datetime.now(UTC)
    due = [name for name, source in known.items() if source.is_due(now)]
    chosen = [known[name] for name in dict.fromkeys(names or due)]
    # Nobody knows when a source is due whose files cannot be read; the others are looked at all the same.
    faulty = [] if names else [source for source in known.values() if source.fault]
    for source in faulty:
        cli.stop(f"{source.name} is not fetched: {source.fault}", cli.BUILT_WITH_LOSSES)
    attempts: list[Attempt] = []
    if chosen or format is not OutputFormat.table:
        attempts = _fetch_and_print(chosen, folder, format)
    else:
        words = "`benchledger sources` says when one will be, `benchledger fetch SOURCE` looks at it now."
        print(f"No source is due; {words}")
    if faulty or any(attempt.outcome not in SEEN for attempt in attempts):
        raise typer.Exit(cli.BUILT_WITH_LOSSES)


def sources(
    format: cli.FormatOption = OutputFormat.table, raw: cli.RawOption = None, warehouse: cli.WarehouseOption = None
) -> None:
    """List the sources: when each was last seen, when it last changed, when it is due, how fresh it is.

    `degraded` are sources that answer, and print no results any more.

    Example: `benchledger sources --format csv`
    """
    from pipelines.build.source_health import published_losses
    from pipelines.ingest.registry import read_registry
    from pipelines.ingest.sidecars import moments_of
    from pipelines.ingest.store import stored_documents

    now, losses = datetime.now(UTC), published_losses(cli.published_in(warehouse))

    def row(source: RegisteredSource) -> tuple[str | None, ...]:
        last, due, lost = source.last, source.next_due_at, losses.get(source.name)
        freshness = source.freshness(now)
        moments = {moment for one in stored_documents(source.folder) for moment in moments_of(one.entry)}
        return (
            source.name, source.source.url, source.source.cadence, str(len(moments)),
            _minute(last.attempted_at if last else None), last.outcome if last else None,
            _minute(source.last_change_at), "now" if due and due <= now else _minute(due),
            "degraded" if lost and freshness in ("fresh", "due", "by hand") else freshness,
            source.fault or lost or (last.reason if last else None),
        )  # fmt: skip

    names = "source url cadence snapshots last_checked outcome last_changed next_due freshness reason"
    _print(names, map(row, read_registry(cli.stored_documents_in(raw))), format)


def _minute(moment: datetime | None) -> str | None:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" if moment else None


def _print(names: str, rows: Iterable[tuple[str | None, ...]], format: OutputFormat) -> None:
    import pyarrow as pa

    schema = pa.schema([(name, pa.string()) for name in names.split()])
    print_rows(pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema), format)


def _fetch_and_print(chosen: Sequence[RegisteredSource], raw: Path, format: OutputFormat) -> list[Attempt]:
    """Look at sources; the Dagster UI shows the looks, and what is stored is stored all the same where it cannot."""
    from pipelines.assets.instance import InstanceError, open_instance
    from pipelines.assets.sources import record_looks
    from pipelines.cli.progress import show_progress
    from pipelines.ingest.fetching import fetch_sources

    done = count(1)
    with show_progress("Fetching", stderr=True) as progress:
        attempts = fetch_sources(chosen, raw, report=lambda attempt: progress(next(done), len(chosen), attempt.source))
    rows = (
        (
            one.source, one.outcome, one.reason, str(one.status) if one.status else None,
            str(one.bytes) if one.bytes is not None else None, one.document_id[:12] if one.document_id else None,
        )
        for one in attempts
    )  # fmt: skip
    _print("source outcome reason http_status bytes document_id", rows, format)
    try:
        with open_instance() as instance:
            record_looks(instance, attempts, raw)
    except cli.record_errors(InstanceError, OSError) as error:
        cli.warn(f"the Dagster UI will not show these looks: {str(error).splitlines()[0]}")
    return attempts
