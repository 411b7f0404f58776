"""The wheel, as somebody has it who has no checkout: what is in it, and that it builds a warehouse somewhere else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import OF_PAGES, PageMaker

from pipelines.settings import PROJECT

_FOLDERS = ("benchledger", "pipelines", "warehouse/queries")
_FILES = ("CITATION.cff", "LICENSE", "NOTICE", "README.md", "dagster.yaml", "pyproject.toml")
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made from a copy: nothing is written into the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in _FOLDERS:
        # As in a clone: what was compiled is left out, links stay links.
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / name, folder / "source" / name, symlinks=True, ignore=ignored)
    for name in _FILES:
        shutil.copy2(PROJECT / name, folder / "source")
    uv = Path(sys.executable).with_name("uv")
    command = [uv, "build", "--wheel", "--offline", "--no-build-isolation", "--quiet", "--python", sys.executable]
    subprocess.run([*command, "--out-dir", folder, folder / "source"], check=True, env=os.environ | {"PYTHONPATH": ""})
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel in it; what it depends on is that of the tests."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(folder)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    uv = Path(sys.executable).with_name("uv")
    command = [uv, "pip", "install", "--offline", "--no-deps", "--quiet", "--python", folder / "bin" / "python", wheel]
    subprocess.run(command, check=True)
    return folder / "bin"


def test_everything_beside_the_code_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    files = [
        path for folder in ("benchledger", "pipelines") for path in (PROJECT / folder).rglob("*") if path.is_file()
    ]
    files += (PROJECT / "pipelines" / "queries").glob("*")
    expected = {path.relative_to(PROJECT).as_posix() for path in files if "__pycache__" not in path.parts}
    assert {"benchledger/py.typed", "pipelines/dagster.yaml", "pipelines/queries/fastest_framework.sql"} <= expected
    assert expected ^ {name for name in names if ".dist-info/" not in name} == set()
    information = {Path(name).name for name in names if ".dist-info/" in name}
    assert {"LICENSE", "NOTICE", "entry_points.txt"} <= information


def test_it_builds_a_warehouse_somewhere_else(installed: Path, page: PageMaker, tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BENCHLEDGER_", "DAGSTER_", "PYTHON", "SOURCE_DATE"))
    }

    def run(*command: object) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    source = tmp_path / "raw" / "acme" / "results"
    (source / "2023-01-01").mkdir(parents=True)
    (source / "2023-01-01" / "page.txt").write_text(page([{"Throughput (items/sec)": "38,036"}]), "utf-8")
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
    expected = ("0 # Start here", "0 benchledger ", "0 Exported", "1 error: .*pip install 'benchledger\\[ui\\]'")
    for line, wanted in zip(said, expected, strict=True):
        assert re.match(wanted, line), said
    assert (tmp_path / "exported" / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()
