"""What the pages, the data dictionary and the help say is what the project does: examples are run,
outputs compared.
"""

from __future__ import annotations

import difflib
import doctest
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import typer
import yaml
from conftest import Ledger
from generate import GENERATED, sources_page
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.tables import LAYERS, PUBLISHED, TABLES
from pipelines.settings import PROJECT
from pipelines.warehouse.database import STORAGE_VERSION
from pipelines.yaml_files import load_yaml

README = (PROJECT / "README.md").read_text("utf-8")
CONTRIBUTING = (PROJECT / "CONTRIBUTING.md").read_text("utf-8")
TUTORIAL = (PROJECT / "docs" / "tutorial.md").read_text("utf-8")
DOCS = sorted(path.relative_to(PROJECT).as_posix() for path in (PROJECT / "docs").rglob("*.md"))
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "raw/README.md", *DOCS]
MAX_LINES_OF_THE_README = 120
MAX_BYTES_OF_A_PICTURE = 300_000
MAKEFILE = (PROJECT / "Makefile").read_text("utf-8")
COMMANDS: dict[str, click.Command] = typer.main.get_command(app).commands  # type: ignore[attr-defined]

# A fenced block: its language, its text.
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# `make ui`, `make warehouse`
_MAKE = re.compile(r"(?<![\w-])make ([a-z]+)(?=[`\s]|$)", re.MULTILINE)
# `benchledger map acme/results --write` within backticks
_COMMAND_IN_TEXT = re.compile(r"`(benchledger [a-z][^`]*)`")
# The same on a line of a block, without a comment behind it
_COMMAND_IN_BLOCK = re.compile(r"^(?:\$ )?(benchledger [a-z][^\n#]*)", re.MULTILINE)
# `benchledger sql` with all that follows it on a console line or within backticks
_SQL_IN_TEXT = re.compile(r"`(benchledger sql [^`]+)`")
_SUBSTITUTION = re.compile(r'"\$\(cat ([^)]+)\)"')


@dataclass(frozen=True)
class Step:
    """A command of a console block and the output that the page shows for it; `save FILE` and what
    the file says.
    """

    command: str
    shown: str


def blocks(page: str, language: str) -> list[str]:
    return [text for found, text in _BLOCK.findall(page) if found == language]


def saved_in(block: str) -> str | None:
    """The file under `raw/` that a block of YAML is, as its first line says."""
    first = block.partition("\n")[0]
    return first.removeprefix("# ") if first.startswith("# raw/") else None


def steps(page: str) -> list[Step]:
    found: list[Step] = []
    for language, block in _BLOCK.findall(page):
        if language == "yaml" and (name := saved_in(block)):
            found.append(Step(f"save {name}", block))
        for part in (
            re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] if language == "console" else ()
        ):
            lines = part.splitlines()
            for end in range(1, len(lines) + 1):
                command = "\n".join(lines[:end])
                if command.count('"') % 2 == 0:
                    break
            found.append(Step(command, "\n".join(lines[end:])))
    return found


def run(command: str) -> tuple[int, str, str]:
    """Status, output and errors of a `benchledger` command, with `"$(cat file)"` as the shell would
    put it in.
    """
    files = iter(_SUBSTITUTION.findall(command))
    words = shlex.split(_SUBSTITUTION.sub("@file@", command))
    assert words[0] == "benchledger", command
    arguments = [
        (PROJECT / next(files)).read_text("utf-8") if word == "@file@" else word
        for word in words[1:]
    ]
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def shows(shown: str, printed: str) -> bool:
    """True when the page shows what is printed (progress left out); `...` stands for anything, a
    time for any time.
    """
    shown = re.sub(r"Built in [\d.]+ s", "Built in ... s", shown)
    printed = re.sub(r"^\[ *\d+/\d+\] .*\n", "", printed, flags=re.MULTILINE)
    if not shown.strip():
        return True
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(shown, printed, flags)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Ledger], Path]:
    """Makes a folder as after a clone and a build, with the pages of the tutorial saved in it;
    commands work in it.
    """

    def make(built: Ledger) -> Path:
        shutil.copytree(
            built.raw if any(built.raw.iterdir()) else PROJECT / "raw", tmp_path / "raw"
        )
        shutil.copytree(built.warehouse, tmp_path / "warehouse")
        for title, name in {"Acme results": "page.txt", "# YOLOv8": "detection.md"}.items():
            [page] = [block for block in blocks(TUTORIAL, "text") if block.startswith(title)]
            (tmp_path / name).write_text(page, "utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("BENCHLEDGER_RAW", str(tmp_path / "raw"))
        monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(tmp_path / "warehouse"))
        return tmp_path

    return make


# README and docs


def test_the_readme_is_short_and_begins_with_the_two_commands() -> None:
    assert len(README.splitlines()) <= MAX_LINES_OF_THE_README
    first = blocks(README, "bash")[0].splitlines()
    assert [line.split("#")[0].strip() for line in first] == ["make warehouse", "make test"]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *DOCS])
def test_make_targets_exist(page: str) -> None:
    named = set(_MAKE.findall((PROJECT / page).read_text("utf-8")))
    assert named or page.startswith("docs/")
    assert named - set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE)) == set()


def test_pictures_are_small_and_shown() -> None:
    for picture in (PROJECT / "docs" / "images").iterdir():
        assert picture.stat().st_size < MAX_BYTES_OF_A_PICTURE, picture
        assert any(
            f"images/{picture.name})" in (PROJECT / page).read_text("utf-8") for page in PAGES
        ), picture


def test_make_help_lists_every_target() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert phony
    assert set(re.findall(r"^([a-z-]+):.*## \w", MAKEFILE, re.MULTILINE)) == set(phony[1].split())


@pytest.mark.whole
@pytest.mark.parametrize(("page", "least"), [("README.md", 3), ("docs/tutorial.md", 18)])
def test_what_a_page_shows_is_what_is_printed(
    page: str, least: int, whole: Ledger, clone: Callable[[Ledger], Path]
) -> None:
    folder = clone(whole)
    walked = steps((PROJECT / page).read_text("utf-8"))
    assert len(walked) >= least
    wrong = []
    for step in walked:
        if step.command.startswith("save "):
            (folder / step.command.removeprefix("save ")).write_text(step.shown, "utf-8")
            continue
        # The README begins before the first build.
        is_first = step.command == "make warehouse"
        status, printed, errors = (
            (0, whole.printed.read_text("utf-8"), "") if is_first else run(step.command)
        )
        if status not in (0, 3):
            wrong.append(f"$ {step.command}\nended with {status}: {errors}")
        elif not shows(step.shown, printed):
            diff = "\n".join(difflib.ndiff(step.shown.splitlines(), printed.splitlines()))
            wrong.append(f"$ {step.command}\n{diff}")
    assert not wrong, f"{page} shows something else than is printed:\n\n" + "\n\n".join(wrong)


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_options_that_the_pages_name_exist(page: str) -> None:
    text = (PROJECT / page).read_text("utf-8")
    in_blocks = "\n".join(
        block for language, block in _BLOCK.findall(text) if language in ("bash", "console")
    )
    for command in _COMMAND_IN_TEXT.findall(_BLOCK.sub("", text)) + _COMMAND_IN_BLOCK.findall(
        in_blocks
    ):
        name, *words = command.split()[1:]
        assert name in COMMANDS, command
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        named = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert named <= {*known, "--help"}, command


def anchors(text: str) -> set[str]:
    """What a link may name behind `#`: headings in lower case, blanks as hyphens, other marks left
    out.
    """
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_and_folders_exist(page: str) -> None:
    text = (PROJECT / page).read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        name, _, anchor = target.partition("#")
        file = (PROJECT / page).parent / name if name else PROJECT / page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text("utf-8")), target
    for folder in re.findall(r"`((?:pipelines|raw|tests|warehouse)/[\w/.]*)`", text):
        known = folder == "warehouse/benchmarks.duckdb" or "acme" in folder
        assert known or (PROJECT / folder).exists(), folder


@pytest.mark.whole
def test_the_page_of_sources_is_that_of_the_shipped_documents(whole: Ledger) -> None:
    query = (PROJECT / "warehouse" / "queries" / "every_source.sql").read_text("utf-8")
    written, page = sources_page(whole.sql(query)), PROJECT / "docs" / "sources.md"
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        page.write_text(written, "utf-8")
    assert page.read_text("utf-8") == written


def test_tables_that_the_pages_name_exist(shipped: Ledger) -> None:
    known = {table.full_name for table in PUBLISHED}
    for page in PAGES:
        named = re.findall(
            # Not in an address: `https://raw.githubusercontent.com`
            rf"(?<!/)\b(?:{'|'.join(LAYERS)})\.[a-z]\w*\b(?!\()",
            (PROJECT / page).read_text("utf-8"),
        )
        assert set(named) - known - {"raw.yml", "main.py"} == set(), page


# Commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    text = COMMANDS[name].help or ""
    summary = " ".join(text.split("\n\n")[0].splitlines())
    assert re.match(r"[A-Z].*\.$", summary) or summary.endswith(":"), text
    assert f"Example: `benchledger {name}" in text
    assert [one.name for one in COMMANDS[name].params if not getattr(one, "help", None)] == []


def test_examples_of_the_help_run(part: Ledger, clone: Callable[[Ledger], Path]) -> None:
    clone(part)
    # `ui` and `mcp` serve until they are stopped, in tests/cli; `fetch` asks the servers of the shipped
    # sources; `check` has a guide, in tests/package/test_check.py; `costs` needs rates of tokens, which
    # tests/package/test_own_prices.py has.
    for name, command in (
        (name, command)
        for name, command in COMMANDS.items()
        if name not in ("ui", "fetch", "check", "costs")
    ):
        for example in re.findall(r"Example: `([^`]+)`", command.help or ""):
            status, _, errors = run(example)
            # A page that is added has no mapping yet.
            assert status == (3 if name == "add" else 0), (
                f"{name}: `{example}` ended with {status}: {errors}"
            )


@pytest.mark.parametrize("page", ["docs/commands.md", "warehouse/README.md"])
def test_queries_in_the_text_run(
    page: str, shipped: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(shipped.warehouse))
    text = (PROJECT / page).read_text("utf-8")
    examples = _SQL_IN_TEXT.findall(text) + [
        step.command for step in steps(text) if step.command.startswith("benchledger sql")
    ]
    assert examples
    for example in examples:
        status, _, errors = run(example.replace("<name>", "mlperf_time_to_train"))
        assert status == 0, f"`{example}` ended with {status}: {errors}"


# Generated pages and the published file


def test_every_word_with_a_definition_is_in_the_dictionary() -> None:
    defined = {
        key: column.one_of for key, column in COLUMNS.items() if isinstance(column.one_of, dict)
    }
    dictionary = (PROJECT / "warehouse" / "README.md").read_text("utf-8")
    assert {"status", "verdict", "grade"} <= defined.keys()
    for key, values in defined.items():
        section = dictionary.partition(f"### {key}\n")[2].partition("\n##")[0]
        assert [
            value for value in values if f"| `{value}` | {values[value]} |" not in section
        ] == []


@pytest.mark.whole
def test_the_rows_of_the_dictionary_are_in_the_shipped_warehouse(whole: Ledger) -> None:
    rows = load_yaml(PROJECT / "pipelines" / "cli" / "references.yml", texts_only=True)["rows"]
    assert {*rows} == {table.full_name for table in PUBLISHED if table.layer == "main"}
    for name, row in rows.items():
        types = {column.name: column.type for column in TABLES[name].columns}
        holds = []
        for column, value in row.items():
            if types[column] in ("number", "integer"):
                holds.append(f"abs({column} - {value}) <= 1e-5 * abs({value})")
            else:
                stored = f"array_to_string({column}, ', ')" if types[column] == "texts" else column
                holds.append(f"{stored} = '{value}'")
        assert whole.sql(f"select 1 from {name} where {' and '.join(holds)}"), name


@pytest.mark.parametrize("page", GENERATED)
def test_a_generated_page_is_up_to_date(page: str) -> None:
    assert GENERATED[page]() == (PROJECT / page).read_text("utf-8"), (
        "run `make golden` and read the diff"
    )


def test_every_published_table_and_column_has_a_comment(shipped: Ledger) -> None:
    tables = shipped.sql(
        "select schema_name || '.' || table_name as name, comment from duckdb_tables()"
    )
    assert {row["name"] for row in tables} == {table.full_name for table in PUBLISHED}
    assert [row["name"] for row in tables if not row["comment"]] == []
    columns = shipped.sql(
        "select schema_name, table_name, column_name, comment from duckdb_columns() where not internal"
    )
    assert len(columns) == sum(len(table.columns) for table in PUBLISHED)
    assert [row for row in columns if not row["comment"]] == []


def test_the_published_file_opens_read_only_in_the_storage_version(shipped: Ledger) -> None:
    [row] = shipped.sql(
        "select readonly, tags['storage_version'] as storage_version from duckdb_databases() where not internal"
    )
    assert row["readonly"] is True
    assert row["storage_version"].startswith(STORAGE_VERSION)
    assert f"DuckDB {STORAGE_VERSION[1:].removesuffix('.0')} or newer" in README


# Changelog, licence, citation


def test_the_changelog_and_the_citation_are_those_of_this_version() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    changelog = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[?{re.escape(project['version'])}\]? - ", changelog, re.MULTILINE)
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "authors"} <= citation.keys()
    assert [citation[name] for name in ("title", "version", "license")] == [
        project[name] for name in ("name", "version", "license")
    ]
    assert "END OF TERMS AND CONDITIONS" in (PROJECT / "LICENSE").read_text("utf-8")
