"""The history of a benchmark with given rows: releases by their numbers, what is current, days of publication."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from sql.given_rows import Rows, document_of, evidence_of, made_of

DAY = date(2024, 1, 1)


def document(number: int, day: date = DAY, publisher: str = "acme", **more: Any) -> dict[str, Any]:
    base = {"document_id": document_of(number), "source": f"{publisher}/{number}", "publisher": publisher}
    days = {"published_on": day, "snapshot_on": day, "snapshot_at": datetime.combine(day, time())}
    return base | days | {"path": f"{number}.txt"} | more


def result(place: int, document: int, value: float, sdk: str | None = None, **more: Any) -> dict[str, Any]:
    numbers = [int(part) for part in sdk.split(".")] if sdk else None
    while numbers and not numbers[-1]:
        numbers.pop()
    return {
        "result_id": evidence_of(place), "evidence_id": evidence_of(place), "document_id": document_of(document),
        "line": place, "task": "training", "model": "ViT", "model_family": "ViT", "platform": "Pod64",
        "metric": "throughput", "higher_is_better": True, "vendor": "Acme", "value": value, "value_low": value - 0.5,
        "value_high": value + 0.5, "bound": "eq", "unit": "images/s", "extractor": "results_page",
        "sdk_version": sdk, "sdk_order": numbers and [*numbers, 0], "benchmark_key": f"{1:032x}",
    } | more  # fmt: skip


def history(documents: Rows, results: Rows) -> Rows:
    given = {"resolved__results": results, "raw__documents": documents, "raw__sightings": documents}
    return made_of("main.result_history", **given)


def test_2_20_and_2_20_0_are_one_release_of_their_publisher() -> None:
    other = {"benchmark_key": f"{2:032x}"}
    results = [
        result(1, 1, 100, "2.9"), result(2, 1, 110, "2.20"), result(3, 2, 120, "2.20.0", **other),
        result(4, 2, 130, "2.21", **other), result(5, 3, 140, "2.20", benchmark_key=f"{3:032x}"),
    ]  # fmt: skip
    made = history([document(1), document(2), document(3, publisher="other")], results)
    assert {row["value"]: row["sdk_version"] for row in made} == {
        100: "2.9", 110: "2.20.0", 120: "2.20.0", 130: "2.21", 140: "2.20",
    }  # fmt: skip
    given = {"main__result_history": made, "resolved__results": results}
    gains = made_of("main.sdk_progress", **given)
    assert [tuple(row[name] for name in ("sdk_from", "sdk_to", "sdk_from_order", "sdk_to_order")) for row in gains] == [
        ("2.9", "2.20.0", 1, 2), ("2.20.0", "2.21", 2, 3),
    ]  # fmt: skip


def test_a_day_of_capture_is_no_day_of_publication() -> None:
    captured = {"retrieved_at": datetime(2024, 5, 6, 7)}
    documents = [document(1, published_on=None), document(2, **captured), document(3, published_on=None)]
    results = [
        result(1, 1, 100), result(2, 2, 110, benchmark_key=f"{2:032x}"), result(3, 3, 110, benchmark_key=f"{2:032x}"),
    ]  # fmt: skip
    names = ("first_published_on", "last_published_on", "first_captured_on", "last_captured_on")
    assert {row["value"]: tuple(row[name] for name in names) for row in history(documents, results)} == {
        100: (None, None, DAY, DAY), 110: (DAY, DAY, DAY, date(2024, 5, 6)),
    }  # fmt: skip


def test_a_coarser_restatement_of_a_submission_is_superseded_by_its_log() -> None:
    suite = {"metric": "time_to_train", "higher_is_better": False, "unit": "s", "suite": "MLPerf Training v1.0"}
    log = suite | {"extractor": "mlperf_training", "value_low": 869.07, "value_high": 869.09, "division": "Closed"}
    prose = suite | {"extractor": "claim_prose", "value_low": 867.0, "value_high": 873.0}
    other = {
        "meets no interval": {"value_low": 900.0, "value_high": 910.0},
        "another round": {"suite": "MLPerf Training v1.1"},
        "no round": {"suite": "MLPerf Training"},
        "another dataset": {"dataset": "COCO"},
        "finer": {"value_low": 869.08, "value_high": 869.081},
    }
    for case, facts in {"restated": {}, **other}.items():
        results = [result(1, 1, 869.08, **log), result(2, 2, 870, benchmark_key=f"{2:032x}", **prose | facts)]
        made = history([document(1), document(2)], results)
        assert {row["value"]: row["status"] for row in made} == {
            869.08: "current", 870: "superseded" if case == "restated" else "current",
        }, case  # fmt: skip
