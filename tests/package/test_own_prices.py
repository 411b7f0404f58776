"""Costs of tokens at listed prices and at a reader's own, by the command and from Python."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from sql.given_rows import document_of, evidence_of
from typer.testing import CliRunner, Result

from benchledger import Project
from pipelines.cli.main import app
from pipelines.schemas.tables import DUCKDB_TYPES, TABLES, arrow_schema
from pipelines.warehouse.queries import cost_macros

RATE = {
    "publisher": "NVIDIA", "model": "Llama 3.3 70B", "metric": "throughput", "unit": "output tokens/s", "value": 3600.0,
    "task": "inference", "bound": "eq", "platform": "H100 SXM", "chip": "H100 SXM", "chips": 8,
    "result_id": evidence_of(1), "conditions": {}, "last_published_on": date(2026, 1, 1),
}  # fmt: skip
OTHER = RATE | {"platform": "B200", "chip": "B200", "result_id": evidence_of(2)}
RATES = [
    RATE, OTHER,
    RATE | {"result_id": evidence_of(3), "metric": "throughput_per_device", "value": 900.0, "chips": None},
    RATE | {"result_id": evidence_of(4), "chips": None},
    RATE | {"result_id": evidence_of(5), "unit": "images/s"},
    RATE | {"result_id": evidence_of(6), "task": "training"},
]  # fmt: skip
# 12.96 million tokens in an hour.
LISTED = [
    row | {"tokens_counted": "output", "price_basis": "listed", "price_platform": "instance", "price_terms": "spot",
           "price_is_of": "instance", "usd_per_chip_hour": 10.0, "usd_per_million_tokens": 80 / 12.96,
           "value_per_accelerator": 450.0, "price_evidence_id": document_of(1), "price_conditions": {}}
    for row in (RATE, OTHER)
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A warehouse with a few rates and listed prices."""
    with duckdb.connect(tmp_path / "benchmarks.duckdb") as connection:
        connection.execute(cost_macros().replace("temp macro ", "macro main."))
        for name, rows in (("main.current_results", RATES), ("main.token_costs", LISTED)):
            schema = arrow_schema(TABLES[name])
            full: list[dict[str, Any]] = [
                {column: row.get(column) for column in schema.names} for row in rows
            ]
            connection.register("given_rows", pa.Table.from_pylist(full, schema))
            columns = ", ".join(
                f'"{one.name}" {DUCKDB_TYPES[one.type]}' for one in TABLES[name].columns
            )
            connection.execute(f"create table {name} ({columns})")
            connection.execute(f"insert into {name} from given_rows")
    return tmp_path


def costs(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        app, ["costs", *arguments, "--format", "csv", "--warehouse", str(folder)]
    )


def shown(result: Result) -> list[tuple[str, str, float]]:
    assert result.exit_code == 0, result.output
    return [
        (row["chip"], row["price_basis"], round(float(row["usd_per_million_tokens"]), 4))
        for row in csv.DictReader(result.stdout.splitlines())
    ]


def test_listed_prices_are_shown(folder: Path) -> None:
    listed = round(80 / 12.96, 4)
    assert shown(costs(folder)) == [("H100 SXM", "listed", listed), ("B200", "listed", listed)]
    assert shown(costs(folder, "llama 3.3")) == shown(costs(folder))


def test_a_price_of_ones_own_replaces_the_listed_ones_of_its_chip(folder: Path) -> None:
    own = [
        ("H100 SXM", "given", round(2.10 / 3.24, 4)),
        ("H100 SXM", "given", round(8 * 2.10 / 12.96, 4)),
        ("B200", "listed", round(80 / 12.96, 4)),
    ]
    assert shown(costs(folder, "--price", "H100 SXM=2.10")) == own
    file = folder / "prices.txt"
    file.write_text("# what we pay\n\nH100 SXM = 2.10 # until March\n", "utf-8")
    assert shown(costs(folder, "--prices", str(file))) == own
    # The command line is nearer than the file.
    file.write_text("H100 SXM=9\n", "utf-8")
    assert shown(costs(folder, "--prices", str(file), "--price", "H100 SXM=2.10")) == own


def test_python_gives_the_same_rows(folder: Path) -> None:
    rows = Project(folder, warehouse=folder).costs("70B", prices={"H100 SXM": 2.10, "B200": 4.0})
    assert set(rows["price_basis"].to_pylist()) == {"given"}
    assert rows["usd_per_million_tokens"].to_pylist() == pytest.approx(
        [2.10 / 3.24, 8 * 2.10 / 12.96, 8 * 4.0 / 12.96]
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--price", "H100=2.10"], "no rate of tokens is of the chip 'H100'; near it are 'H100 SXM'"),
        (["--price", "H100 SXM"], "a price is CHIP=USD"),
        (["--price", "H100 SXM=cheap"], "a price is CHIP=USD"),
        (["--price", "H100 SXM=0"], "the price of H100 SXM is 0 USD; give one above 0"),
        (["--price", "H100 SXM=inf"], "the price of H100 SXM is inf USD"),
        (["GPT-2"], "no rate of tokens is of the model 'GPT-2'"),
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_refused(folder: Path, arguments: list[str], words: str) -> None:
    result = costs(folder, *arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
