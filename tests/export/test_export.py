"""An export: the rows of the warehouse in each form, descriptions that their programs accept, the
same bytes again.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import frictionless
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Ledger

import benchledger
from pipelines.export.folder import DESCRIPTIONS, SUMS, export
from pipelines.own_files import MARKER
from pipelines.schemas.columns import ColumnType
from pipelines.schemas.tables import PUBLISHED, Table
from pipelines.warehouse.reader import FILE_NAME

_READ: dict[ColumnType, Callable[[str], Any]] = {
    "text": str,
    "integer": int,
    "number": float,
    "flag": {"true": True, "false": False}.__getitem__,
    "date": date.fromisoformat,
    "timestamp": lambda printed: datetime.fromisoformat(printed).replace(tzinfo=None),
    "texts": json.loads,
    "integers": json.loads,
    "map": json.loads,
}


@pytest.fixture(scope="module")
def shipped(part: Ledger) -> Ledger:
    """A part of the shipped documents, as every table is written and read again."""
    return part


@pytest.fixture(scope="module")
def exported(shipped: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "exported"
    export(shipped.warehouse, folder)
    return folder


def stored(ledger: Ledger, table: Table) -> pa.Table:
    rows = benchledger.open_warehouse(ledger.warehouse).sql(f"from {table.full_name}", arrow=True)
    return rows.select([column.name for column in table.columns])


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pylist(maps_as_pydicts="strict")
    return rows


def read_csv(path: Path, table: Table) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {
                column.name: _READ[column.type](record[column.name])
                if record[column.name]
                else None
                for column in table.columns
            }
            for record in csv.DictReader(file)
        ]


def sums(folder: Path) -> dict[str, str]:
    return {
        name: sha
        for sha, name in (
            line.split("  ") for line in (folder / SUMS).read_text("utf-8").splitlines()
        )
    }


# Rows


@pytest.mark.parametrize("table", PUBLISHED, ids=lambda table: table.full_name)
def test_both_files_of_a_table_have_its_rows(table: Table, exported: Path, shipped: Ledger) -> None:
    expected = rows_of(stored(shipped, table))
    parquet = pq.read_table(exported / "parquet" / table.layer / f"{table.name}.parquet")
    assert rows_of(parquet) == expected
    meanings = {field.name: field.metadata[b"description"].decode() for field in parquet.schema}
    assert meanings == {column.name: column.meaning for column in table.columns}
    assert read_csv(exported / "csv" / table.layer / f"{table.name}.csv", table) == expected


def test_infinity_and_lists_are_among_what_is_compared(shipped: Ledger) -> None:
    claims = shipped.sql("select factor_high, inputs, verdict from main.claims")
    assert any(math.isinf(row["factor_high"]) for row in claims)
    assert any(row["inputs"] for row in claims)


def test_the_database_is_the_published_one_and_opens(exported: Path, shipped: Ledger) -> None:
    assert (exported / FILE_NAME).read_bytes() == (shipped.warehouse / FILE_NAME).read_bytes()
    assert len(benchledger.open_warehouse(exported).results()) > 400


def test_formulas_are_disarmed_in_csv_alone_and_on_request_alone(
    hostile: Ledger, tmp_path: Path
) -> None:
    for name, is_for_spreadsheets in {"plain": False, "disarmed": True}.items():
        export(hostile.warehouse, tmp_path / name, is_for_spreadsheets=is_for_spreadsheets)
    place = "csv/main/current_results.csv"
    assert ',"=HYPERLINK(' in (tmp_path / "plain" / place).read_text("utf-8")
    assert ",\"'=HYPERLINK(" in (tmp_path / "disarmed" / place).read_text("utf-8")
    differing = {
        name
        for name, sha in sums(tmp_path / "plain").items()
        if sums(tmp_path / "disarmed")[name] != sha
    }
    assert place in differing
    assert all(name.startswith("csv/") or name == DATA_PACKAGE for name in differing)
    assert frictionless.validate(str(tmp_path / "disarmed" / DATA_PACKAGE)).valid


# The folder


def test_the_same_warehouse_gives_the_same_bytes(
    exported: Path, shipped: Ledger, tmp_path: Path
) -> None:
    # A copy has another time of modification and another place.
    shutil.copy(shipped.warehouse / FILE_NAME, tmp_path / "moved.duckdb")
    export(tmp_path / "moved.duckdb", tmp_path / "again")
    assert (tmp_path / "again" / SUMS).read_text("utf-8") == (exported / SUMS).read_text("utf-8")
    for folder in (exported, tmp_path / "again"):
        there = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.is_file()
        }
        listed = sums(folder)
        assert there.keys() == listed.keys() | {SUMS, MARKER}
        assert {
            name: hashlib.sha256(there[name].read_bytes()).hexdigest() for name in listed
        } == listed
    assert {"LICENSE", "NOTICE", "CITATION.cff", FILE_NAME, DATA_PACKAGE, CROISSANT} <= sums(
        exported
    ).keys()


# Descriptions


def test_frictionless_accepts_the_data_package(exported: Path, tmp_path: Path) -> None:
    report = frictionless.validate(str(exported / DATA_PACKAGE))
    assert report.flatten(["name", "rowNumber", "fieldName", "message"]) == []
    assert report.valid
    assert len(report.tasks) == len(PUBLISHED)
    # What is described is looked at: another word in a column of few, a number that is none, other
    # bytes.
    damaged = tmp_path / "damaged"
    shutil.copytree(exported, damaged)
    path = damaged / "csv" / "main" / "claims.csv"
    path.write_text(path.read_text("utf-8").replace(",not_checkable,", ",perhaps,", 1), "utf-8")
    types = {
        found[0] for found in frictionless.validate(str(damaged / DATA_PACKAGE)).flatten(["type"])
    }
    assert {"constraint-error", "hash-count"} <= types


# In a process of its own: the logging that mlcroissant brings closes the standard error of whoever
# imports it.
DATA_PACKAGE, CROISSANT = DESCRIPTIONS
_CROISSANT_READER = """
import json, sys
import mlcroissant

dataset = mlcroissant.Dataset(jsonld=sys.argv[1])
issues = dataset.metadata.ctx.issues
rows = [{name.partition("/")[2]: value for name, value in record.items()} for record in dataset.records("main.claims")]
print(json.dumps([[*issues.errors], [*issues.warnings], rows], default=lambda value: value.decode()
    if isinstance(value, bytes) else str(value)))
"""


def test_mlcroissant_accepts_the_description_and_reads_the_rows(
    exported: Path, shipped: Ledger
) -> None:
    described = json.loads((exported / CROISSANT).read_text("utf-8"))
    assert [records["@id"] for records in described["recordSet"]] == [
        table.full_name for table in PUBLISHED
    ]
    listed = sums(exported)
    assert {file["contentUrl"]: file["sha256"] for file in described["distribution"]} == {
        name: sha for name, sha in listed.items() if name.endswith((".parquet", ".duckdb"))
    }
    command = [sys.executable, "-c", _CROISSANT_READER, str(exported / CROISSANT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    errors, warnings, read = json.loads(done.stdout)
    assert (errors, warnings) == ([], [])
    expected = shipped.sql("select claim_id, factor, inputs from main.claims")
    assert [
        {name: row[name] for name in ("claim_id", "factor", "inputs")} for row in read
    ] == expected
