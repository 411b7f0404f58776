"""The commands about sources: register, fetch, list. Heavy imports stand inside the commands, as in `cli.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.lasting_output import lasting_output
from pipelines.cli.options import (
    BUILT_WITH_LOSSES,
    FAILED,
    WRONG_USE,
    FormatOption,
    RawOption,
    WarehouseOption,
    complete_source,
    published_in,
    record_errors,
    stop,
    stored_documents_in,
)
from pipelines.export.output import OutputFormat, print_rows
from pipelines.terminal import console, literal

if TYPE_CHECKING:
    from pipelines.ingest.fetch_log import Attempt
    from pipelines.ingest.registry import RegisteredSource


def add_address(
    url: str,
    name: str,
    raw: Path,
    cadence: str | None,
    title: str | None,
    interest: str | None,
    allow_hosts: list[str] | None,
) -> None:
    """Register a source and take its first snapshot; what cannot be fetched is not registered.

    Raises:
        typer.Exit: It cannot be registered, or its page could not be stored.
    """
    from pipelines.ingest.fetch_log import SEEN
    from pipelines.ingest.mirror import commit
    from pipelines.ingest.registry import RegistryError, register, unregister
    from pipelines.ingest.sidecars import SOURCE_FILE

    is_new, is_seen = not (raw / name / SOURCE_FILE).exists(), False
    try:
        stated = {"cadence": cadence, "title": title, "interest": interest}
        source = commit(raw, name, partial(register, raw, name, url, **stated, allow_hosts=allow_hosts))
    except RegistryError as error:
        raise stop(str(error), WRONG_USE) from error
    try:
        [attempt] = _fetch_and_print([source], raw, OutputFormat.table)
        is_seen = attempt.outcome in SEEN
    finally:
        if is_new and not is_seen:
            unregister(source)
    if not is_seen:
        raise stop(f"nothing was stored{' or registered' if is_new else ''} of {url}", WRONG_USE)


@lasting_output()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...", help="Sources to look at now, due or not.", autocompletion=complete_source
        ),
    ] = None,
    format: FormatOption = OutputFormat.table,
    raw: RawOption = None,
) -> None:
    """Look at the sources that are due, or at those named, and store what is new.

    Exit status: 0 all were seen; 3 a source was gone, blocked or failed, the others were stored.

    Example: `benchledger fetch`
    """
    from pipelines.ingest.fetch_log import SEEN
    from pipelines.ingest.registry import read_registry

    folder = stored_documents_in(raw)
    known = {source.name: source for source in read_registry(folder)}
    fetchable = {name for name, source in known.items() if source.source.url or source.fault}
    if unknown := [name for name in names or [] if name not in fetchable]:
        reason = "has no url" if unknown[0] in known else "is not registered"
        raise stop(f"{unknown[0]} {reason}; `benchledger add URL --source {unknown[0]}` registers it", WRONG_USE)
    now = datetime.now(UTC)
    due = [name for name, source in known.items() if source.is_due(now)]
    chosen = [known[name] for name in dict.fromkeys(names or due)]
    # Nobody knows when a source is due whose files cannot be read; the others are looked at all the same.
    faulty = [] if names else [source for source in known.values() if source.fault]
    for source in faulty:
        stop(f"{source.name} is not looked at: {source.fault}", BUILT_WITH_LOSSES)
    if not chosen and format is OutputFormat.table:
        print(
            "No source is due; `benchledger sources` says when one will be, `benchledger fetch SOURCE` looks at it now."
        )
        attempts = []
    else:
        attempts = _fetch_and_print(chosen, folder, format)
    if faulty or any(attempt.outcome not in SEEN for attempt in attempts):
        raise typer.Exit(BUILT_WITH_LOSSES)


def sources(
    format: FormatOption = OutputFormat.table, raw: RawOption = None, warehouse: WarehouseOption = None
) -> None:
    """List the sources: when each was last seen, when it last changed, when it is due, how fresh it is.

    `degraded` are sources that answer, and print no results any more.

    Example: `benchledger sources --format csv`
    """
    import pyarrow as pa

    from pipelines.build.source_health import loss, printed_results
    from pipelines.ingest.registry import read_registry

    now, printed = datetime.now(UTC), printed_results(published_in(warehouse))
    known = read_registry(stored_documents_in(raw))
    rows = [_row(source, now, loss(source, printed.get(source.name))) for source in known]
    print_rows(pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in _COLUMNS])), format)


_COLUMNS = (
    "source", "url", "cadence", "snapshots", "last_checked", "outcome", "last_changed", "next_due", "freshness",
    "reason",
)  # fmt: skip


def _row(source: RegisteredSource, now: datetime, lost: str | None) -> dict[str, str | None]:
    from pipelines.ingest.sidecars import moments_of
    from pipelines.ingest.store import stored_documents

    last, due = source.last, source.next_due_at
    snapshots = {moment for one in stored_documents(source.folder) for moment in moments_of(one.entry)}
    return {
        "source": source.name,
        "url": source.source.url,
        "cadence": source.source.cadence,
        "snapshots": str(len(snapshots)),
        "last_checked": _moment(last.attempted_at if last else None),
        "outcome": last.outcome if last else None,
        "last_changed": _moment(source.last_change_at),
        "next_due": "now" if due and due <= now else _moment(due),
        "freshness": "degraded"
        if lost and source.freshness(now) in ("fresh", "due", "by hand")
        else source.freshness(now),
        "reason": source.fault or lost or (last.reason if last else None),
    }


def _moment(moment: datetime | None) -> str | None:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" if moment else None


def _fetch_and_print(chosen: Iterable[RegisteredSource], raw: Path, format: OutputFormat) -> list[Attempt]:
    import pyarrow as pa

    from pipelines.cli.progress import show_looks
    from pipelines.ingest.fetching import FetchingError, fetch_sources

    chosen = list(chosen)
    try:
        with show_looks(len(chosen)) as looked_at:
            attempts = fetch_sources(chosen, raw, report=lambda attempt: looked_at(attempt.source))
    except FetchingError as error:
        raise stop(str(error), FAILED) from error
    columns = ("source", "outcome", "reason", "http_status", "bytes", "document_id")
    rows = [_printed(attempt) for attempt in attempts]
    print_rows(pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in columns])), format)
    _record(attempts, raw)
    return attempts


def _record(attempts: Sequence[Attempt], raw: Path) -> None:
    """Have the Dagster UI show the looks; what is stored is stored all the same where it cannot."""
    from pipelines.assets.instance import InstanceError, open_instance
    from pipelines.assets.source_checks import record_looks

    try:
        with open_instance() as instance:
            record_looks(instance, attempts, raw)
    except (InstanceError, OSError) as error:
        _warn(error)
    except record_errors() as error:
        _warn(error)


def _warn(error: Exception) -> None:
    words = f"the Dagster UI will not show these looks: {str(error).splitlines()[0]}"
    console(stderr=True).print(f"[yellow]warning:[/] {literal(words)}", soft_wrap=True, highlight=False)


def _printed(attempt: Attempt) -> dict[str, str | None]:
    return {
        "source": attempt.source,
        "outcome": attempt.outcome,
        "reason": attempt.reason,
        "http_status": str(attempt.status) if attempt.status else None,
        "bytes": str(attempt.bytes) if attempt.bytes is not None else None,
        "document_id": attempt.document_id[:12] if attempt.document_id else None,
    }
