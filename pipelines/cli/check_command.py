"""The command that puts a measurement of one's own beside the published results."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from benchledger.project import TOLERANCE
from pipelines.cli import options as cli
from pipelines.cli.commands import WithWarehouse
from pipelines.cli.output import OutputFormat, print_json, print_sections
from pipelines.exceptions import WrongUseError

CheckFormat = StrEnum("CheckFormat", ["text", "json", "markdown"])


def check(
    project: WithWarehouse,
    file: Annotated[Path, typer.Argument()],
    model: str | None = None,
    platform: str | None = None,
    set: Annotated[list[str] | None, typer.Option(metavar="CONDITION=VALUE")] = None,
    mapping: Annotated[Path | None, typer.Option(dir_okay=False)] = None,
    tolerance: Annotated[float, typer.Option(min=0, max=1)] = TOLERANCE,
    format: CheckFormat = CheckFormat.text,
) -> None:
    """Compare your own measurement with the published results closest in conditions; nothing is stored.

    Exit status: 0 as published or better; 3 nothing comparable; 4 slower than published by more than the tolerance.

    Example: `benchledger check serve.json --platform "H100 SXM" --set precision=FP8`

    Options:
        file: Output of a benchmark program, its JSON or CSV, or a page with tables.
        model: The model, where the file does not state it.
        platform: The platform, where the file does not state it, such as "H100 SXM".
        set: A further condition that the file does not state, such as batch_size=8; may be repeated.
        mapping: A mapping of the tables of the file.
        tolerance: Share of the published value up to which a number is as published.
        format: How the comparison is printed; `markdown` suits an issue or a pull request.
    """
    conditions = {}
    for one in set or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise WrongUseError(
                f"--set takes CONDITION=VALUE, such as batch_size=8, and not {one!r}"
            )
        conditions[name.strip()] = value.strip()
    found = project.check(
        file,
        model=model,
        platform=platform,
        conditions=conditions,
        mapping=mapping,
        tolerance=tolerance,
    )
    if format is CheckFormat.json:
        print_json({name: rows.to_pylist() for name, rows in found._asdict().items()})
    else:
        sections = {
            "measurements": ("Measured and published", found.shown()),
            "unknown": ("Not stated in the file", found.unknown()),
            "names": ("Unknown names", found.unknown_names),
            "rejects": ("Not read", found.rejects),
        }
        output = OutputFormat.markdown
        if not found.measurements.num_rows:
            cli.say(f"No number of {file} was read")
        if format is CheckFormat.text:
            _print_measurements(sections.pop("measurements")[1])
            output = OutputFormat.table
        print_sections(sections, output)
    if found.exit_status:
        raise typer.Exit(found.exit_status)


def _print_measurements(rows: pa.Table) -> None:
    """A paragraph for each number: its first line is what was measured."""
    for row in rows.to_pylist():
        cli.say(row.pop("measured"), "bold")
        for name, words in row.items():
            if words:
                cli.say(f"  {name.replace('_', ' '):<16}{words}")
        print()
