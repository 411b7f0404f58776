"""The rules of CONTRIBUTING.md that a program can check."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from pipelines.assets.steps import step_assets
from pipelines.definitions import benchledger
from pipelines.extract.contract import formats
from pipelines.extract.rows import EXTRACTED_TABLES, ROW_KINDS, Row
from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.tables import LAYERS, PUBLISHED, TABLES
from pipelines.settings import PROJECT
from pipelines.warehouse.reader import SQL_FOLDER

CODE = PROJECT / "pipelines"
MODULES = sorted([*CODE.rglob("*.py"), *(PROJECT / "benchledger").rglob("*.py")])
SQL_FILES = sorted(SQL_FOLDER.glob("*/*.sql"))
# A format is a module, or a folder with a front module.
READERS = {path.stem: path for path in (CODE / "extract").glob("*.py")}
READERS |= {path.parent.name: path for path in (CODE / "extract").glob("*/__init__.py")}
FORMAT_FILES = sorted(path for name, path in READERS.items() if name in formats())

NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "shared", "misc", "base", "manager"}
# Tokens of Python without comments, docstrings and line ends, by room. A number falls when a room
# shrinks for good.
BUDGETS = {
    "assets": 7_870,
    "benchledger": 7_740,
    "cli": 15_050,
    "export": 2_095,
    "extract": 100_600,
    "ingest": 13_220,
    "loose": 6_220,
    "read": 31_540,
    "remote": 2_441,
    "report": 6_375,
    "run": 12_290,
    "schemas": 944,
    "trace": 5_148,
    "validate": 8_890,
    "values": 2_501,
    "vocabulary": 5_011,
    "warehouse": 5_030,
}
# How crowded the code is; these fall, too.
TOKENS_A_LINE = 6.28
COMPREHENSIONS_OF_TWO_CLAUSES, ASSIGNMENTS_INSIDE_EXPRESSIONS = 75, 34
# So much more than its budget a room may have: a mended line needs no other line deleted.
AIR = 1.03
PATTERNS, CLASSES_WITH_TWO_MEANINGS, EXEMPLARS_OF_NO_TEXT = 138, 0, 209
MAX_LINES_OF_THE_FRONT_DOOR = 70

UNCOUNTED = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
DOCSTRING_QUOTES = ('"""', "'''")
COMPILED = re.compile(r"\bre2?\.compile\(")

# What must stand in no file: paths of one machine, hosts of package indexes. Written so that this
# file does not match.
FORBIDDEN = re.compile(
    r"(?<![\w.])/(?:root|work|home/\w+)/|index[-_]url|pypi[.]org|files[.]pythonhosted|[a]rtifactory",
    re.IGNORECASE,
)

# Columns that every extracted row gets from its `cell` and its document.
ALL_TABLES = (*TABLES.values(), *EXTRACTED_TABLES.values())


def named(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, wherever in it; `from a import b` gives `a`
    and `a.b`.
    """
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def importers(package: str) -> set[str]:
    return {
        named(path)
        for path in MODULES
        if any(name == package or name.startswith(f"{package}.") for name in imports(path))
    }


@cache
def kept_files() -> tuple[Path, ...]:
    """Files that git keeps or would keep."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True).stdout
    return tuple(path for name in listed.split("\0") if name and (path := PROJECT / name).is_file())


# Names and files


def test_no_file_has_a_name_that_says_nothing() -> None:
    wrong = [
        named(path)
        for path in kept_files()
        if NAMES_THAT_SAY_NOTHING
        & {Path(part).stem.lower() for part in path.relative_to(PROJECT).parts}
    ]
    assert wrong == []


def test_every_room_has_a_budget_and_stays_within_it() -> None:
    tokens = Counter[str]()
    for path in MODULES:
        tokens[room_of(path)] += tokens_in(path)
    assert {*tokens} == {*BUDGETS}
    assert {room: count for room, count in tokens.items() if count > BUDGETS[room] * AIR} == {}


def test_patterns_stay_within_their_budget() -> None:
    assert sum(len(COMPILED.findall(path.read_text("utf-8"))) for path in MODULES) <= PATTERNS * AIR


def test_a_line_holds_few_tokens_and_a_statement_says_one_thing() -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in MODULES)
    assert sum(map(tokens_in, MODULES)) / lines <= TOKENS_A_LINE
    crowded = Counter[str]()
    for path in MODULES:
        parents = {
            child: node for node in ast.walk(tree(path)) for child in ast.iter_child_nodes(node)
        }
        crowded["comprehensions"] += sum(map(has_two_clauses, parents))
        for node in parents:
            crowded["assignments"] += is_inside_an_expression(node, parents)
    assert crowded["comprehensions"] <= COMPREHENSIONS_OF_TWO_CLAUSES
    assert crowded["assignments"] <= ASSIGNMENTS_INSIDE_EXPRESSIONS


def has_two_clauses(node: ast.AST) -> bool:
    """Whether a comprehension has two `for` or two `if`."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return False
    return len(node.generators) > 1 or len(node.generators[0].ifs) > 1


def is_inside_an_expression(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether `:=` is elsewhere than alone, or compared or negated, in an `if` or a `while`."""
    if not isinstance(node, ast.NamedExpr):
        return False
    above = parents[node]
    if isinstance(above, ast.Compare | ast.UnaryOp):
        above = parents[above]
    return not isinstance(above, ast.If | ast.While)


def test_comments_docstrings_and_line_ends_are_no_tokens(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""What it holds."""\n\n# Why.\nx = [\n    f"{1:.{2}} {f\'{3}\'}",\n]  # And why.\n',
        "utf-8",
    )
    assert tokens_in(path) == len(["x", "=", "[", "the text", ",", "]"])


def test_every_error_descends_from_the_root() -> None:
    own = [
        node
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and node.bases and node.name.endswith("Error")
    ]
    bases = {node.name: {ast.unparse(base) for base in node.bases} for node in own}
    known = {name for name in bases if bases[name] & {*bases}} | {"BenchledgerError"}
    # A model of pydantic, for the errors of a source.
    assert {*bases} - known == {"KnownError"}
    assert len(own) > 20


def test_class_names_have_one_meaning() -> None:
    names = [
        node.name
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    ]
    assert (
        len([name for name, times in Counter(names).items() if times > 1])
        <= CLASSES_WITH_TWO_MEANINGS
    )


def test_a_comment_above_a_pattern_quotes_a_text_that_stands_somewhere() -> None:
    kept = "\n".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in kept_files()
        if path.relative_to(PROJECT).parts[0] in ("raw", "tests") or path.name == "programs.yml"
    )
    quoted = [text for path in MODULES for text in _exemplars(path)]
    assert len([text for text in quoted if text not in kept]) <= EXEMPLARS_OF_NO_TEXT


def _exemplars(path: Path) -> Iterator[str]:
    """What the comments directly above patterns quote."""
    lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if COMPILED.search(line):
            above = itertools.takewhile(
                lambda text: text.lstrip().startswith("#"), reversed(lines[:number])
            )
            yield from (text for comment in above for text in re.findall(r"`([^`]+)`", comment))


def room_of(path: Path) -> str:
    """The folder of a module; `loose` for those beside the folders, and the package by its name."""
    if not path.is_relative_to(CODE):
        return "benchledger"
    return path.relative_to(CODE).parts[0] if path.parent != CODE else "loose"


def tokens_in(path: Path) -> int:
    """How many tokens a module has; an f-string is one, as it is up to Python 3.11."""
    count = depth = 0
    with path.open(encoding="utf-8") as file:
        for token in tokenize.generate_tokens(file.readline):
            name = tokenize.tok_name[token.type]
            count += depth == 0 and is_counted(token)
            depth += (name == "FSTRING_START") - (name == "FSTRING_END")
    return count


def is_counted(token: tokenize.TokenInfo) -> bool:
    if token.type in UNCOUNTED:
        return False
    return token.type != tokenize.STRING or not token.string.lstrip("rRbBuUfF").startswith(
        DOCSTRING_QUOTES
    )


def test_the_front_door_stays_small() -> None:
    assert (
        len((CODE / "definitions.py").read_text("utf-8").splitlines()) < MAX_LINES_OF_THE_FRONT_DOOR
    )


# Imports


def test_only_the_warehouse_and_its_tables_open_duckdb() -> None:
    assert importers("duckdb") == {
        "pipelines/warehouse/database.py",
        "pipelines/warehouse/reader.py",
    }


def test_dagster_is_imported_only_where_assets_are_and_by_two_commands() -> None:
    others = ("pipelines/definitions.py", "pipelines/cli/ui.py", "benchledger/job.py")
    for package in ("dagster", "sqlalchemy", "alembic"):
        assert {
            path for path in importers(package) if not path.startswith("pipelines/assets/")
        } <= {*others}, package


def test_only_the_reader_of_pdf_imports_pdfplumber() -> None:
    for name in ("pdfplumber", "pdfminer", "pypdfium2", "pikepdf"):
        assert all(path.startswith("pipelines/read/pdf/") for path in importers(name)), name


def test_no_private_module_of_dagster_is_used() -> None:
    private = re.compile(rb"dagster[.]_")
    assert [named(path) for path in kept_files() if private.search(path.read_bytes())] == []


def test_source_formats_are_found_and_never_imported() -> None:
    for name in formats():
        # What a folder keeps may serve others; that it is a format is nobody's to know.
        found = [named(path) for path in MODULES if f"pipelines.extract.{name}" in imports(path)]
        assert found == [], f"{name} is imported"


def test_no_query_and_no_other_module_names_a_source_format() -> None:
    # Queries ask `source_format(extractor)`, modules the `FORMAT` of a format.
    named_as_text = re.compile(rf"""['"](?:{"|".join(formats())})['"]""")
    found = [
        f"{named(path)}: {match[0]}"
        for path in [*MODULES, *SQL_FILES]
        for match in named_as_text.finditer(path.read_text("utf-8"))
        if path not in FORMAT_FILES
    ]
    assert found == []


# SQL


def test_sql_says_what_it_is_and_what_a_row_is() -> None:
    for path in SQL_FILES:
        first, second, *_ = path.read_text("utf-8").splitlines()
        assert re.fullmatch(r"-- [A-Z].*\.", first), named(path)
        assert bool(re.fullmatch(r"-- grain: one row per .+", second)) == (
            path.parent.name != "checks"
        ), named(path)
        if path.parent.name in LAYERS:
            # What is written out has an order.
            assert re.search(r"^order by ", path.read_text("utf-8"), re.MULTILINE), named(path)


def test_every_table_is_made_by_exactly_one_asset() -> None:
    made = Counter(
        key.to_user_string().replace("/", ".")
        for asset in benchledger().assets or ()
        # A source is looked at, and not made.
        for key in getattr(asset, "keys", ())
    )
    assert [name for name, times in made.items() if times > 1] == []
    read = {f"extracted.{name}" for name in formats()}
    steps = {table.full_name for table in PUBLISHED}
    assert set(made) == steps | read | {"warehouse"}
    # What is too much to look at is not looked at.
    assert len(PUBLISHED) <= 40
    assert len(made) <= 49
    specs = [spec for asset in step_assets() for spec in asset.specs]
    from_sql = {
        spec.key.to_user_string().replace("/", ".") for spec in specs if "sql" in spec.kinds
    }
    assert from_sql == {
        f"{path.parent.name}.{path.stem}" for path in SQL_FILES if path.parent.name in LAYERS
    }


# Tables and columns


def test_every_column_is_described_and_used() -> None:
    assert [name for name, column in COLUMNS.items() if not column.meaning.strip()] == []
    used = {column.key for table in ALL_TABLES for column in table.columns}
    assert set(COLUMNS) - used == set()


def test_every_table_says_what_it_is() -> None:
    for table in ALL_TABLES:
        assert re.fullmatch(r"[A-Z].*\.", table.meaning), table.full_name
        assert re.fullmatch(r"one row per .+", table.grain), table.full_name
        assert (table in PUBLISHED) == (table.layer in LAYERS)
        assert set(table.key) <= {column.name for column in table.columns}, table.full_name


# Source formats


def test_modules_that_read_documents_are_formats() -> None:
    readers = {
        name
        for name, path in READERS.items()
        if {"recognise", "extract"}
        <= {node.name for node in tree(path).body if isinstance(node, ast.FunctionDef)}
    }
    assert readers == set(formats())


@pytest.mark.parametrize("path", FORMAT_FILES, ids=named)
def test_a_format_says_what_it_is_and_is_tested(path: Path) -> None:
    name = path.parent.name if path.stem == "__init__" else path.stem
    module = formats()[name]
    declared = module.FORMAT
    assert module.__name__ == f"pipelines.extract.{declared.name}"  # type: ignore[attr-defined]
    assert re.fullmatch(r"\S.*\.", declared.description), declared.description
    assert declared.rows
    assert all(issubclass(row, Row) and row in ROW_KINDS.values() for row in declared.rows)
    assert (PROJECT / "tests" / "extract" / f"test_{name}.py").exists()
    fixtures = PROJECT / "tests" / "fixtures" / name
    documents = {
        file.stem
        for file in fixtures.iterdir()
        if not file.name.endswith((".expected.csv", ".yml"))
    }
    expected = {file.name.removesuffix(".expected.csv") for file in fixtures.glob("*.expected.csv")}
    assert documents == expected != set()


# What is kept


def test_no_file_names_a_machine_or_a_package_index() -> None:
    wrong = [
        f"{named(path)}:{number} {line.strip()[:80]}"
        for path in kept_files()
        for number, line in enumerate(
            path.read_bytes().decode("utf-8", "replace").splitlines(), start=1
        )
        if FORBIDDEN.search(line)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text", ["see {}work{}main", "--index{}url x", "index{}url = 1", "at {}root{}x", "pypi{}org"]
)
def test_a_forbidden_text_would_be_seen(text: str) -> None:
    fill = "/" if text.count("{}") == 2 else "." if text.startswith("pypi") else "-"
    assert FORBIDDEN.search(text.format(fill, fill))


def test_the_lock_file_has_a_hash_for_each_requirement_and_no_address() -> None:
    lock = (PROJECT / "requirements.lock").read_text("utf-8")
    assert "://" not in lock
    entries = re.split(
        r"^(?=[a-z0-9])", re.sub(r"^\s*#.*\n", "", lock, flags=re.MULTILINE), flags=re.MULTILINE
    )
    entries = [entry for entry in entries if entry.strip()]
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[a-z0-9][\w.-]*(?:\[[\w,-]+\])?==\S+", entry), entry[:60]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:60]


def test_what_our_modules_deprecate_is_an_error_and_what_dependencies_do_is_not() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as file:
        words = tomllib.load(file)["tool"]["pytest"]["ini_options"]["filterwarnings"][-1]
    ignored = re.compile(words.split(":", 3)[3])
    ours = {"pipelines.read.text", "benchledger", "makers.golden"}
    for folder in ("tests", "benchmarks", "docs"):
        ours |= {
            path.stem for path in (PROJECT / folder).rglob("*.py") if "makers" not in path.parts
        }
    assert [name for name in sorted(ours) if ignored.match(name)] == []
    assert all(map(ignored.match, ("dagster.utils", "pandas", "reportlab.lib", "<string>")))


def test_tests_are_in_the_rooms_of_the_code() -> None:
    rooms = {room_of(path) for path in MODULES} - {"loose", "benchledger"}
    tested = {path.parent.name for path in (PROJECT / "tests").glob("*/test_*.py")}
    # A table is declared once, and the tests of the dictionary and of the house compare it.
    assert rooms - {"schemas"} <= tested
