"""Drawn charts: PDFs with known data by five producers, pages without charts, and the rows that
come of them.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from makers.charts import everyday
from makers.charts.plans import read_known
from makers.charts.scoring import Tally, known_marks, read_marks, tally_marks

from pipelines.extract.charts.chart import Chart, RefusedChart
from pipelines.extract.charts.reading import read_charts
from pipelines.extract.reading import Reading, StoredDocument, read_document
from pipelines.read.pdf.reader import read_pdf

FIXTURES = Path(__file__).parents[1] / "fixtures" / "charts"
LAYOUTS = FIXTURES.parent / "chart_layouts"
KNOWN = {
    path.name.removesuffix(".expected.csv"): read_known(path)
    for path in sorted(FIXTURES.glob("*.csv"))
}
CHARTS = [name for name, truth in KNOWN.items() if truth["kind"] not in ("none", "picture")]
EMPTY = [name for name, truth in KNOWN.items() if truth["kind"] == "none"]


def read_file(path: Path) -> tuple[list[Chart], list[RefusedChart]]:
    found = [read_charts(page) for page in read_pdf(path.read_bytes(), path.stem).pages]
    return [chart for charts, _ in found for chart in charts], [
        refusal for _, refused in found for refusal in refused
    ]


@cache
def tally_of(name: str) -> Tally:
    return tally_marks(known_marks(KNOWN[name]), *read_file(FIXTURES / f"{name}.pdf"))


@cache
def rows_of(name: str) -> Reading:
    path = FIXTURES / f"{name}.pdf"
    return read_document(StoredDocument(hashlib.sha256(path.read_bytes()).hexdigest(), path, None))


def chart_rows(name: str) -> list[dict[str, Any]]:
    return rows_of(name).rows["chart_values"]


@pytest.mark.parametrize("name", CHARTS)
def test_no_point_is_false_and_no_label_is_wrong(name: str) -> None:
    tally = tally_of(name)
    assert (tally.false, tally.wrong, tally.silent) == (0, 0, 0)


def test_nearly_all_marks_and_labels_of_five_producers_are_found() -> None:
    assert {KNOWN[name]["producer"] for name in CHARTS} == {
        "matplotlib",
        "libreoffice",
        "chromium",
        "gnuplot",
        "r",
    }
    total = Tally()
    for name in CHARTS:
        total.add(tally_of(name))
    assert total.exact / total.marks > 0.9
    assert total.right / total.labels > 0.9


@pytest.mark.parametrize("name", EMPTY)
def test_no_chart_is_found_where_there_is_none(name: str) -> None:
    assert read_file(FIXTURES / f"{name}.pdf") == ([], [])


@pytest.mark.parametrize("name", sorted(path.stem for path in LAYOUTS.glob("*.pdf")))
def test_a_layout_gives_no_false_point_and_loses_none_in_silence(name: str) -> None:
    charts, refused = read_file(LAYOUTS / f"{name}.pdf")
    tally = tally_marks(read_marks(LAYOUTS / f"{name}.expected.csv"), charts, refused)
    assert (tally.false, tally.wrong, tally.silent) == (0, 0, 0)


@pytest.mark.parametrize(
    "maker", everyday.READ + everyday.REFUSED, ids=lambda maker: maker.__name__
)
def test_an_everyday_chart_is_read_right_or_refused(maker: everyday.Maker, tmp_path: Path) -> None:
    path = tmp_path / "chart.pdf"
    known = everyday.make(maker, 3, path)
    tally = tally_marks(known, *read_file(path))
    assert (tally.false, tally.wrong, tally.silent) == (0, 0, 0)
    assert tally.exact == (0 if maker in everyday.REFUSED else tally.marks)


def test_a_picture_of_a_chart_gives_no_number_and_a_reject() -> None:
    reading = rows_of("picture")
    assert "chart_values" not in reading.rows
    assert [(row["rule"], row["extractor"]) for row in reading.rows["rejects"]] == [
        ("image_chart", "charts")
    ]


def test_a_row_has_method_uncertainty_page_and_box() -> None:
    rows = chart_rows("gnuplot_510")
    assert len(rows) == sum(len(row) for row in KNOWN["gnuplot_510"]["values"])
    assert {row["series_printed"] for row in rows} == set(KNOWN["gnuplot_510"]["series"])
    for row in rows:
        assert (row["method"], row["drawn_page"], row["printed_value"]) == ("geometry", 1, None)
        assert row["value_low"] < row["value"] < row["value_high"]
        assert row["drawn_x0"] < row["drawn_x1"]
        assert row["drawn_top"] < row["drawn_bottom"]


def test_a_printed_value_is_beside_the_drawn_one() -> None:
    rows = chart_rows("matplotlib_506")
    assert {row["printed_value"] for row in rows} == {
        v for of in KNOWN["matplotlib_506"]["values"] for v in of
    }
    assert {row["series_printed"] for row in rows} == {"unknown"}
    for row in rows:
        assert row["method"] == "printed"
        assert row["value"] == row["printed_value"] == float(row["text_printed"])
        assert row["drawn_value"] == pytest.approx(row["printed_value"], rel=0.01)
        assert row["drawn_low"] <= row["printed_high"]
        assert row["printed_low"] <= row["drawn_high"]
