"""Drawn charts: made PDFs with known data by five producers, pages without charts, and the rows that come of them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from makers.charts.layouts import read_marks
from makers.charts.plans import Plan, draw_plan, read_known
from makers.charts.scoring import Score, score_chart, tally_marks

from pipelines.extract.reading import Reading, StoredDocument, read_document
from pipelines.extract.vector_charts.chart import Chart, Refused
from pipelines.extract.vector_charts.reading import read_charts
from pipelines.read.pdf.reader import read_pdf

FIXTURES = Path(__file__).parents[1] / "fixtures" / "vector_charts"
KNOWN = {path.name.removesuffix(".expected.csv"): read_known(path) for path in sorted(FIXTURES.glob("*.csv"))}
CHARTS = [name for name, truth in KNOWN.items() if truth["kind"] not in ("none", "picture")]
EMPTY = [name for name, truth in KNOWN.items() if truth["kind"] == "none"]


@cache
def charts_of(name: str) -> tuple[list[Chart], list[Refused]]:
    charts, refused = [], []
    for page in read_pdf((FIXTURES / f"{name}.pdf").read_bytes(), name).pages:
        on_page = read_charts(page)
        charts += on_page[0]
        refused += on_page[1]
    return charts, refused


@cache
def score_of(name: str) -> Score:
    return score_chart(KNOWN[name], charts_of(name)[0])


def rows_of(name: str) -> Reading:
    path = FIXTURES / f"{name}.pdf"
    return read_document(StoredDocument(hashlib.sha256(path.read_bytes()).hexdigest(), path, None))


@pytest.mark.parametrize("name", CHARTS)
def test_every_bar_and_point_is_within_half_a_percent(name: str) -> None:
    score = score_of(name)
    assert (score.found, score.half, score.extra) == (score.marks, score.marks, 0)


@pytest.mark.parametrize("name", CHARTS)
def test_no_label_is_wrong(name: str) -> None:
    assert score_of(name).wrong == 0


def test_labels_are_seldom_unknown() -> None:
    total = Score()
    for name in CHARTS:
        total.add(score_of(name))
    assert total.right / total.labels > 0.95
    assert total.printed_right / total.printed > 0.9


def test_fixtures_are_from_five_producers() -> None:
    assert {KNOWN[name]["producer"] for name in CHARTS} == {"matplotlib", "libreoffice", "chromium", "gnuplot", "r"}


@pytest.mark.parametrize("name", EMPTY)
def test_no_chart_is_found_where_there_is_none(name: str) -> None:
    assert charts_of(name) == ([], [])


def test_a_picture_of_a_chart_gives_no_number_and_a_reject() -> None:
    charts, refused = charts_of("picture")
    assert charts == []
    assert [r.rule for r in refused] == ["image_chart"]
    reading = rows_of("picture")
    assert "chart_values" not in reading.rows
    [reject] = reading.rows["rejects"]
    assert (reject["rule"], reject["extractor"]) == ("image_chart", "vector_charts")


LAYOUTS = FIXTURES.parent / "chart_layouts"


@pytest.mark.parametrize("name", sorted(path.stem for path in LAYOUTS.glob("*.pdf")))
def test_a_layout_gives_no_false_point_and_loses_none_in_silence(name: str) -> None:
    known = read_marks(LAYOUTS / f"{name}.expected.csv")
    charts, refused = [], []
    for page in read_pdf((LAYOUTS / f"{name}.pdf").read_bytes(), name).pages:
        on_page = read_charts(page)
        charts += on_page[0]
        refused += on_page[1]
    tally = tally_marks(known, charts, refused)
    assert (tally.exact, tally.false, tally.wrong) == (len(known), 0, 0)
    if not known and name != "heat_map":
        assert sum(refusal.marks for refusal in refused) > 0


# The labels of these stand at the far end of a stroke, under a bracket or beside the end of a line.
LED = (
    "named_by_arrows", "bracketed_bars", "line_end_names", "gnuplot_leaders", "gnuplot_line_ends", "ggplot_repel",
    "ggplot_line_ends", "pgfplots_pins", "pgfplots_braces", "octave_leaders", "office_levels",
    "callouts_bars", "callouts_points",
)  # fmt: skip


@pytest.mark.parametrize("name", LED)
def test_labels_are_found_along_leaders_and_brackets(name: str) -> None:
    pages = read_pdf((LAYOUTS / f"{name}.pdf").read_bytes(), name).pages
    tally = tally_marks(read_marks(LAYOUTS / f"{name}.expected.csv"), [c for p in pages for c in read_charts(p)[0]], [])
    assert tally.right >= 0.9 * tally.labels > 0


def make_with_matplotlib(plan: Plan, folder: Path) -> list[Chart]:
    # Importing it takes longer than most tests.
    from makers.charts import with_matplotlib

    path = folder / "made.pdf"
    with_matplotlib.make(plan, path)
    return [chart for page in read_pdf(path.read_bytes(), "made").pages for chart in read_charts(page)[0]]


@pytest.mark.parametrize("seed", range(700, 706))
def test_charts_made_now_are_read_as_well(seed: int, tmp_path: Path) -> None:
    plan = draw_plan(seed, "made")
    score = score_chart(plan.truth("matplotlib"), make_with_matplotlib(plan, tmp_path))
    assert (score.half, score.extra, score.wrong) == (score.marks, 0, 0)


def chart_rows(name: str) -> list[dict[str, Any]]:
    return rows_of(name).rows["chart_values"]


def test_a_row_has_method_uncertainty_page_and_box() -> None:
    rows = chart_rows("gnuplot_510")
    assert len(rows) == sum(len(row) for row in KNOWN["gnuplot_510"]["values"])
    for row in rows:
        assert row["method"] == "geometry"
        assert row["value_low"] < row["value"] < row["value_high"]
        assert row["drawn_page"] == 1
        assert row["drawn_x0"] < row["drawn_x1"]
        assert row["drawn_top"] < row["drawn_bottom"]
        assert row["printed_value"] is None


def test_a_printed_value_stands_beside_the_drawn_one() -> None:
    rows = chart_rows("matplotlib_506")
    known = sorted(value for row in KNOWN["matplotlib_506"]["values"] for value in row)
    assert sorted(row["printed_value"] for row in rows) == known
    for row in rows:
        assert row["method"] == "printed"
        assert row["value"] == row["printed_value"] == float(row["text_printed"])
        assert row["drawn_value"] == pytest.approx(row["printed_value"], rel=0.01)
        assert row["drawn_low"] <= row["printed_high"]
        assert row["printed_low"] <= row["drawn_high"]


def test_what_no_legend_names_is_unknown() -> None:
    assert {row["series_printed"] for row in chart_rows("matplotlib_506")} == {"unknown"}
    assert {row["series_printed"] for row in chart_rows("gnuplot_510")} == set(KNOWN["gnuplot_510"]["series"])
