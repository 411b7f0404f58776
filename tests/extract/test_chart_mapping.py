"""Drawn charts that the mapping of their source explains: measurements with their places on the
page.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from conftest import Ledger
from makers.charts.plans import read_known

from pipelines.extract.reading import Reading, StoredDocument, read_document
from pipelines.extract.tables.entries import MappingFile
from pipelines.settings import PROJECT

FIXTURES = Path(__file__).parents[1] / "fixtures" / "charts"
# Bars whose legend names platforms, with the mapping of the guide, and lying bars with a number
# printed at each.
GUIDE = (PROJECT / "docs" / "mapping.md").read_text("utf-8").partition("## Charts and slides")[2]
DRAWN = (
    GUIDE.split("```")[1].removeprefix("yaml\n").replace("Throughput (images/s)", "Accuracy (%)")
)
PRINTED = """\
constants: {task: training, platform: "!A100"}
tables:
- columns:
    category: model
    Accuracy (%): {metric: throughput, unit: images/s}
"""


def read(name: str, mapping: str, folder: Path) -> Reading:
    path, pdf = folder / "mapping.yml", FIXTURES / f"{name}.pdf"
    path.write_text(mapping, "utf-8")
    listed = MappingFile(path, hashlib.sha256(path.read_bytes()).hexdigest())
    return read_document(
        StoredDocument(hashlib.sha256(pdf.read_bytes()).hexdigest(), pdf, None, mapping=listed)
    )


def known_values(name: str) -> dict[tuple[str, str], float]:
    truth = read_known(FIXTURES / f"{name}.expected.csv")
    return {
        (series, category): value
        for series, row in zip(truth["series"], truth["values"], strict=True)
        for category, value in zip(truth["categories"], row, strict=True)
    }


@pytest.mark.parametrize(("name", "mapping"), [("gnuplot_510", DRAWN), ("matplotlib_506", PRINTED)])
def test_a_chart_gives_measurements_with_interval_and_place(
    name: str, mapping: str, tmp_path: Path
) -> None:
    reading = read(name, mapping, tmp_path)
    rows = {
        (row.get("platform_printed"), row["model_printed"]): row
        for row in reading.rows["measurements"]
    }
    known = known_values(name)
    assert len(rows) == len(reading.rows["measurements"]) == len(known)
    for (series, category), value in known.items():
        row = rows[series or "A100", category]
        assert row["value_low"] <= value <= row["value_high"]
        assert (row["metric"], row["item"], row["page"]) == ("throughput", "images", 1)
        assert row["x0"] < row["x1"]
        assert row["text_printed"] == ("" if series else f"{value:g}")
    # The places of drawn values are those of their marks.
    drawn = {
        (row["drawn_x0"], row["drawn_top"], row["drawn_x1"]) for row in reading.rows["chart_values"]
    }
    assert (
        name != "gnuplot_510"
        or {(row["x0"], row["top"], row["x1"]) for row in rows.values()} == drawn
    )


def test_a_chart_that_no_entry_claims_stays_a_drawing(tmp_path: Path) -> None:
    reading = read("gnuplot_510", DRAWN.replace("Accuracy (%)", "Latency"), tmp_path)
    assert "measurements" not in reading.rows
    assert len(reading.rows["chart_values"]) == len(known_values("gnuplot_510"))
    assert [row["rule"] for row in reading.rows["rejects"]] == ["section_gone"]


def test_drawn_values_are_results_whose_evidence_holds(ledger: Ledger) -> None:
    ledger.map("gnu/charts", DRAWN)
    ledger.add(
        (FIXTURES / "gnuplot_510.pdf").read_bytes(), "gnu/charts", "2024-01-01", name="charts.pdf"
    )
    assert ledger.resolve().success
    rows = ledger.sql(
        "select page, x0, x1, text_printed from resolved.results join resolved.evidence using (evidence_id)"
    )
    assert len(rows) == len(known_values("gnuplot_510"))
    assert all(
        (row["page"], row["text_printed"]) == (1, "") and row["x0"] < row["x1"] for row in rows
    )
    assert ledger.sql("select rule from audit.rejects") == []
