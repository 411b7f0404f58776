"""Throughput times latency is the batch times what is in flight, the same along a curve (Little's law)."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of, printed_value

Point = tuple[int, str, str]

# Batch size, items per second and milliseconds of one curve: about three batches in flight.
CURVE: list[Point] = [
    (4, "7,152", "1.66"), (8, "10,515", "2.27"), (16, "16,207", "2.95"), (32, "22,544", "4.24"),
    (64, "28,762", "6.66"), (128, "35,155", "10.91"),
]  # fmt: skip
# Image sizes of one model: the last prints the batch of another row.
DETECTION: list[Point] = [
    (4, "690", "9.40"), (4, "722", "9.74"), (8, "1,306", "10.03"), (8, "1,364", "10.39"), (8, "1,772", "7.25"),
    (8, "1,915", "7.31"), (4, "2,994", "9.42"),
]  # fmt: skip


def curve(points: list[Point], first_line: int = 1, **facts: Any) -> Rows:
    return [
        {
            "document_id": document_of(1), "line": line, "row_line": line, "task": "inference", "model": "ResNet-50",
            "platform": "IPU-M2000", "batch_size": batch, "metric": metric, "value_printed": printed, "bound": "eq",
            "unit": "ms" if metric == "latency" else "items/s", **printed_value(printed),
            "evidence_id": evidence_of(line * 10 + (metric == "latency")),
        } | facts
        for line, (batch, rate, latency) in enumerate(points, first_line)
        for metric, printed in (("throughput", rate), ("latency", latency))
    ]  # fmt: skip


def relations(rows: Rows) -> Rows:
    return made_of("internal.curve_relations", resolved__results=rows)


def failing(rows: Rows) -> list[int]:
    return [row["line"] for row in relations(rows) if not row["holds"]]


def test_a_healthy_curve_holds() -> None:
    made = relations(curve(CURVE))
    assert [row["holds"] for row in made] == [True] * 6
    assert all(row["expected_low"] <= row["printed"] <= row["expected_high"] for row in made)


def test_a_batch_that_does_not_fit_is_found_and_explained() -> None:
    [relation] = [row for row in relations(curve(DETECTION)) if not row["holds"]]
    assert (relation["line"], relation["printed"], relation["inputs"]) == (7, 9.42, [evidence_of(70)])
    assert relation["expected_high"] < 3
    assert relation["reason"] == (
        "2,994 items/s at 9.42 ms keep 7.05 batches of 4 in flight, "
        "where 6 of 7 rows of the curve keep 1.61 to 1.77; that would fit a batch of 15.9 to 17.6"
    )


@pytest.mark.parametrize("place", range(1, 5))
@pytest.mark.parametrize("factor", [0.1, 0.5, 2, 10])
@pytest.mark.parametrize("metric", ["throughput", "latency"])
def test_a_number_broken_within_the_curve_is_found(place: int, factor: float, metric: str) -> None:
    rows = curve(CURVE)
    for row in rows:
        if (row["line"], row["metric"]) == (place + 1, metric):
            row.update({name: row[name] * factor for name in ("value", "value_low", "value_high")})
    assert failing(rows) == [place + 1]


@pytest.mark.parametrize("place", [0, 5])
def test_a_slipped_decimal_point_is_found_at_the_ends_too(place: int) -> None:
    points = list(CURVE)
    points[place] = (points[place][0], points[place][1], str(float(points[place][2]) * 10))
    assert failing(curve(points)) == [place + 1]


@pytest.mark.parametrize(
    "rows",
    [
        # A large batch runs with a deep queue, as it does on a page of results.
        pytest.param(
            curve([(4, "3,395", "1.14"), (8, "4,840", "1.62"), (16, "6,483", "2.43"), (64, "11,320", "27.83")]),
            id="a queue for large batches",
        ),
        # The latency of one item, whatever the batch.
        pytest.param(
            curve([(4, "2,610", "1.53"), (16, "4,354", "0.92"), (32, "4,949", "0.81"), (60, "5,201", "0.77")]),
            id="latency of one item",
        ),
        pytest.param(
            curve([(16, "14,321", "2.69"), (32, "20,927", "3.70"), (64, "36,193", "8.62"), (128, "43,472", "14.38"),
                   (256, "49,816", "25.13"), (360, "50,883", "30.68")]),
            id="two queues",
        ),
        pytest.param(
            curve(CURVE) + curve([(8, "7,397", "0.52")], 20, configuration="lowest latency"), id="tuned for latency"
        ),
        pytest.param(curve(CURVE) + curve([(8, "90", "500")], 20, item="tokens"), id="tokens"),
        pytest.param(curve(CURVE) + curve([(8, "10,515", "22.7")], 20, attributes="Concurrency 32"), id="clients"),
        pytest.param(curve(CURVE) + curve([(8, "10,515", "22.7")], 20, sdk_version="3.0"), id="another release"),
        pytest.param(curve(CURVE) + curve([(8, "10,515", "22.7")], 20, bound="lt"), id="a bound"),
        pytest.param(curve(DETECTION[-3:]), id="few rows"),
        pytest.param(curve([*DETECTION, DETECTION[-1]], task="training"), id="training"),
    ],
)  # fmt: skip
def test_nothing_fails_with(rows: Rows) -> None:
    assert failing(rows) == []
