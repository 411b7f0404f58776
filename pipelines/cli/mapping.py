"""The command about mappings: a draft of one, what a draft or a mapping makes of a page, and its acceptance."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import options as cli
from pipelines.exceptions import WrongUseError
from pipelines.object_addresses import shown
from pipelines.own_files import replace_file
from pipelines.terminal import console, literal, print_table, visible

if TYPE_CHECKING:
    from pipelines.cli.mapping_preview import SourcePreview
    from pipelines.ingest.store import Stored

_POLL_S = 0.5


def map_source(
    source: Annotated[str | None, typer.Argument(metavar="SOURCE", autocompletion=cli.complete_source)] = None,
    again: bool = False,
    accept: bool = False,
    html: Annotated[Path | None, typer.Option(dir_okay=False)] = None,
    watch: bool = False,
    schema: bool = False,
    prompt: bool = False,
    raw: cli.RawOption = None,
    warehouse: cli.WarehouseOption = None,
) -> None:
    """Say what the tables of a source mean: write a draft of its mapping, or preview what the file reads.

    Exit status: 0 all tables are read; 2 the mapping is wrong; 3 a draft has open questions, or something is refused.

    Example: `benchledger map graphcore/performance-results`

    Options:
        source: Its name, publisher/source.
        again: Write a new draft under a free name, beside a draft or a mapping.
        accept: Make the draft the mapping, if nothing in it is open.
        html: Write the preview as this page, too.
        watch: Show the preview again whenever the file is saved, until Ctrl-C.
        schema: Print the JSON Schema of the language.
        prompt: Print schema, tables and open questions as one text for an assistant.
    """
    from pipelines.cli import references
    from pipelines.extract.tables.draft import ASK, draft
    from pipelines.extract.tables.mapping import DRAFT_FILE, MAPPING_FILE

    if schema:
        print(json.dumps(references.json_schema(), indent=2))
        return
    if source is None:
        raise cli.stop("give a SOURCE, or `--schema`", cli.WRONG_USE)
    folder, place = cli.stored_documents_in(raw), cli.published_in(warehouse)
    from pipelines.cli.mapping_preview import newest_documents, printed_tables
    from pipelines.ingest.mirror import commit

    newest_documents(folder, source)
    mapping, drafted = folder / source / MAPPING_FILE, folder / source / DRAFT_FILE
    file = drafted if drafted.is_file() else mapping
    if prompt:
        tables = printed_tables(folder, source)
        text = file.read_text("utf-8") if file.is_file() else draft(tables, source)
        print(visible(references.prompt(tables, text)), end="")
    elif again or not file.is_file():
        text = draft(printed_tables(folder, source), source)
        names = chain([drafted], (drafted.with_suffix(f".{n}.yml") for n in count(2)))
        path = next(name for name in names if not name.exists())
        commit(folder, source, partial(replace_file, path, text.encode()))
        cli.say(f"Wrote {shown(path)}: {text.count(ASK)} open questions, each a '?'")
        cli.say(f"Answer them in the file, then: benchledger map {source}")
        raise typer.Exit(cli.BUILT_WITH_LOSSES)
    elif accept and file == mapping:
        raise cli.stop(f"{source} has no {DRAFT_FILE}; its {MAPPING_FILE} is in use", cli.WRONG_USE)
    elif accept:
        commit(folder, source, partial(_accept, folder, source, drafted, mapping, place))
    elif watch:
        _watch(folder, source, file, place, html)
    elif status := _show(folder, source, file, place, html):
        raise typer.Exit(status)


def _accept(raw: Path, source: str, draft: Path, mapping: Path, warehouse: Path) -> None:
    """Make the draft the mapping; a mapping that was there is kept beside it."""
    from pipelines.cli.mapping_preview import summary
    from pipelines.ingest.mirror import remove

    found = _preview(raw, source, draft, warehouse)
    if found is None or any(refusal.scope != "row" for refusal in found.refusals()):
        if found:
            _print(found)
        raise cli.stop(f"{shown(draft)} was not accepted: something in it is open", cli.BUILT_WITH_LOSSES)
    if mapping.exists():
        mapping.replace(mapping.with_name("mapping.before.yml"))
    draft.replace(mapping)
    remove(raw, [draft.relative_to(raw).as_posix()])
    cli.say(f"{shown(mapping)} is the mapping of {source}: {summary(found.tables())}")
    if found.refusals():
        raise typer.Exit(cli.BUILT_WITH_LOSSES)


def _show(raw: Path, source: str, file: Path, warehouse: Path, html: Path | None) -> int:
    """Print the preview; gives the exit status."""
    found = _preview(raw, source, file, warehouse)
    if found is None:
        return cli.BUILT_WITH_LOSSES
    _print(found)
    if html:
        from pipelines.cli.mapping_preview import write_page

        write_page(found, html)
        cli.say(f"Open {html.resolve()}")
    if file.name.startswith("mapping.draft") and all(refusal.scope == "row" for refusal in found.refusals()):
        cli.say(f"Nothing is open. Make the draft the mapping: benchledger map {source} --accept")
    return cli.BUILT_WITH_LOSSES if found.refusals() else 0


def _preview(raw: Path, source: str, file: Path, warehouse: Path) -> SourcePreview | None:
    """What a file makes of the source; None, with a list of them, where it still has questions.

    Raises:
        typer.Exit: The file is wrong.
    """
    from pipelines.cli.mapping_preview import preview_source
    from pipelines.cli.references import questions_in
    from pipelines.extract.tables.mapping import MappingError

    try:
        return preview_source(raw, source, file, warehouse)
    except MappingError as error:
        if not (questions := questions_in(file)):
            raise cli.stop(str(error), cli.WRONG_USE) from error
    cli.say(f"{shown(file)} has {len(questions)} open questions:")
    for line, words in questions:
        cli.say(f"  line {line}: {words}")
    return None


def _print(found: SourcePreview) -> None:
    from pipelines.cli.mapping_preview import sections

    for title, names, rows in sections(found):
        console().print(f"[bold]{literal(title)}[/]", soft_wrap=True, highlight=False)
        if names:
            print_table(names, rows)


def _watch(raw: Path, source: str, file: Path, warehouse: Path, html: Path | None) -> None:
    """Show at once and whenever the file has changed, until Ctrl-C; after a wrong file the next save is waited for."""
    seen: object = None
    with suppress(KeyboardInterrupt):
        while True:
            now = (file.stat().st_mtime_ns, file.stat().st_size) if file.is_file() else ()
            if now != seen:
                seen = now
                with suppress(typer.Exit):
                    _show(raw, source, file, warehouse, html)
            time.sleep(_POLL_S)


def tell_of_tables(stored: Stored, source: str) -> bool:
    """Say of a document just stored what of its tables a build will read, and what comes next; True if all of it."""
    from pipelines.cli.mapping_preview import count_of_tables
    from pipelines.extract.tables.mapping import MAPPING_FILE, MappingError

    try:
        words, is_whole = count_of_tables(stored, stored.path.parents[1] / MAPPING_FILE)
    except (WrongUseError, MappingError) as error:
        words, is_whole = str(error), False
    if words:
        cli.say(f"  {words}" if is_whole else f"  {words}: benchledger map {source}", "green" if is_whole else "yellow")
    return is_whole
