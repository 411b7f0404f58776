"""Writes the generated pages: `make golden`. Commands come from the help, Python from signatures
and docstrings.

The data dictionary and the reference of mappings come from `pipelines/cli/references.py`, which the
program uses, too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import click
import typer

import benchledger
from benchledger.check import Check
from benchledger.job import Outcome
from benchledger.project import Added, Fetched
from benchledger.source_preview import DocumentPreview, Question, SourcePreview
from pipelines.cli import references
from pipelines.cli.main import app
from pipelines.export.descriptions import File
from pipelines.extract.rows import Reject
from pipelines.extract.tables.preview import PreviewedNumber, TablePreview
from pipelines.ingest.fetch_log import Attempt
from pipelines.ingest.store import Stored
from pipelines.report.site import WrittenSite
from pipelines.schemas.columns import COLUMNS
from pipelines.settings import PROJECT

RETURNED = (
    *(Added, Stored, Fetched, Attempt, Outcome, WrittenSite, File),
    *(SourcePreview, Question, DocumentPreview, TablePreview, PreviewedNumber, Reject, Check),
)
MARK = "<!-- generated from signatures and docstrings by `make golden` -->\n"
_INTRODUCTION = """\
# Commands

This page is generated from the help of the program: `benchledger COMMAND --help` prints the same text. See also
[formats and exit statuses](reference.md#formats-and-exit-statuses) and
[folders and settings](reference.md#folders-and-settings).
"""
_SOURCES = """\
# Sources

This page is generated from the shipped documents by `make golden`. *Results* counts the numbers of all versions of a page,
*current* those that no later page or release replaces. `benchledger sources` prints when each source was last fetched.
"""
# They mean the same for every command.
_SHARED = ("--raw", "--warehouse")
_EXAMPLE = re.compile(r"^Example: (`.+`)$", re.MULTILINE)
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\n", re.MULTILINE)
_ITEM = re.compile(r"^ {4}\**([\w, ]+): (.*(?:\n {8}.*)*)", re.MULTILINE)
# `path: Path  #: The stored file.`
_FIELD = re.compile(r"^ {4}(\w+): .*  #: (.*)$", re.MULTILINE)
# Parameters of Python by the name of the option of the command
_OPTIONS = {"document": "file", "allow_hosts": "allow_host"}
_WIDTH = 100
# `<!-- words: status -->`, a generated table, `<!-- end of words -->`
_WORDS = re.compile(r"(<!-- words: (\S+) -->\n).*?(?=<!-- end of words -->)", re.DOTALL)


def table(names: str, rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table, and an empty text for no rows."""
    lines = [
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |\n"
        for row in rows
    ]
    return f"\n| {names} |\n|{' --- |' * (names.count('|') + 1)}\n{''.join(lines)}" if lines else ""


# How it works


def how_it_works_page() -> str:
    """The page `how-it-works.md` as it is written, with the meanings of statuses and verdicts from
    `columns.yml`.
    """
    text = (PROJECT / "docs" / "how-it-works.md").read_text("utf-8")
    return _WORDS.sub(lambda match: f"{match[1]}{references.words(COLUMNS[match[2]])}\n", text)


# Sources


def sources_page(rows: Iterable[dict[str, Any]]) -> str:
    """The page `sources.md`, of the rows of `warehouse/queries/every_source.sql`."""
    listed = []
    for row in rows:
        days = sorted({f"{row['first_published_on']}", f"{row['last_published_on']}"})
        mapping = f"[mapping](../raw/{row['source']}/mapping.yml)" if row["has_mapping"] else ""
        listed.append(
            (
                f"[{row['source']}]({row['url']})" if row["url"] else row["source"],
                row["interest"],
                mapping,
                row["cadence"] or "",
                f"{row['documents']:,}",
                " to ".join(days),
                f"{row['results']:,}",
                f"{row['current_results']:,}",
            )
        )
    names = "source | interest | mapping | fetched | documents | published | results | current"
    return f"{_SOURCES}{table(names, listed)}"


# Commands


def commands_page() -> str:
    """The page `commands.md`."""
    rows: list[tuple[str, ...]] = []
    parts: list[str] = []
    shared: dict[str, click.Parameter] = {}
    for name, command in _commands().items():
        example = _EXAMPLE.search(command.help)
        rows.append(
            (f"[`{name}`](#{name})", command.help.partition("\n")[0], example[1] if example else "")
        )
        options = {_name(option): option for option in command.params}
        shared |= {option: options[option] for option in _SHARED if option in options}
        own = table(
            "argument or option | meaning",
            [_option(one) for key, one in options.items() if key not in _SHARED],
        )
        also = ", ".join(f"`{option}`" for option in _SHARED if option in options)
        also = (
            f"\nAlso: {also}, see [options of several commands](#options-of-several-commands).\n"
            if also
            else ""
        )
        parts.append(f"\n## {name}\n\n{command.help}\n{own}{also}")
    several = table("option | meaning", [_option(shared[option]) for option in _SHARED])
    overview = table("command | what it does | example", rows)
    return f"{_INTRODUCTION}{overview}{''.join(parts)}\n## Options of several commands\n{several}"


def _commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return group.commands  # type: ignore[no-any-return]


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
    parts = [
        guide,
        MARK,
        "\n## Functions and classes\n",
        _function("benchledger.", benchledger.open_warehouse, 3),
    ]
    parts += [_class("benchledger.", one) for one in (benchledger.Warehouse, benchledger.Project)]
    parts += [
        "\n## What the methods return\n\nThese classes have no constructor for users. New fields may be added.\n"
    ]
    parts += [_class("", one) for one in RETURNED]
    public = dict.fromkeys(getattr(benchledger, name) for name in benchledger.__all__)
    errors = filter(_is_error, public)
    rows = [
        (f"`{one.__name__}`", f"`{one.__base__.__name__}`", f"{one.exit_status}", _text(one))
        for one in errors
    ]
    return "".join([*parts, "\n## Errors\n", table("error | is a | exit status | meaning", rows)])


def _is_error(one: Any) -> bool:
    return isinstance(one, type) and issubclass(one, Exception)


def _text(one: Any) -> str:
    return inspect.getdoc(one) or ""


def _class(prefix: str, one: type) -> str:
    name = one.__name__
    found = f"\n### {name}\n\n{_sections(_text(one), _fields(one))}"
    if one is benchledger.Project:
        found += (
            f"\n{_signature(f'{prefix}{name}', one.__init__)}\n{_sections(_text(one.__init__))}"
        )
    return found + "".join(
        _function(f"{name}.", method, 4, one) for method in _methods(one) if _text(method)
    )


def _methods(one: type) -> list[Any]:
    return [
        method
        for name, method in vars(one).items()
        if inspect.isfunction(method) and not name.startswith("_")
    ]


def _fields(one: type) -> list[tuple[str, str, str]]:
    """The public fields of a class with their types and meanings, from `Attributes:` or `#:` behind
    them.
    """
    classes = [
        base for base in reversed(one.__mro__) if base.__module__.startswith("pipelines.")
    ] or [one]
    fields: dict[str, Any] = {
        name: kind for base in classes for name, kind in inspect.get_annotations(base).items()
    }
    texts = {name: text for base in classes for name, text in _items(_text(base))}
    texts |= {
        name: text for base in classes for name, text in _FIELD.findall(inspect.getsource(base))
    }
    public = [name for name in fields if not name.startswith(("_", "model_"))]
    return [
        (
            f"`{name}`",
            f"`{getattr(fields[name], '__forward_arg__', fields[name])}`",
            _described(one, name, texts),
        )
        for name in public
    ]


def _described(owner: Any, name: str, texts: dict[str, str]) -> str:
    if name not in texts:
        raise ValueError(f"{owner.__name__} lacks a description of {name}")
    return texts[name]


def _items(text: str) -> list[tuple[str, str]]:
    """The arguments, attributes and errors that a docstring describes."""
    return [(name, content) for names, content in _ITEM.findall(text) for name in names.split(", ")]


def _function(prefix: str, function: Any, level: int, owner: type | None = None) -> str:
    name = f"{prefix}{function.__name__}"
    text, parameters = _text(function), inspect.signature(function).parameters
    # What a method does not describe means the same as in another one, or as the option of its
    # command.
    texts = {
        key: one
        for method in (_methods(owner) if owner else ())
        for key, one in _items(_text(method))
    }
    command = _commands().get(function.__name__) if owner is benchledger.Project else None
    texts |= {f"{one.name}": one.help or "" for one in (command.params if command else ())} | dict(
        _items(text)
    )
    texts |= {key: texts[option] for key, option in _OPTIONS.items() if option in texts}
    described = [(key, _described(function, key, texts)) for key in parameters if key != "self"]
    return f"\n{'#' * level} {name}\n\n{_signature(name, function)}\n{_sections(text, arguments=described)}"


def _signature(name: str, function: Any) -> str:
    """The call of a function with its types, in a block; on more lines where it is long."""
    arguments: list[str] = []
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in "".join(arguments):
            arguments.append("*")
        stars = (
            "**"
            if parameter.kind is parameter.VAR_KEYWORD
            else "*" * (parameter.kind is parameter.VAR_POSITIONAL)
        )
        default = (
            "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        )
        arguments.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    returned = f" -> {signature.return_annotation}" if function.__name__ != "__init__" else ""
    line = f"{name}({', '.join(arguments)}){returned}"
    if len(line) > _WIDTH:
        line = (
            f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){returned}"
        )
    return f"```py\n{line}\n```\n"


def _default(value: Any) -> str:
    return "..." if callable(value) else repr(value)


def _sections(
    text: str,
    fields: Iterable[tuple[str, str, str]] = (),
    arguments: Iterable[tuple[str, str]] = (),
) -> str:
    """A docstring as Markdown: summary, arguments or fields, what is returned, errors."""
    summary, *rest = _SECTION.split(text)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    attributes = [] if fields else _items(sections.get("Attributes", ""))
    found = f"{summary.rstrip()}\n{table('field | type | meaning', fields)}"
    for heading, items in (
        ("attribute", attributes),
        ("argument", arguments or _items(sections.get("Args", ""))),
    ):
        found += table(f"{heading} | meaning", [(f"`{name}`", content) for name, content in items])
    found += (
        f"\nReturns: {' '.join(sections['Returns'].split())}\n" if "Returns" in sections else ""
    )
    errors = _items(sections.get("Raises", ""))
    return found + table("raises | if", [(f"`{name}`", content) for name, content in errors])


GENERATED: dict[str, Callable[[], str]] = {
    "warehouse/README.md": references.data_dictionary,
    "docs/mapping.md": references.page,
    "docs/commands.md": commands_page,
    "docs/python.md": python_page,
    "docs/how-it-works.md": how_it_works_page,
}

if __name__ == "__main__":
    for name, generated in GENERATED.items():
        (PROJECT / name).write_text(generated(), "utf-8")
