"""Writes the generated pages: `make golden`. Commands come from the help, Python from signatures and docstrings.

The data dictionary and the reference of mappings come from `pipelines/cli/references.py`, which the program uses, too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import click
import typer

import benchledger
from benchledger.project import Added, Fetched
from pipelines.cli import references
from pipelines.cli.build import Outcome
from pipelines.cli.main import app
from pipelines.cli.mapping_preview import DocumentPreview, SourcePreview
from pipelines.export.descriptions import File
from pipelines.extract.rows import Reject
from pipelines.extract.tables.preview import PreviewedNumber, TablePreview
from pipelines.ingest.fetch_log import Attempt
from pipelines.ingest.store import Stored
from pipelines.report.site import WrittenSite
from pipelines.settings import PROJECT

RETURNED = (
    *(Added, Stored, Fetched, Attempt, Outcome, WrittenSite, File),
    *(SourcePreview, DocumentPreview, TablePreview, PreviewedNumber, Reject),
)
MARK = "<!-- generated from signatures and docstrings by `make golden` -->\n"
_INTRODUCTION = """\
# Commands

This page is generated from the help of the program: `benchledger COMMAND --help` prints the same text. See also
[formats and exit statuses](reference.md#formats-and-exit-statuses) and
[folders and settings](reference.md#folders-and-settings).
"""
# They mean the same for every command.
_SHARED = ("--raw", "--warehouse", "--nl")
_EXAMPLE = re.compile(r"^Example: (`.+`)$", re.MULTILINE)
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\n", re.MULTILINE)
_ITEM = re.compile(r"^ {4}\**([\w, ]+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_HEADINGS = {"Args": "argument", "Attributes": "attribute", "Raises": "raises"}
_WIDTH = 100


def table(names: str, rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table, and an empty text for no rows."""
    lines = ["| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |\n" for row in rows]
    return f"\n| {names} |\n|{' --- |' * (names.count('|') + 1)}\n{''.join(lines)}" if lines else ""


# Commands


def commands_page() -> str:
    """The page `commands.md`."""
    group: Any = typer.main.get_command(app)
    rows: list[tuple[str, ...]] = []
    parts: list[str] = []
    shared: dict[str, click.Parameter] = {}
    for name, command in group.commands.items():
        example = _EXAMPLE.search(command.help)
        rows.append((f"[`{name}`](#{name})", command.help.partition("\n")[0], example[1] if example else ""))
        options = {_name(option): option for option in command.params}
        shared |= {option: options[option] for option in _SHARED if option in options}
        own = table(
            "argument or option | meaning", [_option(one) for key, one in options.items() if key not in _SHARED]
        )
        also = ", ".join(f"`{option}`" for option in _SHARED if option in options)
        also = f"\nAlso: {also}, see [options of several commands](#options-of-several-commands).\n" if also else ""
        parts.append(f"\n## {name}\n\n{command.help}\n{own}{also}")
    several = table("option | meaning", [_option(shared[option]) for option in _SHARED])
    overview = table("command | what it does | example", rows)
    return f"{_INTRODUCTION}{overview}{''.join(parts)}\n## Options of several commands\n{several}"


def _name(option: click.Parameter) -> str:
    is_option = option.param_type_name == "option"
    return option.opts[0] if is_option else (option.metavar or (option.name or "").upper())


def _option(option: Any) -> tuple[str, str]:
    name, choices = _name(option), getattr(option.type, "choices", ())
    default = option.show_default if isinstance(option.show_default, str) else option.default
    default = getattr(default, "value", default)
    facts = [f"One of {', '.join(f'`{choice}`' for choice in choices)}."] if choices else []
    facts += ["Required."] if option.required else []
    facts += [f"Default: {default}."] if default not in (None, False) else []
    facts += ["May be repeated."] if getattr(option, "multiple", False) else []
    return f"`{name}`", " ".join([option.help or "", *facts])


# Python


def python_page() -> str:
    """The page `python.md`: the guide as it is written, and the reference."""
    guide, _, _ = (PROJECT / "docs" / "python.md").read_text("utf-8").partition(MARK)
    parts = [guide, MARK, "\n## Functions and classes\n", _function("benchledger.", benchledger.open_warehouse, 3)]
    parts += [_class("benchledger.", one) for one in (benchledger.Warehouse, benchledger.Project)]
    parts += ["\n## What the methods return\n\nThese classes have no constructor for users. New fields may be added.\n"]
    parts += [_class("", one) for one in RETURNED]
    errors = [one for name in benchledger.__all__ if _is_error(one := getattr(benchledger, name))]
    rows = [(f"`{one.__name__}`", f"`{one.__base__.__name__}`", f"{one.exit_status}", _text(one)) for one in errors]
    return "".join([*parts, "\n## Errors\n", table("error | is a | exit status | meaning", rows)])


def _is_error(one: Any) -> bool:
    return isinstance(one, type) and issubclass(one, Exception)


def _text(one: Any) -> str:
    return inspect.getdoc(one) or ""


def _class(prefix: str, one: type) -> str:
    name = one.__name__
    found = f"\n### {name}\n\n" + _sections(_text(one), _fields(one))
    if one is benchledger.Project:
        found += f"\n{_signature(f'{prefix}{name}', one.__init__)}\n{_sections(_text(one.__init__))}"
    methods = [method for key, method in vars(one).items() if inspect.isfunction(method) and not key.startswith("_")]
    return found + "".join(_function(f"{name}.", method, 4) for method in methods if _text(method))


def _fields(one: type) -> dict[str, str]:
    """The public fields of a class with their types; none of a class with methods that set them."""
    known = [
        inspect.get_annotations(base) for base in reversed(one.__mro__) if base.__module__.startswith("pipelines.")
    ]
    own = known or [inspect.get_annotations(one)]
    return {
        name: getattr(kind, "__forward_arg__", str(kind))
        for names in own
        for name, kind in names.items()
        if not name.startswith(("_", "model_"))
    }


def _function(prefix: str, function: Any, level: int) -> str:
    name = f"{prefix}{function.__name__}"
    # What `results` and `claims` take as `**names` is described in a class of its own.
    unpacked = re.search(r"Unpack\[(\w+)\]", str(inspect.get_annotations(function)))
    more = _ITEM.findall(_text(getattr(benchledger, unpacked[1]))) if unpacked else []
    return f"\n{'#' * level} {name}\n\n{_signature(name, function)}\n{_sections(_text(function), arguments=more)}"


def _signature(name: str, function: Any) -> str:
    """The call of a function with its types, in a block; on more lines where it is long."""
    arguments: list[str] = []
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in "".join(arguments):
            arguments.append("*")
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else "*" * (parameter.kind is parameter.VAR_POSITIONAL)
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        arguments.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    returned = f" -> {signature.return_annotation}" if function.__name__ != "__init__" else ""
    line = f"{name}({', '.join(arguments)}){returned}"
    if len(line) > _WIDTH:
        line = f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){returned}"
    return f"```py\n{line}\n```\n"


def _default(value: Any) -> str:
    return "..." if callable(value) else repr(value)


def _sections(text: str, fields: dict[str, str] | None = None, arguments: Iterable[tuple[str, str]] = ()) -> str:
    """A docstring as Markdown: what it says, its arguments or fields, what is returned, the errors."""
    summary, *rest = _SECTION.split(text)
    found = f"{summary.rstrip()}\n"
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    if fields:
        texts = {
            one: text for names, text in _ITEM.findall(sections.pop("Attributes", "")) for one in names.split(", ")
        }
        rows = [(f"`{name}`", f"`{kind}`", texts.get(name, "")) for name, kind in fields.items()]
        return found + table("field | type | meaning", rows)
    for title, content in sections.items():
        if title == "Returns":
            found += f"\nReturns: {' '.join(content.split())}\n"
        else:
            items = [
                *(item for item in _ITEM.findall(content) if not (arguments and item[0] == "names")),
                *(arguments if title == "Args" else ()),
            ]
            found += table(f"{_HEADINGS[title]} | meaning", [(f"`{name}`", text) for name, text in items])
    return found


GENERATED: dict[str, Callable[[], str]] = {
    "warehouse/README.md": references.data_dictionary,
    "docs/mapping.md": references.page,
    "docs/commands.md": commands_page,
    "docs/python.md": python_page,
}

if __name__ == "__main__":
    for name, generated in GENERATED.items():
        (PROJECT / name).write_text(generated(), "utf-8")
