"""What a page prints of MLPerf is what the logs behind it give."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of

SUITE = "MLPerf Training v1.0"
PLATFORM = {"suite": SUITE, "model": "BERT-Large", "platform": "IPU-POD64", "metric": "time_to_train"}


def result(number: int, minutes: float, rounding: float, **more: Any) -> dict[str, Any]:
    seconds, half = minutes * 60, rounding * 60
    place = {"document_id": document_of(number), "evidence_id": evidence_of(number), "line": number}
    value = {"value": seconds, "value_low": seconds - half, "value_high": seconds + half}
    return PLATFORM | place | {"result_id": evidence_of(number), "value_printed": f"{minutes}"} | value | more


def relations(*, scaled: bool = False, **printed: Any) -> Rows:
    scores = [
        result(1, 11.0758, 1e-5, extractor="mlperf_training", division="Closed"),
        result(2, 9.3921, 1e-5, extractor="mlperf_training", division="Open"),
    ]
    page = result(3, printed.pop("minutes"), printed.pop("rounding", 0.005), extractor="results_page") | printed
    runs = [
        {"result_id": evidence_of(score), "evidence_id": evidence_of(score * 10 + number), "scored_as": scored_as,
         "training_time_s": float(number)}
        for score in (1, 2) for number, scored_as in enumerate(("fastest", "counted", "counted", "slowest"))
    ]  # fmt: skip
    factor = {"result_id": evidence_of(1), "dimension": "scaling_factor", "value": "1.0186", "level": "page"}
    return made_of(
        "internal.score_relations",
        resolved__results=[*scores, page],
        resolved__training_runs=runs,
        resolved__result_conditions=[factor] if scaled else [],
    )


def test_a_page_may_print_the_score_as_the_review_scaled_it() -> None:
    [row] = relations(minutes=11.28, division="Closed", scaled=True)
    assert row["holds"]
    assert row["reason"].endswith("give 11.282 min, the mean of 2 runs, scaled 1.0186 times")
    [row] = relations(minutes=11.08, division="Closed", scaled=True)
    assert row["holds"]


def test_what_agrees_within_its_rounding_holds_and_names_the_runs() -> None:
    [row] = relations(minutes=11.08, division="Closed")
    assert (row["holds"], row["inputs"]) == (True, [evidence_of(11), evidence_of(12)])
    assert row["reason"] == (
        "11.08 min of BERT-Large on IPU-POD64: the logs of the closed division give 11.076 min, the mean of 2 runs"
    )


def test_what_differs_beyond_its_rounding_does_not_hold() -> None:
    [row] = relations(minutes=11.2, division="Closed")
    assert (row["holds"], round(row["expected_low"]), row["printed"]) == (False, 665, 11.2 * 60)


def test_a_page_without_a_division_may_mean_either() -> None:
    [row] = relations(minutes=9.4, rounding=0.05)
    assert row["holds"]
    assert "open division give 9.392 min" in row["reason"]


@pytest.mark.parametrize(
    "other",
    [
        {"suite": "MLPerf Training v2.0"},
        {"platform": "IPU-POD16"},
        {"model": "ResNet-50 v1.5"},
        {"accelerator_count": 32},
        {"metric": "throughput"},
        {"correction_action": "drop"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_is_of_something_else_is_not_compared(other: dict[str, Any]) -> None:
    assert relations(minutes=11.08, **other) == []
