"""`benchledger trace --png`: the page of a PDF with the place framed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Ledger
from PIL import Image
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.trace.chart_picture import redraw


def trace(ledger: Ledger, raw: Path, *arguments: str) -> tuple[int, str]:
    options = ["--warehouse", str(ledger.warehouse), "--raw", str(raw)]
    result = CliRunner().invoke(app, ["trace", *arguments, *options])
    return result.exit_code, " ".join(result.output.split())


def test_the_printed_value_is_framed_on_its_page(part: Ledger, tmp_path: Path) -> None:
    [place] = part.sql(
        "select * from resolved.evidence where text_printed = '595' and page is not null"
    )
    png = tmp_path / "page.png"
    status, output = trace(part, part.raw, place["evidence_id"], "--png", str(png))
    assert status == 0, output
    assert "page 5, line" in output
    with Image.open(png) as picture:
        assert picture.size == (1920, 1080)
        down, across = (np.asarray(picture.convert("RGB")) == (220, 30, 30)).all(axis=2).nonzero()
    frame = across.min(), down.min(), across.max(), down.max()
    assert frame == pytest.approx(
        [2 * place[edge] for edge in ("x0", "top", "x1", "bottom")], abs=5
    )
    # Around the bar that it stands at, the labels of the axis and the name of the bar, in another
    # colour.
    [bar] = part.sql(
        "select x0, top, x1, bottom from resolved.chart_values where page = 5 and printed_value = 595"
    )
    with Image.open(png) as picture:
        blue = (np.asarray(picture.convert("RGB")) == (30, 90, 220)).all(axis=2)
    for edge in ("top", "bottom"):
        y = round(2 * bar[edge])
        assert (
            blue[y - 5 : y + 6, round(2 * bar["x0"]) : round(2 * bar["x1"])].any(axis=0).mean()
            > 0.9
        )
    assert blue[round(2 * bar["bottom"]) + 20 :].any()


def test_what_has_no_pages_is_said_to_have_none(with_a_page: Ledger, tmp_path: Path) -> None:
    place, *_ = with_a_page.sql("select evidence_id from resolved.evidence")
    status, output = trace(
        with_a_page, with_a_page.raw, place["evidence_id"], "--png", str(tmp_path / "page.png")
    )
    assert status == 1
    assert "has no pages to draw" in output
    assert not (tmp_path / "page.png").exists()


def test_a_page_is_drawn_beside_its_charts_from_stored_values(part: Ledger, tmp_path: Path) -> None:
    png = tmp_path / "chart.png"
    options = ["--warehouse", str(part.warehouse), "--raw", str(part.raw), "--png", str(png)]
    result = CliRunner().invoke(app, ["chart", "benchmark_charts.pdf", "5", *options])
    assert (result.exit_code, "page 5: 1 chart, 3 marks stored" in result.output) == (0, True), (
        result.output
    )
    with Image.open(png) as picture:
        assert picture.size == (2 * 1920, 1080)
        dots = np.asarray(picture.convert("RGB"))
    # The three bars, in the colour of the first series.
    down, across = (dots == (31, 119, 180)).all(axis=2).nonzero()
    [longest] = part.sql(
        "select max(x1) as x1, min(x0) as x0 from resolved.chart_values where page = 5"
    )
    assert across.max() == pytest.approx(1920 + 2 * longest["x1"], abs=5)
    assert across.min() == pytest.approx(1920 + 2 * longest["x0"], abs=5)
    assert down.size


def bar(
    number: int, value: float, box: tuple[float, float, float, float], series: str = "A"
) -> dict[str, Any]:
    edges = dict(zip(("x0", "top", "x1", "bottom"), box, strict=True))
    return edges | {
        "chart_number": 1, "mark_number": number, "mark": "bar", "value": value, "axis_scale": "linear",
        "series_printed": series, "category_printed": "unknown", "x_value": None, "axis_printed": None,
    }  # fmt: skip


# Boxes on a page of 200 x 200 points, and where each is drawn: bars below zero hang from it, and
# bars lie where it is their widths that differ.
REDRAWN: dict[str, list[tuple[float, tuple[float, float, float, float]]]] = {
    "stacked": [(10, (20, 100, 40, 120)), (40, (20, 20, 40, 100)), (30, (60, 60, 80, 120))],
    "below zero": [(20, (20, 60, 40, 80)), (-40, (60, 80, 80, 120))],
    "lying": [(40, (20, 20, 100, 40)), (10, (100, 20, 120, 40)), (30, (20, 60, 80, 80))],
}


def drawn(marks: list[dict[str, Any]]) -> Image.Image:
    """A blank page, and beside it the marks as they are drawn from their stored values."""
    page = io.BytesIO()
    Image.new("RGB", (400, 400), "white").save(page, "PNG")
    return Image.open(io.BytesIO(redraw(page.getvalue(), marks, ()))).convert("RGB")


def is_coloured(picture: Image.Image, x: float, y: float) -> bool:
    near = picture.crop((int(x) - 3, int(y) - 3, int(x) + 4, int(y) + 4))
    return bool((np.ptp(np.asarray(near).astype(int), axis=2) > 80).any())


@pytest.mark.parametrize("case", REDRAWN)
def test_bars_are_redrawn_where_they_stand(case: str) -> None:
    marks = [
        bar(number, value, box, f"S{number}") for number, (value, box) in enumerate(REDRAWN[case])
    ]
    picture = drawn(marks)
    for mark in marks:
        x0, top, x1, bottom = (2 * mark[edge] for edge in ("x0", "top", "x1", "bottom"))
        for x, y in (
            (x0, (top + bottom) / 2),
            (x1, (top + bottom) / 2),
            ((x0 + x1) / 2, top),
            ((x0 + x1) / 2, bottom),
        ):
            assert is_coloured(picture, 400 + x, y), (mark["value"], x, y)


def test_a_bar_that_was_misread_has_another_length() -> None:
    boxes = enumerate([50, 50, 5, 50])
    picture = drawn(
        [bar(number, value, (20 * number, 20, 20 * number + 10, 120)) for number, value in boxes]
    )
    # The upper ends: where it is on the page, but of the third bar.
    assert [is_coloured(picture, 400 + 40 * number + 10, 40) for number in range(4)] == [
        True,
        True,
        False,
        True,
    ]
