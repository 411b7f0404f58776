"""Rows of serving tables against the other rows: items in flight, percentiles, numbers of two models, releases."""

from __future__ import annotations

from typing import Any

import pytest
from sql.given_rows import Rows, document_of, evidence_of, made_of, printed_value


def number(place: int, printed: str, **facts: Any) -> dict[str, Any]:
    return {
        "result_id": evidence_of(place), "evidence_id": evidence_of(place), "document_id": document_of(1),
        "line": place, "section": "Encoders", "task": "inference", "platform": "inf2.xlarge", "bound": "eq",
        "value_printed": printed, "higher_is_better": facts.get("metric") == "throughput",
    } | printed_value(printed) | facts  # fmt: skip


def row(place: int, rate: str, latency: str, **facts: Any) -> Rows:
    """Throughput and latency of one row, at batch size 1 unless said otherwise."""
    shared = {"row_line": place, "batch_size": 1, "model": f"M{place}"} | facts
    return [
        number(place, rate, metric="throughput", unit="sequences/s", **shared),
        number(place + 50, latency, metric="latency", statistic="p50", unit="ms", **shared),
    ]


# Two batches in flight, as on a chip with two cores.
SOUND = [one for place in range(1, 7) for one in row(place, f"{2000 + place}.5", "1.0")]


def relations(results: Rows, check: str = "latency_of_table") -> Rows:
    made = made_of("internal.serving_relations", resolved__results=results)
    return [one for one in made if one["check_name"] == check]


def test_rows_that_keep_as_much_in_flight_hold() -> None:
    assert [one["holds"] for one in relations(SOUND)] == [True] * 6


@pytest.mark.parametrize(("rate", "latency"), [("41.24005048", "1.017"), ("2000.5", "4.0"), ("1000.5", "1.0")])
def test_a_row_far_from_the_others_is_found_with_its_reason(rate: str, latency: str) -> None:
    made = relations(SOUND + row(9, rate, latency))
    [found] = [one for one in made if not one["holds"]]
    assert found["line"] == 59
    assert not found["expected_low"] <= found["printed"] <= found["expected_high"]
    assert f"{rate} sequences/s at {latency} ms" in found["reason"]
    assert "the 7 rows of the table mostly keep about 2" in found["reason"]


def test_too_few_rows_say_nothing() -> None:
    assert relations(SOUND[:8] + row(9, "41.24", "1.017")) == []


def test_rows_of_many_kinds_stand_beside_each_other() -> None:
    mixed = [one for place in range(1, 9) for one in row(place, f"{1000 * 2 ** (place // 2)}.0", "1.0")]
    assert all(one["holds"] for one in relations(mixed))
    made = relations(mixed + row(9, "99000.0", "1.0"))
    assert [one["line"] for one in made if not one["holds"]] == [59]


def test_rows_that_agree_with_each_other_were_run_in_another_way() -> None:
    sound = [one for place in range(1, 16) for one in row(place, f"{1000 + place}.5", "1.0")]
    others = [one for place in range(20, 23) for one in row(place, f"{19 * place // 2}0.5", "10.0")]
    assert all(one["holds"] for one in relations(sound + others))
    assert [one["line"] for one in relations(sound + others[:4]) if not one["holds"]] == [70, 71]


def test_the_rate_of_tokens_is_held_against_the_time_of_one() -> None:
    def tokens(place: int, rate: str, time: str) -> Rows:
        throughput, latency = row(place, rate, time, batch_size=4)
        return [throughput | {"item": "tokens", "unit": "tokens/s"}, latency | {"metric": "tpot"}]

    sound = [one for place in range(1, 7) for one in tokens(place, "400.0", "10.0")]
    long_answer = tokens(8, "200.0", "10.0")
    made = relations(sound + long_answer + tokens(9, "40.0", "10.0"))
    assert [one["line"] for one in made if not one["holds"]] == [59]


@pytest.mark.parametrize(("high", "holds"), [("26.9", True), ("26.5", True), ("24.22", False)])
def test_a_high_percentile_is_not_below_the_median(high: str, holds: bool) -> None:
    median = number(1, "26.48", metric="ttft", statistic="p50", unit="ms", row_line=1)
    higher = number(2, high, metric="ttft", statistic="p99", unit="ms", row_line=1)
    made = relations([median, higher], "percentiles_in_order")
    assert [one["holds"] for one in made] == [holds]


def repeated(*results: dict[str, Any]) -> list[tuple[int, bool]]:
    made = made_of("internal.repeated_number_relations", resolved__results=list(results))
    return [(one["line"], one["holds"]) for one in made]


def test_one_unrounded_number_is_not_that_of_two_models() -> None:
    rate = {"metric": "throughput", "unit": "sequences/s"}
    first, second = number(1, "41.24005048", model="A", **rate), number(2, "41.24005048", model="B", **rate)
    assert repeated(first, second) == [(1, False), (2, False)]
    assert repeated(first, second | {"model": "A"}) == [(1, True), (2, True)]
    assert repeated(first, second | {"document_id": document_of(2)}) == [(1, True), (2, True)]
    # Rounded numbers meet by chance, times by the steps of their timer.
    rounded = [number(place, "41.24", model=model, **rate) for place, model in ((1, "A"), (2, "B"))]
    assert repeated(*rounded) == []
    times = [one | {"metric": "latency", "unit": "ms"} for one in (first, second)]
    assert repeated(*times) == []


def jumps(*values: str) -> list[tuple[int, bool]]:
    results = [number(place, value) for place, value in enumerate(values, 1)]
    history = [
        {
            "benchmark_key": evidence_of(1), "sdk_version": f"2.{place}", "sdk_order": [2, place],
            "value": one["value"], "unit": "sequences/s", "status": "superseded",
            "stands_in_release": True, "result_id": one["result_id"],
        }
        for place, one in enumerate(results, 1)
    ]  # fmt: skip
    made = made_of("internal.release_relations", resolved__results=results, main__result_history=history)
    return [(one["line"], one["holds"]) for one in made]


def test_a_release_does_not_make_a_system_so_much_faster() -> None:
    assert jumps("100.0", "220.0", "150.0") == [(2, True), (3, True)]
    assert jumps("1407.20", "140.14") == [(2, False)]
    # What goes back to where it was shows that the one between is out of place.
    assert jumps("1956.8", "41.24", "2044.3") == [(2, False)]
