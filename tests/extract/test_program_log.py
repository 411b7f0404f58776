from __future__ import annotations

import csv
import io
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from pipelines.extract import program_log
from pipelines.extract.contract import detect_format
from pipelines.extract.reading import StoredDocument, read_document
from pipelines.extract.rows import Epoch, Measurement, Row, Run
from pipelines.read.document import Document
from pipelines.read.text import read_text
from pipelines.validate.evidence.places import Place
from pipelines.validate.evidence.readings import read_epoch, read_result, read_run

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "program_log").glob("*.txt"))
COLUMNS = [
    "kind", "line", "text", "metric", "value", "unit", "item", "task", "model_printed", "platform_printed",
    "framework_printed", "accelerator_count", "batch_size", "precision", "attributes", "section", "rule", "scope",
    "run_line", "epochs", "epochs_planned", "training_time_s", "epoch", "steps", "epoch_time_s", "loss", "loss_is_nan",
    "reason",
]  # fmt: skip


def document_of(text: str) -> Document:
    return read_text(text.encode(), "0" * 64)


READINGS = {Measurement: read_result, Run: read_run, Epoch: read_epoch}


def rows_of(text: str) -> list[Row]:
    """The rows of a log; each is read again at its place."""
    document = document_of(text)
    rows = program_log.extract(document, frozenset()).rows
    for row in rows:
        cell = row.cell
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text
        if reading := READINGS.get(type(row)):
            place = Place(document, document.line(cell.line), cell.start, cell.end)
            assert reading(place, asdict(row) | {"value_printed": cell.text}) is None, cell
    return rows


def as_csv(text: str) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writeheader()
    for row in sorted(rows_of(text), key=lambda row: (row.cell.line, row.cell.start)):
        writer.writerow(asdict(row) | {"kind": type(row).__name__, "line": row.cell.line, "text": row.cell.text})
    return out.getvalue()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture(path: Path) -> None:
    expected = path.with_suffix(".expected.csv")
    found = as_csv(path.read_text("utf-8"))
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_log_is_recognised_and_every_line_of_it_is_accounted_for(path: Path) -> None:
    assert detect_format(document_of(path.read_text("utf-8"))) == "program_log"
    reading = read_document(StoredDocument("0" * 64, path, None))
    assert set(reading.counts) == {"program_log"}
    assert {role for role, _ in reading.accounting.roles} <= {"blank", "log", "condition", "measurement", "unparsed"}
    assert {rule for _, rule in reading.accounting.statuses if rule == "unread_number"} == set()
