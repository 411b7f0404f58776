"""The command about mappings: a draft of one, what a draft or a mapping makes of a page, and its acceptance."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from benchledger.project import OpenQuestionsError, Project
from pipelines.cli import options as cli
from pipelines.cli.commands import WithBoth
from pipelines.cli.output import OutputFormat, print_sections, rows_of
from pipelines.exceptions import BUILT_WITH_LOSSES, BenchledgerError, WrongUseError
from pipelines.object_addresses import shown
from pipelines.terminal import console, literal, plural, print_table, visible

_POLL_S = 0.5


def map_source(
    project: WithBoth,
    source: Annotated[str | None, typer.Argument(metavar="SOURCE")] = None,
    again: bool = False,
    accept: bool = False,
    html: Annotated[Path | None, typer.Option(dir_okay=False)] = None,
    watch: bool = False,
    format: cli.FormatOption = OutputFormat.table,
    schema: bool = False,
    prompt: bool = False,
) -> None:
    """Draft a mapping for the tables of a source, or preview what its mapping reads.

    Exit status: 0 all tables are read; 2 the mapping is wrong; 3 a question is open, or something is refused.

    Example: `benchledger map graphcore/performance-results`

    Options:
        source: Its name, publisher/source.
        again: Write a new draft under a new name, and keep the existing files.
        accept: Make the draft the mapping, if it has no open questions; earlier mappings are kept.
        html: Also write the preview as this HTML file; replaces an unchanged page of this program.
        watch: Repeat the preview whenever the file is saved, until Ctrl-C.
        schema: Print the JSON Schema of the language.
        prompt: Print schema, tables and open questions as a prompt for a language model.
    """
    from benchledger.source_preview import printed_pages, summary
    from pipelines.cli import references
    from pipelines.extract.tables.draft import ASK, draft

    if schema:
        print(json.dumps(references.json_schema(), indent=2))
        return
    if source is None:
        raise WrongUseError("give a SOURCE, or `--schema`")
    file = project.mapping(source)
    if prompt:
        pages = printed_pages(project.raw, source)
        tables = [table for page in pages for table in page.tables]
        text = file.read_text("utf-8", "replace") if file.is_file() else draft(tables, source)
        print(visible(references.prompt(pages, text)), end="")
    elif again or not file.is_file():
        path = project.map(source, again=again)
        if format is OutputFormat.table:
            asked = plural(path.read_text("utf-8").count(ASK), "open question")
            cli.say(f"Wrote {shown(path)}: {asked}, each a '?'")
            cli.say(
                f"Answer them in the file (mapping.draft.yml is the one in use), then: benchledger map {source}"
            )
        else:
            _print_questions(path, format)
        raise typer.Exit(BUILT_WITH_LOSSES)
    elif accept:
        mapping = project.map(source, accept=True)
        found = project.preview(source)
        cli.say(f"{shown(mapping)} is the mapping of {source}: {summary(found.tables())}")
        if found.refusals() or found.open_questions():
            raise typer.Exit(BUILT_WITH_LOSSES)
    elif watch:
        _watch(project, source, file, format, html)
    elif status := _show(project, source, format, html):
        raise typer.Exit(status)


def _print_questions(file: Path, format: OutputFormat) -> None:
    from benchledger.source_preview import questions_in

    rows = [(shown(file), line, words) for line, words in questions_in(file)]
    print_sections({"questions": ("Open questions", rows_of("file line question", rows))}, format)


def _show(project: Project, source: str, format: OutputFormat, html: Path | None = None) -> int:
    """Print the preview; gives the exit status."""
    from pipelines.cli.mapping_preview import lists, page, sections

    try:
        found = project.preview(source)
    except OpenQuestionsError as error:
        if format is OutputFormat.table:
            cli.say(str(error))
        else:
            _print_questions(project.mapping(source), format)
        return error.exit_status
    if html:
        cli.write_output(html, page(found))
    status = BUILT_WITH_LOSSES if found.refusals() or found.open_questions() else 0
    if format is not OutputFormat.table:
        print_sections(lists(found), format)
        return status
    for title, names, rows in sections(found):
        console().print(f"[bold]{literal(title)}[/]", soft_wrap=True, highlight=False)
        if names:
            print_table(names, rows)
    if html:
        cli.say(f"Open {html.resolve()}")
    is_read = all(refusal.scope == "row" for refusal in found.refusals())
    if found.mapping.name.startswith("mapping.draft") and is_read and not found.open_questions():
        cli.say(f"Nothing is open. Make the draft the mapping: benchledger map {source} --accept")
    return status


def _watch(
    project: Project, source: str, file: Path, format: OutputFormat, html: Path | None
) -> None:
    """Show at once and whenever the file has changed, until Ctrl-C; after a wrong file the next save is waited for."""
    seen: object = None
    while True:
        now = (file.stat().st_mtime_ns, file.stat().st_size) if file.is_file() else ()
        if now != seen:
            seen = now
            try:
                _show(project, source, format, html)
            except BenchledgerError as error:
                cli.stop(str(error), error.exit_status)
        time.sleep(_POLL_S)
