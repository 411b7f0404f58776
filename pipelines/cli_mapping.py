"""The command about mappings: what the tables of a source become, and a draft of what to say of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli_options import BUILT_WITH_LOSSES, WRONG_USE, RawOption, complete_source, stop, stored_documents_in
from pipelines.object_addresses import shown
from pipelines.output import OutputFormat, print_rows
from pipelines.own_files import replace_file
from pipelines.terminal import console, literal, visible

if TYPE_CHECKING:
    from pipelines.extract.rows import Measurement, Price
    from pipelines.extract.tables.explained import ExplainedTable
    from pipelines.extract.tables.mapping import Mapping
    from pipelines.ingest.stored import Stored

# What of a row is shown, and under which name.
_SHOWN = {
    "model_printed": "model", "variant_printed": "variant", "platform_printed": "platform",
    "accelerator_count": "accelerators", "framework_printed": "framework", "sdk_version": "sdk_version",
    "dataset_printed": "dataset", "batch_size": "batch_size", "sequence_length": "sequence_length",
    "precision": "precision", "attributes": "attributes", "metric": "metric", "value": "value", "unit": "unit",
    "item": "item", "price_usd": "price_usd",
}  # fmt: skip
_MOST_REASONS = 3
# Of 100: below it a suggestion shares hardly a word with what was typed.
_LEAST_LIKENESS = 70


def map_source(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Its name, publisher/source.", autocompletion=complete_source)
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Put a draft mapping.yml beside the source's snapshots; none is replaced.")
    ] = False,
    raw: RawOption = None,
) -> None:
    """Show table by table what the newest snapshot of a source becomes, and draft the mapping that settles the rest.

    Exit status: 0 all tables are understood; 3 a table is undecided or was not read, or its mapping no longer fits.

    Example: `benchledger map graphcore/performance-results`
    """
    folder = stored_documents_in(raw)
    from pipelines.ingest.mirror import commit

    documents = _newest_documents(folder, source)
    path = folder / source / _mapping_file()
    mapping = _loaded(path)
    tables: list[ExplainedTable] = []
    for row in documents:
        found = _explained(folder / row["path"], row, mapping)
        _print_document(row["path"], found)
        tables += found
    is_whole = _print_verdict(source, tables, mapping)
    commit(folder, source, partial(_draft, source, path, tables, mapping, write=write))
    if not is_whole:
        raise typer.Exit(BUILT_WITH_LOSSES)


def tell_of_tables(stored: Stored, source: str) -> bool:
    """Say of a document just stored what a build will not read whole, and how to go on; True where it reads all.

    Args:
        stored: The document.
        source: The source it belongs to.
    """
    from pipelines.extract.contract import formats_with_mapping
    from pipelines.extract.tables.explained import advised, summed_up
    from pipelines.extract.tables.mapping_file import MAPPING_FILE, MappingError, load_mapping
    from pipelines.ingest.within_limits import ask_of

    entry, path = stored.entry, stored.path.parents[1] / MAPPING_FILE
    if entry.format is not None and entry.format not in formats_with_mapping():
        return True
    try:
        mapping = load_mapping(path) if path.is_file() else None
    except MappingError as error:
        _say(f"it will not be read: {error}")
        return False
    used = mapping if mapping and mapping.checked else None
    question = partial(advised, source=source, format=entry.format, mapping=used)
    answer = ask_of(stored.path, entry.charset, question)
    if answer is None:
        _say("it cannot be read: the build will say why")
        return False
    tables, advice = answer
    if not advice:
        return True
    _say(f"not all of it is understood: {summed_up(tables)}")
    undecided = [f"line {t.grid.first_line}: {' or '.join(t.readings_in_words)}" for t in tables if t.other]
    for words in undecided[:_MOST_REASONS]:
        console().print(f"  undecided at {literal(words)}", soft_wrap=True, highlight=False)
    console().print(f"  {literal(advice)}", soft_wrap=True, highlight=False)
    return False


def _say(words: str) -> None:
    console().print(f"  [yellow]{literal(words)}[/]", soft_wrap=True, highlight=False)


def _mapping_file() -> str:
    from pipelines.extract.tables.mapping_file import MAPPING_FILE

    return MAPPING_FILE


def _newest_documents(raw: Path, source: str) -> list[dict[str, Any]]:
    """The documents of the newest snapshot of a source."""
    from rapidfuzz import process

    from pipelines.ingest.store import read_store

    rows = read_store(raw).documents
    known = sorted({row["source"] for row in rows})
    if source not in known:
        meant = process.extractOne(source, known, score_cutoff=_LEAST_LIKENESS)
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise stop(f"no document of {source} is stored{hint}", WRONG_USE)
    own = [row for row in rows if row["source"] == source]
    newest = max(row["snapshot_at"] for row in own)
    return [row for row in own if row["snapshot_at"] == newest]


def _loaded(path: Path) -> Mapping | None:
    """The mapping of a source, a draft too; one that is broken ends the command."""
    from pipelines.extract.tables.mapping_file import MappingError, load_mapping

    if not path.is_file():
        return None
    try:
        return load_mapping(path)
    except MappingError as error:
        raise stop(str(error), WRONG_USE) from error


def _explained(path: Path, row: dict[str, Any], mapping: Mapping | None) -> list[ExplainedTable]:
    from pipelines.extract.tables.explained import explain_tables
    from pipelines.ingest.within_limits import ask_of

    tables = ask_of(path, row["charset"], partial(explain_tables, mapping=mapping, format=row["format"]))
    if tables is None:
        raise stop(f"{row['path']} cannot be read: `benchledger build` says why", BUILT_WITH_LOSSES)
    return tables


def _print_document(path: str, tables: Sequence[ExplainedTable]) -> None:
    import pyarrow as pa

    out = console()
    out.print(f"[bold]{literal(path)}[/]", highlight=False)
    for table in tables:
        out.print(f"\n[bold]{literal(_title(table))}[/]", highlight=False)
        columns = [
            {"heading": column.heading, "becomes": column.meaning, "first_cell": column.sample}
            for column in table.columns
        ]
        print_rows(pa.Table.from_pylist(columns), OutputFormat.table)
        if table.other:
            out.print("[yellow]Undecided[/], one of these two:", highlight=False)
            for words in table.readings_in_words:
                out.print(f"  - {literal(words)}", soft_wrap=True, highlight=False)
        if table.rows:
            words = "as they would be stored" if len(table.rows) > len(_shown(table.rows)) else "all there are"
            out.print(f"{len(_shown(table.rows))} of {len(table.rows)} values, {words}:", highlight=False)
            print_rows(pa.Table.from_pylist(_shown(table.rows)), OutputFormat.table)
        reasons = list(dict.fromkeys(f"{reject.rule}: {reject.reason}" for reject in table.rejects))
        for reason in [] if table.other else reasons[:_MOST_REASONS]:
            out.print(f"[yellow]refused:[/] {literal(reason)}", soft_wrap=True, highlight=False)
        if len(reasons) > _MOST_REASONS:
            out.print(f"[yellow]refused:[/] {len(reasons) - _MOST_REASONS} more reasons", highlight=False)


def _title(table: ExplainedTable) -> str:
    by = "as mapped" if table.mapped and table.mapped.reading else "as inferred"
    state = by if table.is_understood else f"undecided, {by}" if table.other else f"{by}, not all of it"
    if table.reading is None:
        state = "not read"
    under = f", under {table.section!r}" if table.section else ""
    return f"Table at line {table.grid.first_line}{under}: {state}"


def _shown(rows: Sequence[Measurement | Price]) -> list[dict[str, Any]]:
    """The first rows with those of their fields that any of them has."""
    from pipelines.extract.tables.explained import SHOWN_ROWS

    first = rows[:SHOWN_ROWS]
    names = [name for name in _SHOWN if any(getattr(row, name, None) is not None for row in first)]
    return [{_SHOWN[name]: getattr(row, name, None) for name in names} for row in first]


def _print_verdict(source: str, tables: Sequence[ExplainedTable], mapping: Mapping | None) -> bool:
    """Say whether all is understood, and whether a build does as is shown."""
    from pipelines.extract.tables.explained import summed_up

    out = console()
    out.print(f"\n{literal(summed_up(tables))}", soft_wrap=True, highlight=False)
    if mapping and not mapping.checked:
        words = (
            f"{literal(source)}/{_mapping_file()} is a draft: builds read as inferred until it says `checked: true`."
        )
        out.print(words, soft_wrap=True, highlight=False)
    return not any(table.is_doubtful for table in tables)


def _draft(source: str, path: Path, tables: Sequence[ExplainedTable], mapping: Mapping | None, *, write: bool) -> None:
    """Write a draft, or print of it what an existing mapping does not say."""
    from pipelines.extract.tables.explained import draft_entries, draft_mapping

    out = console()
    if mapping is None and write:
        replace_file(path, draft_mapping(source, tables).encode())
        out.print(f"Wrote a draft: {literal(shown(path))}", soft_wrap=True, highlight=False)
    elif mapping is None and not all(table.is_understood for table in tables):
        words = f"`benchledger map {literal(source)} --write` drafts a mapping.yml in which you say what they mean."
        out.print(words, soft_wrap=True, highlight=False)
    elif mapping and write:
        missing = [t for t in tables if t.mapped is None or t.mapped.mapped.entry is None or t.mapped.mapped.drifts]
        entries = draft_entries(missing)
        out.print(f"{literal(shown(path))} is there and was not changed.", soft_wrap=True, highlight=False)
        out.print("What it does not say:" if entries else "Nothing is missing in it.", highlight=False)
        print(visible("".join(entries)), end="")
