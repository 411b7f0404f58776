"""Marks of charts are read a second time, from numbers printed at ticks: what differs is refused,
and only that.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger
from makers.charts.plans import read_known

from pipelines.extract.charts import axis, chart_tables
from pipelines.extract.charts.chart import DrawnMark
from pipelines.settings import PROJECT

FIXTURES = Path(__file__).parents[1] / "fixtures" / "charts"
MAPPING = (
    (PROJECT / "docs" / "mapping.md")
    .read_text("utf-8")
    .partition("## Charts and slides")[2]
    .split("```")[1]
)
# Bars without printed values, and with a mapping; bars with their values; points; and a log axis
# whose labels are `10` with a raised exponent, which the second reader does not read.
DRAWN, PRINTED, POINTS, UNREAD = "gnuplot_510", "matplotlib_506", "r_521", "chromium_532"
_MEASURE = axis.Axis.measure


def build(ledger: Ledger, *names: str) -> None:
    ledger.map(
        f"acme/{DRAWN}",
        MAPPING.removeprefix("yaml\n").replace("Throughput (images/s)", "Accuracy (%)"),
    )
    for name in names:
        ledger.add(
            (FIXTURES / f"{name}.pdf").read_bytes(), f"acme/{name}", "2024-01-01", name="charts.pdf"
        )
    assert ledger.resolve().success


def marks(name: str) -> int:
    return sum(map(len, read_known(FIXTURES / f"{name}.expected.csv")["values"]))


def stretch(
    monkeypatch: pytest.MonkeyPatch, is_meant: Callable[[float], bool] = lambda value: True
) -> None:
    """Let the reader make values 7% too large."""

    def measure(self: axis.Axis, y: float, start: float | None = None) -> tuple[float, ...]:
        value, low, high = _MEASURE(self, y, start)
        return (1.07 * value, 1.07 * low, 1.07 * high) if is_meant(value) else (value, low, high)

    monkeypatch.setattr(axis.Axis, "measure", measure)


def verified(ledger: Ledger) -> dict[tuple[str, str | None], int]:
    found = ledger.sql(
        "select split_part(source, '/', 2) as name, verified_by, count(*) as n from resolved.chart_values "
        "join raw.documents using (document_id) group by all"
    )
    return {(row["name"], row["verified_by"]): row["n"] for row in found}


def refused(ledger: Ledger) -> list[dict[str, Any]]:
    return ledger.sql("select rule, reason, scope from audit.rejects where extractor = 'evidence'")


def test_a_value_says_what_confirms_it(ledger: Ledger) -> None:
    names = {DRAWN: "axis", PRINTED: "printed value", POINTS: "axis", UNREAD: None}
    build(ledger, *names)
    assert verified(ledger) == {(name, by): marks(name) for name, by in names.items()}
    assert refused(ledger) == []
    places = ledger.sql(
        "select verified_by, count(*) as n from resolved.results "
        "join resolved.evidence using (evidence_id) group by all"
    )
    assert places == [{"verified_by": "axis", "n": marks(DRAWN)}]


def test_bars_that_the_reader_makes_too_long_are_refused_with_their_results(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    stretch(monkeypatch)
    build(ledger, DRAWN, PRINTED, POINTS, UNREAD)
    # What nothing confirms stays, and says so.
    assert verified(ledger) == {(UNREAD, None): marks(UNREAD)}
    assert ledger.sql("select * from resolved.results") == []
    found = refused(ledger)
    assert {(row["rule"], row["scope"]) for row in found} == {("evidence_does_not_hold", "row")}
    assert len(found) == 2 * marks(DRAWN) + marks(PRINTED) + marks(POINTS)
    assert all(
        "the numbers printed at the ticks of its axis give" in row["reason"] for row in found
    )


def test_a_mark_that_differs_is_refused_alone(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    largest = max(max(row) for row in read_known(FIXTURES / f"{DRAWN}.expected.csv")["values"])
    stretch(monkeypatch, lambda value: value > largest - 0.5)
    build(ledger, DRAWN)
    assert verified(ledger) == {(DRAWN, "axis"): marks(DRAWN) - 1}
    [(count,)] = [row.values() for row in ledger.sql("select count(*) as n from resolved.results")]
    assert count == marks(DRAWN) - 1
    # The bar and the result of it.
    assert len(refused(ledger)) == 2


def test_a_bar_must_be_drawn_where_it_is_said_to_be(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = chart_tables.read_charts

    def longer(mark: DrawnMark) -> DrawnMark:
        x0, top, x1, bottom = mark.box
        return mark._replace(box=(x0, bottom - 1.07 * (bottom - top), x1, bottom))

    def read(page: Any) -> Any:
        charts, lost = found(page)
        return [chart._replace(marks=tuple(map(longer, chart.marks))) for chart in charts], lost

    monkeypatch.setattr(chart_tables, "read_charts", read)
    build(ledger, PRINTED)
    assert verified(ledger) == {}
    assert {row["reason"].partition(" with")[0] for row in refused(ledger)} == {
        "the page draws no bar"
    }
