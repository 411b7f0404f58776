"""A format that is one new file: the ledger treats its rows as it treats those of the others."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Ledger, PageMaker
from typer.testing import CliRunner

import pipelines.extract
from pipelines.cli.main import app
from pipelines.extract.contract import formats, module_names
from pipelines.report.site import FOLDER, write_site

NAME = "bench_sheet"
# All that somebody adds; `{factor}` is a fault of the reader.
MODULE = '''"""Sheets of a benchmark program."""
import re

from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.rows import Measurement, Reject

FORMAT = Format(
    name="bench_sheet",
    description="sheets of a benchmark program.",
    rows=(Measurement, Reject),
    priority=1,
    medium=Medium.LOG,
    is_republished_whole=True,
)
# `ResNet-50 v1.5 | IPU-POD16 | SDK 2.0 | 38,036 images/s`
_LINE = re.compile(
    r"(?P<model>[^|]+) \\| (?P<platform>[^|]+) \\| SDK (?P<sdk>\\S+) \\| (?P<value>[\\d,]+) (?P<unit>\\S+)"
)


def recognise(document):
    """1 for a document with the title of a sheet."""
    return float(document.texts[:1] == ("BENCH SHEET",))


def extract(document, taken):
    """One row per line."""
    extraction = Extraction()
    for line in document.lines if recognise(document) else ():
        extraction.lines.add(line.number)
        if match := _LINE.fullmatch(line.text):
            value = float(match["value"].replace(",", "")) * {factor}
            extraction.rows.append(
                Measurement(
                    cell=line.matched(match, "value"),
                    model_printed=match["model"],
                    platform_printed=match["platform"],
                    sdk_version=match["sdk"],
                    task="training",
                    metric="throughput",
                    value=value,
                    value_low=value - 0.5,
                    value_high=value + 0.5,
                    unit="items/s",
                    unit_printed=match["unit"],
                    item="images",
                )
            )
    return extraction
'''
AddFormat = Callable[..., None]


def forget_formats() -> None:
    module_names.cache_clear()
    formats.cache_clear()
    sys.modules.pop(f"pipelines.extract.{NAME}", None)


@pytest.fixture
def add_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AddFormat]:
    """Adds the one file."""

    def add(factor: float = 1.0) -> None:
        folder = tmp_path / f"formats_{factor}"
        folder.mkdir()
        (folder / f"{NAME}.py").write_text(MODULE.replace("{factor}", str(factor)), "utf-8")
        monkeypatch.setattr(
            pipelines.extract, "__path__", [*pipelines.extract.__path__, str(folder)]
        )
        forget_formats()

    yield add
    monkeypatch.undo()
    forget_formats()


def sheet(*lines: str) -> str:
    return "\n".join(["BENCH SHEET", *lines, ""])


def row(model: str, sdk: str, value: str) -> str:
    return f"{model} | IPU-POD16 | SDK {sdk} | {value} images/s"


def test_rows_of_a_new_format_are_treated_as_those_of_the_others(
    ledger: Ledger, page: PageMaker, add_format: AddFormat
) -> None:
    add_format()
    ledger.add(
        sheet(row("ResNet-50 v1.5", "2.0", "38,036"), row("BERT-Large", "2.1", "700")),
        "acme/sheets",
        "2023-01-01",
    )
    ledger.add(
        sheet(row("ResNet-50 v1.5", "2.1", "41,000")), "acme/sheets", "2023-02-01", "later.txt"
    )
    # On the same day a table prints another value of the benchmark.
    blank = dict.fromkeys(("Framework", "Dataset", "Batch Size", "Precision"), "\u00a0")
    printed = blank | {"Platform": "IPU-POD16", "SDK Version": "SDK 2.1"}
    ledger.add(page([printed | {"Throughput (items/sec)": "40,000"}]), "acme/results", "2023-02-01")
    outcome = ledger.build()
    assert outcome.success, outcome.faults
    history = ledger.sql(
        """select r.extractor, h.value, h.status from main.result_history as h
        inner join resolved.results as r using (result_id) order by h.value"""
    )
    assert [tuple(found.values()) for found in history] == [
        (NAME, 700.0, "withdrawn"),
        (NAME, 38_036.0, "superseded"),
        ("results_page", 40_000.0, "conflicting"),
        (NAME, 41_000.0, "conflicting"),
    ]
    # The nearer to the measurement counts.
    [current] = ledger.sql(
        "select result_id, value from main.result_history where stands_in_release and sdk_version = '2.1' and value > 700"
    )
    assert current["value"] == 41_000.0
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    traced = CliRunner().invoke(app, ["trace", current["result_id"], "--format", "json", *folders])
    assert "41,000" in json.dumps(json.loads(traced.stdout)), traced.output
    write_site(ledger.warehouse, ledger.raw)
    pages = [path.read_text("utf-8") for path in (ledger.warehouse / FOLDER).rglob("*.html")]
    assert any("41,000" in text for text in pages)


def test_the_evidence_check_finds_a_fault_of_a_new_format(
    ledger: Ledger, add_format: AddFormat
) -> None:
    add_format(10.0)
    ledger.add(sheet(row("ResNet-50 v1.5", "2.0", "38,036")), "acme/sheets", "2023-01-01")
    assert ledger.resolve().success
    [reject] = ledger.sql("select rule, reason from audit.rejects")
    assert reject["rule"] == "evidence_does_not_hold"
    assert "the text gives 38036.0" in reject["reason"]
