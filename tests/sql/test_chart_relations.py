"""A number printed at a bar holds where the drawn value rounds to it."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of


def bar(drawn: float, printed: str | None, method: str = "printed", half: float = 0.5, **facts: Any) -> dict[str, Any]:
    value = float(printed.strip(">x")) if printed else None
    return {
        "chart_value_id": f"{round(drawn * 10):016x}", "document_id": document_of(1), "line": 7, "page": 3,
        "evidence_id": evidence_of(1) if printed else None, "method": method, "category_printed": "A100",
        "drawn_value": drawn, "drawn_low": drawn - 0.2, "drawn_high": drawn + 0.2, "unit": "items/s",
        "unit_printed": "images/sec", "value_printed": printed, "printed_value": value,
        "printed_low": value - half if value else None, "printed_high": value + half if value else None,
        "agrees": None if value is None else drawn - 0.2 <= value + half and value - half <= drawn + 0.2,
    } | facts  # fmt: skip


def relations(rows: Rows) -> Rows:
    return made_of("internal.chart_relations", resolved__chart_values=rows)


@pytest.mark.parametrize(("drawn", "holds"), [(595, True), (595.6, True), (596, False), (581, False)])
def test_the_drawn_value_has_to_round_to_the_label(drawn: float, holds: bool) -> None:
    [row] = relations([bar(drawn, "595")])
    assert (row["holds"], row["check_name"], row["printed"]) == (holds, "label_against_bar", 595)
    assert (row["expected_low"], row["expected_high"]) == (drawn - 0.2, drawn + 0.2)


def test_what_does_not_hold_is_explained() -> None:
    [row] = relations([bar(581, "595")])
    assert row["reason"] == (
        "the bar of A100 on page 3 is drawn 581 images/sec long (580.8 to 581.2), where 595 is printed"
    )


def test_bars_without_an_axis_are_held_against_the_claimed_factor() -> None:
    [row] = relations([bar(2.6, "2.6x", "ratio", 0.05, category_printed="unknown")])
    assert (row["check_name"], row["unit"]) == ("factor_against_bars", None)
    assert row["reason"] == (
        "the bar on page 3 is drawn 2.6 lengths of the shortest bar long (2.4 to 2.8), as 2.6x is printed"
    )


def test_a_bar_without_a_label_has_nothing_to_be_held_against() -> None:
    assert relations([bar(595, None, "geometry")]) == []
