"""The wheel, as somebody has it who has no checkout: what is in it, and that it builds a warehouse
somewhere else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from conftest import OF_PAGES, RETRIEVED, Ledger, PageMaker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pipelines.exceptions import install_command
from pipelines.settings import FILE_NAME, PROJECT

_FOLDERS = ("benchledger", "pipelines", "warehouse/queries")
_FILES = (
    "CITATION.cff",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "README.md",
    "dagster.yaml",
    "pyproject.toml",
)
# What is asked of the built warehouse, in one process.
_ASKED = """
import sys
import benchledger
from pipelines.cli.main import app
from typer.testing import CliRunner

ledger = benchledger.open_warehouse("warehouse")
[row] = ledger.results(model="ResNet-50 v1.5").to_dict("records")
trace = ledger.trace(row["result_id"])
print(benchledger.__file__, row["value"], trace["place"]["text_printed"], len(trace["place"]["lines"]) > 1)
for words in ("dictionary", "--version", "export --to exported", "ui"):
    done = CliRunner().invoke(app, words.split())
    print(done.exit_code, (done.stdout or done.stderr).splitlines()[0])
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout: nothing is written into the checkout itself."""
    folder = tmp_path_factory.mktemp("source")
    for name in _FOLDERS:
        # As in a clone: what was compiled is left out, links stay links.
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / name, folder / name, symlinks=True, ignore=ignored)
    for name in _FILES:
        shutil.copy2(PROJECT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    uv = Path(sys.executable).with_name("uv")
    command = [
        uv,
        "build",
        "--wheel",
        "--offline",
        "--no-build-isolation",
        "--quiet",
        "--python",
        sys.executable,
    ]
    subprocess.run(
        [*command, "--out-dir", folder, source], check=True, env=os.environ | {"PYTHONPATH": ""}
    )
    [built] = folder.glob("*.whl")
    return built


def test_a_release_has_wheel_data_and_site_with_checksums_and_what_changed(
    source: Path, wheel: Path, ledger: Ledger, page: PageMaker, tmp_path: Path
) -> None:
    for day, value in (("2023-01-01", "38,036"), ("2023-02-01", "30,000")):
        ledger.add(page([{"Throughput (items/sec)": value}]), "acme/results", day)
        if day == "2023-01-01":
            assert ledger.build().success
            shutil.copy(ledger.warehouse / FILE_NAME, tmp_path / "last.duckdb")
    folders = {
        "BENCHLEDGER_RAW": str(ledger.raw),
        "BENCHLEDGER_WAREHOUSE": str(ledger.warehouse),
        "PYTHONPATH": "",
    }
    dist, version = tmp_path / "dist", wheel.name.split("-")[1]

    def release(version: str) -> subprocess.CompletedProcess[str]:
        own = [
            f"VENV={sys.prefix}",
            f"VERSION={version}",
            f"DIST={dist}",
            f"PREVIOUS={tmp_path / 'last.duckdb'}",
        ]
        command = ["make", "-o", f"{sys.prefix}/.ready", "release", *own]
        return subprocess.run(
            command, cwd=source, env=os.environ | folders, capture_output=True, text=True
        )

    assert "another version than VERSION=99.0" in release("99.0").stdout
    assert not dist.exists()
    done = release(version)
    assert done.returncode == 0, done.stderr
    name = f"benchledger-{version}-data-{RETRIEVED:%Y-%m-%d}"
    files = {path.name for path in dist.iterdir() if not path.name.startswith(".")}
    parts = (".duckdb", "-changes.md", "-export.tar.gz", "-site.tar.gz")
    assert files == {
        wheel.name,
        f"benchledger-{version}.tar.gz",
        "SHA256SUMS",
        *(name + part for part in parts),
    }
    sums = dict(line.split("  ")[::-1] for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert sums == {
        file: hashlib.sha256((dist / file).read_bytes()).hexdigest()
        for file in files - {"SHA256SUMS"}
    }
    for part, inside in (("export", "croissant.json"), ("site", "index.html")):
        with tarfile.open(dist / f"{name}-{part}.tar.gz") as archive:
            assert f"{name}-{part}/{inside}" in archive.getnames()
    with zipfile.ZipFile(dist / wheel.name) as from_source, zipfile.ZipFile(wheel) as built:
        assert {*from_source.namelist()} == {*built.namelist()}
    changes = (dist / f"{name}-changes.md").read_text()
    assert changes.startswith("# Changes from last.duckdb of ")
    assert "## Restated: 1" in changes
    assert [path.name for path in tmp_path.glob("dist*")] == ["dist"]
    assert "exists; move the earlier release" in release(version).stdout


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel in it; what it depends on is that of the tests."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(folder)
    packages = Path(
        sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    )
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    uv = Path(sys.executable).with_name("uv")
    command = [
        uv,
        "pip",
        "install",
        "--offline",
        "--no-deps",
        "--quiet",
        "--python",
        folder / "bin" / "python",
        wheel,
    ]
    subprocess.run(command, check=True)
    return folder / "bin"


# Commands one after the other in one process, each with its status and what it prints.
_EACH = """
import io, json, sys
from pipelines.cli.main import main

for words in json.loads(sys.argv[1]):
    sys.argv[1:], sys.stdout = words, io.StringIO()
    sys.stderr, printed, status = sys.stdout, sys.stdout, 0
    try:
        main()
    except SystemExit as ended:
        status = ended.code or 0
    print(json.dumps([status, printed.getvalue()]), file=sys.__stdout__)
"""


def closure(wheel: Path, extra: str) -> set[str]:
    """The packages that the wheel asks for with an extra, `` for none, and all that these ask for."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        asked = re.findall(r"^Requires-Dist: (.*)", archive.read(name).decode(), re.MULTILINE)
    installed = {canonicalize_name(one.metadata["Name"]) for one in distributions()}
    found: set[str] = set()
    waiting = [(Requirement(text), extra) for text in asked]
    while waiting:
        needed, of = waiting.pop()
        name = canonicalize_name(needed.name)
        # What another system or version of Python needs is not installed.
        if name in installed - found and (
            not needed.marker or needed.marker.evaluate({"extra": of})
        ):
            found.add(name)
            more = map(Requirement, distribution(name).requires or ())
            waiting += [(one, of) for one in more for of in ("", *needed.extras)]
    return found


def test_without_extras_a_warehouse_is_read_and_a_command_names_the_extra_it_needs(
    wheel: Path, part: Ledger, tmp_path: Path
) -> None:
    core = closure(wheel, "")
    assert not core & {"dagster", "pandera", "pdfplumber", "sqlalchemy"}
    assert "dagster" in closure(wheel, "build")
    folder = tmp_path / "venv"
    venv.create(folder)
    packages = Path(
        sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    )
    for of in map(distribution, core):
        for name in {file.parts[0] for file in of.files or ()} - {"..", "__pycache__"}:
            (packages / name).exists() or (packages / name).symlink_to(
                Path(str(of.locate_file(name)))
            )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (tmp_path / "page.txt").write_text("a page", "utf-8")
    (tmp_path / "page.pdf").write_bytes(b"%PDF-1.7")
    environment = {
        "PATH": os.environ["PATH"],
        "BENCHLEDGER_RAW": str(part.raw),
        "BENCHLEDGER_WAREHOUSE": str(part.warehouse),
    }
    stored = "select result_id from resolved.results join raw.documents using (document_id) where "
    expected = (
        (["sql", "select 1 as one"], 0, "one"),
        (["trace", "--query", stored + "path like '%.txt' limit 1"], 0, "document "),
        (
            ["trace", "--query", stored + "path like '%.pdf' limit 1"],
            0,
            "is not installed; `pip install 'benchledger[build]",
        ),
        (["diff", "2021-01-01", "2023-12-31"], 0, "model"),
        (["names"], 0, "suggestion"),
        (["audit"], 0, "confirmed"),
        (["coverage"], 0, "lines"),
        (["sources"], 0, "freshness"),
        (["export", "--to", "exported"], 0, "Exported"),
        (["map", "graphcore/performance-results"], 0, "Dimensions"),
        (
            ["add", "page.txt", "--source", "acme/results", "--raw", "other"],
            3,
            "no format finds results in it",
        ),
        (
            ["add", "page.pdf", "--source", "acme/results", "--raw", "other"],
            1,
            "benchledger[build]",
        ),
        (["build", "--again", "--warehouse", "new"], 1, "benchledger[build]"),
        (
            ["add", "https://acme.example/page", "--source", "acme/page", "--raw", "other"],
            1,
            "benchledger[build]",
        ),
        (["report"], 1, "benchledger[build]"),
        (["ui"], 1, "benchledger[ui]"),
    )
    commands = json.dumps([words for words, _, _ in expected])
    # In a file: to a program without one DuckDB shows how far a query is.
    (tmp_path / "each.py").write_text(_EACH, "utf-8")
    program = [folder / "bin" / "python", "each.py", commands]
    done = subprocess.run(
        program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for (words, status, said), line in zip(expected, done.stdout.splitlines(), strict=True):
        ended, printed = json.loads(line)
        assert (ended, said in printed) == (status, True), (words, printed)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({"url": "file:///a%20b", "dir_info": {"editable": True}}, "make -C '/a b' setup"),
        (
            {"url": "file:///dist/benchledger-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'benchledger[ui] @ file:///dist/benchledger-0.1.0-py3-none-any.whl'",
        ),
        # Packages of an index have no record of their origin.
        (None, "pip install 'benchledger[ui]'"),
    ],
)
def test_an_extra_is_installed_from_where_the_package_came(
    origin: dict[str, object] | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            return json.dumps(origin) if origin and name == "direct_url.json" else None

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    assert install_command("ui") == command


def test_everything_beside_the_code_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    files = [
        path
        for folder in ("benchledger", "pipelines")
        for path in (PROJECT / folder).rglob("*")
        if path.is_file()
    ]
    files += (PROJECT / "pipelines" / "queries").glob("*")
    expected = {
        path.relative_to(PROJECT).as_posix() for path in files if "__pycache__" not in path.parts
    }
    assert {
        "benchledger/py.typed",
        "pipelines/dagster.yaml",
        "pipelines/queries/fastest_framework.sql",
    } <= expected
    assert expected ^ {name for name in names if ".dist-info/" not in name} == set()
    information = {Path(name).name for name in names if ".dist-info/" in name}
    assert {"LICENSE", "NOTICE", "entry_points.txt"} <= information


def test_it_builds_a_warehouse_somewhere_else(
    installed: Path, page: PageMaker, tmp_path: Path
) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BENCHLEDGER_", "DAGSTER_", "PYTHON", "SOURCE_DATE"))
    }

    def run(*command: object) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    source = tmp_path / "raw" / "acme" / "results"
    (source / "2023-01-01").mkdir(parents=True)
    (source / "2023-01-01" / "page.txt").write_text(
        page([{"Throughput (items/sec)": "38,036"}]), "utf-8"
    )
    (source / "mapping.yml").write_text(OF_PAGES, "utf-8")
    built = run(installed / "benchledger", "build")
    assert "1 of 1 documents had to be read" in built
    assert "  benchledger ui " in built
    assert sorted(path.name for path in tmp_path.iterdir()) == [".dagster", "raw", "warehouse"]
    answer, *said = run(installed / "python", "-c", _ASKED).splitlines()
    file, *answers = answer.split()
    assert Path(file).is_relative_to(installed.parent)
    assert answers == ["38036.0", "38,036", "True"]
    # The environment has the packages that a build needs, and no program of Dagster's.
    expected = (
        "0 # Start here",
        "0 benchledger ",
        "0 Exported",
        "1 error: .*pip install 'benchledger\\[ui\\] @ file:.*whl'",
    )
    for line, wanted in zip(said, expected, strict=True):
        assert re.match(wanted, line), said
    assert (tmp_path / "exported" / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()
