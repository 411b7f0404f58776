"""The history of a benchmark with given rows: releases by their numbers, what is current, days of
publication.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from sql.given_rows import Rows, document_of, evidence_of, made_of

DAY = date(2024, 1, 1)


def document(number: int, day: date = DAY, publisher: str = "acme", **more: Any) -> dict[str, Any]:
    base = {
        "document_id": document_of(number),
        "source": f"{publisher}/{number}",
        "publisher": publisher,
    }
    days = {"published_on": day, "snapshot_on": day, "snapshot_at": datetime.combine(day, time())}
    return base | days | {"path": f"{number}.txt"} | more


def result(
    place: int, document: int, value: float, sdk: str | None = None, **more: Any
) -> dict[str, Any]:
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


def test_releases_of_two_products_have_no_order() -> None:
    older, newer = {"release_product": "NGC"}, {"release_product": "NeMo"}
    documents = [document(1), document(2, date(2025, 1, 1))]
    results = [result(1, 1, 100, "25.11", **older), result(2, 2, 110, "25.9", **newer)]
    made = history(documents, results)
    # The later page is of the lower number, of another product.
    assert {row["value"]: row["status"] for row in made} == {100: "superseded", 110: "current"}
    assert made_of("main.sdk_progress", main__result_history=made, resolved__results=results) == []
    [current] = made_of(
        "main.current_results",
        main__result_history=made,
        resolved__results=results,
        raw__documents=documents,
    )
    assert (current["sdk_version"], current["release_product"], current["superseded_versions"]) == (
        "25.9",
        "NeMo",
        [],
    )
    # Of one product the number decides.
    made = history(documents, [results[0], results[1] | older])
    assert {row["value"]: row["status"] for row in made} == {100: "current", 110: "superseded"}


def test_a_day_of_capture_is_no_day_of_publication() -> None:
    captured = {"retrieved_at": datetime(2024, 5, 6, 7)}
    documents = [
        document(1, published_on=None),
        document(2, **captured),
        document(3, published_on=None),
    ]
    results = [
        result(1, 1, 100), result(2, 2, 110, benchmark_key=f"{2:032x}"), result(3, 3, 110, benchmark_key=f"{2:032x}"),
    ]  # fmt: skip
    names = ("first_published_on", "last_published_on", "first_captured_on", "last_captured_on")
    assert {row["value"]: tuple(row[name] for name in names) for row in history(documents, results)} == {
        100: (None, None, DAY, DAY), 110: (DAY, DAY, DAY, date(2024, 5, 6)),
    }  # fmt: skip


def test_a_coarser_restatement_of_a_submission_is_superseded_by_its_log() -> None:
    suite = {
        "metric": "time_to_train",
        "higher_is_better": False,
        "unit": "s",
        "suite": "MLPerf Training v1.0",
    }
    log = suite | {
        "extractor": "mlperf_training",
        "value_low": 869.07,
        "value_high": 869.09,
        "division": "Closed",
    }
    prose = suite | {"extractor": "claim_prose", "value_low": 867.0, "value_high": 873.0}
    other = {
        "meets no interval": {"value_low": 900.0, "value_high": 910.0},
        "another round": {"suite": "MLPerf Training v1.1"},
        "no round": {"suite": "MLPerf Training"},
        "another dataset": {"dataset": "COCO"},
        "finer": {"value_low": 869.08, "value_high": 869.081},
    }
    for case, facts in {"restated": {}, **other}.items():
        results = [
            result(1, 1, 869.08, **log),
            result(2, 2, 870, benchmark_key=f"{2:032x}", **prose | facts),
        ]
        made = history([document(1), document(2)], results)
        assert {row["value"]: row["status"] for row in made} == {
            869.08: "current", 870: "superseded" if case == "restated" else "current",
        }, case  # fmt: skip


def of_page(number: int, month: int, source: str = "acme/page", **more: Any) -> dict[str, Any]:
    return document(
        number,
        date(2024, month, 1),
        **{"source": source, "retrieved_at": datetime(2024, 9, 9)} | more,
    )


def status_of(documents: Rows, results: Rows, **given: Rows) -> dict[float, str]:
    made = made_of(
        "main.result_history",
        resolved__results=results,
        raw__documents=documents,
        raw__sightings=documents,
        **given,
    )
    return {row["value"]: row["status"] for row in made}


def test_another_value_is_a_correction_only_under_a_release() -> None:
    pages = [of_page(1, 1), of_page(2, 2)]
    round_of = {"suite": "MLPerf Training v2.0"}
    for more, status in (({"sdk": "3.1"}, "restated"), ({}, "replaced"), (round_of, "restated")):
        results = [result(1, 1, 100, **more), result(2, 2, 200, **more)]
        assert status_of(pages, results) == {100: "tbd", 200: "current"} | {100: status}


def test_two_values_of_one_document_are_a_conflict_and_neither_is_current() -> None:
    results = [result(1, 1, 4591), result(2, 1, 4553), result(3, 1, 7, benchmark_key=f"{2:032x}")]
    assert status_of([of_page(1, 1)], results) == {
        4591: "conflicting",
        4553: "conflicting",
        7: "current",
    }
    made = made_of("audit.conflicts", resolved__results=results, raw__documents=[of_page(1, 1)])
    assert [(row["kind"], row["left_value"], row["right_value"]) for row in made] == [
        ("within_document", 4591, 4553)
    ]
    made = made_of(
        "audit.conflicts",
        resolved__results=[result(1, 1, 10), result(2, 1, 10.5)],
        raw__documents=[],
    )
    assert made == [], "rounding allows both"


def test_two_rounds_of_a_suite_are_two_measurements() -> None:
    pages = [document(1), document(2, date(2024, 6, 1))]
    for suite, statuses, conflicts in (
        ("MLPerf Training v5.1", {100: "superseded", 200: "current"}, 0),
        ("MLPerf Training v5.0", {100: "conflicting", 200: "conflicting"}, 1),
        (None, {100: "conflicting", 200: "conflicting"}, 1),
    ):
        logs = {"extractor": "mlperf_training", "suite": "MLPerf Training v5.0"}
        results = [result(1, 1, 100, "25.04", **logs)]
        results.append(result(2, 2, 200, "25.04", **logs | {"suite": suite}))
        assert status_of(pages, results) == statuses
        made = made_of("audit.conflicts", resolved__results=results, raw__documents=pages)
        assert len(made) == conflicts


def test_nodes_that_say_nothing_tell_no_two_values_apart() -> None:
    def conditions(place: int, **stated: str) -> Rows:
        named = {"precision": "FP16"} | stated
        return [
            {"result_id": evidence_of(place), "dimension": name, "value": value}
            for name, value in named.items()
        ]

    one, other = result(1, 1, 4591), result(2, 1, 4553, benchmark_key=f"{2:032x}")
    results = [row | {"accelerator_count": 8} for row in (one, other)]
    for nodes, status in (
        ({"nodes": "1", "accelerators_per_node": "8"}, "conflicting"),
        ({"nodes": "2"}, "current"),
    ):
        given = {"resolved__result_conditions": [*conditions(1), *conditions(2, **nodes)]}
        assert status_of([of_page(1, 1)], results, **given) == {4591: status, 4553: status}
        made = made_of(
            "audit.conflicts", resolved__results=results, raw__documents=[of_page(1, 1)], **given
        )
        assert [row["kind"] for row in made] == ["within_document"] * (status == "conflicting")


def in_row(
    place: int, document: int, row: int, value: float, key: int, **more: Any
) -> dict[str, Any]:
    """A number of a row of inference results, throughput or latency."""
    metric = {"metric": "latency", "unit": "ms", "higher_is_better": False} if key % 2 else {}
    named = {"benchmark_key": f"{key:032x}", "row_line": row, "task": "inference"}
    return result(place, document, value, **{"line": row} | named | metric | more)


def test_a_row_that_a_second_table_repeats_is_one_result() -> None:
    first = [in_row(1, 1, 10, 52.3, 2), in_row(2, 1, 10, 19.1, 3)]
    second = [in_row(3, 1, 20, 52.3, 4, configuration="latency optimized"),
              in_row(4, 1, 20, 19.1, 5, configuration="latency optimized")]  # fmt: skip
    alone = [in_row(5, 1, 30, 19.1, 7, configuration="batch")]
    history = made_of(
        "main.result_history",
        resolved__results=[*first, *second, *alone], raw__documents=[of_page(1, 1)], raw__sightings=[of_page(1, 1)],
    )  # fmt: skip
    told = {int(row["benchmark_key"], 16): (row["status"], row["same_as"]) for row in history}
    assert told == {
        2: ("current", None), 3: ("current", None), 4: ("repeated", f"{2:032x}"), 5: ("repeated", f"{3:032x}"),
        7: ("current", None),
    }  # fmt: skip
    # One table may leave out what the other one states, but both state another cache here.
    for cache, status in (({}, "repeated"), ({"kv_cache": "fp8"}, "current")):
        rows = [row | {"conditions": {"kv_cache": "int8"}} for row in first] + [
            row | {"conditions": cache} for row in second
        ]
        made = made_of(
            "main.result_history",
            resolved__results=rows, raw__documents=[of_page(1, 1)], raw__sightings=[of_page(1, 1)],
        )  # fmt: skip
        assert {row["status"] for row in made if row["benchmark_key"] > f"{3:032x}"} == {status}
    # One other value, another precision: two results.
    for other in ({"value": 52.4, "value_low": 52.35, "value_high": 52.45}, {"precision": "INT8"}):
        rows = [*first, second[0] | other, second[1] | {"precision": other.get("precision")}]
        assert {*status_of([of_page(1, 1)], rows).values()} == {"current"}


def test_what_another_page_of_the_publisher_still_prints_has_moved() -> None:
    pages = [
        of_page(1, 1),
        of_page(2, 2),
        of_page(3, 2, "acme/archive"),
        of_page(4, 2, "other/page", publisher="other"),
    ]
    gone, kept = in_row(1, 1, 10, 52.3, 2), in_row(2, 2, 10, 77.7, 4)
    archived = in_row(3, 3, 5, 52.3, 6, other_conditions="container 24.01")
    assert status_of(pages, [gone, kept]) == {52.3: "withdrawn", 77.7: "current"}
    made = made_of(
        "main.result_history",
        resolved__results=[gone, kept, archived], raw__documents=pages, raw__sightings=pages,
    )  # fmt: skip
    told = {(int(row["benchmark_key"], 16), row["status"], row["same_as"]) for row in made}
    assert told == {(2, "moved", f"{6:032x}"), (4, "current", None), (6, "current", None)}
    # Another platform, precision or value, or another publisher: nobody prints it.
    others = (
        {"platform": "Pod128"},
        {"precision": "INT8"},
        {"value_high": 52.9},
        {"document_id": document_of(4)},
    )
    for other in others:
        made = made_of(
            "main.result_history",
            resolved__results=[gone, kept, archived | other], raw__documents=pages, raw__sightings=pages,
        )  # fmt: skip
        assert [row["status"] for row in made if int(row["benchmark_key"], 16) == 2] == [
            "withdrawn"
        ], other


def test_the_log_of_a_submission_and_the_page_of_its_round_are_one_result() -> None:
    pages = [of_page(1, 1, "suite/acme-v2.0", publisher="MLCommons"), of_page(2, 2)]
    suite = {
        "metric": "time_to_train",
        "higher_is_better": False,
        "unit": "s",
        "suite": "MLPerf Training v2.0",
    }
    log = result(
        1,
        1,
        264.9,
        **suite | {"extractor": "mlperf_training", "batch_size": 6144, "division": "Closed"},
    )
    page = result(
        2, 2, 265.2, benchmark_key=f"{2:032x}", precision="FP16", division="Closed", **suite
    )
    runs = {"resolved__training_runs": [{"result_id": log["result_id"], "submitter": "Acme"}]}
    assert status_of(pages, [log, page], **runs) == {264.9: "current", 265.2: "repeated"}
    far = page | {"value": 270.0, "value_low": 269.7, "value_high": 270.3}
    assert status_of(pages, [log, far], **runs) == {264.9: "conflicting", 270.0: "conflicting"}
    made = made_of("audit.conflicts", resolved__results=[log, far], raw__documents=pages, **runs)
    assert [(row["left_value"], row["right_value"]) for row in made] == [(270.0, 264.9)]
    for other in (
        {"division": "Open"},
        {"suite": "MLPerf Training v2.1"},
        {"accelerator_count": 8},
    ):
        told = status_of(pages, [log | {"accelerator_count": 64}, far | other], **runs)
        assert told == {264.9: "current", 270.0: "current"}


def test_entries_of_a_round_of_inference_are_not_one_submission() -> None:
    pages = [of_page(number, number, publisher="MLCommons") for number in (1, 2)]
    suite = {"suite": "MLPerf Inference v4.1", "task": "inference"}
    log = suite | {"extractor": "mlperf_inference"}
    first = {"scenario": "Offline", "conditions": [("submitter", "Acme"), ("system_id", "h13")]}
    row = result(1, 1, 264.9, **suite | first)
    far = 270.0
    for other, status in (
        (first, "conflicting"),
        ({"scenario": "Server"}, "current"),
        ({"conditions": [("submitter", "Other"), ("system_id", "h13")]}, "current"),
        ({"conditions": [("submitter", "Acme"), ("system_id", "h14")]}, "current"),
    ):
        logged = result(2, 2, far, **log | first | other | {"benchmark_key": f"{2:032x}"})
        assert status_of(pages, [row, logged]) == {264.9: status, far: status}, other


def test_a_release_has_the_day_of_the_first_page_that_prints_it_as_its_newest() -> None:
    pages = [of_page(number, number) for number in (1, 2, 3)]
    results = [
        result(1, 1, 10, "3.0"), result(2, 2, 20, "3.1"), result(3, 3, 20, "3.1"),
        result(4, 3, 30, "2.9", benchmark_key=f"{2:032x}"),
    ]  # fmt: skip
    fetches = [
        {"source": "acme/page", "attempted_at": datetime(2024, 10, day), "outcome": outcome}
        for day, outcome in ((1, "changed"), (2, "unchanged"), (3, "failed"))
    ]
    made = made_of(
        "main.result_history",
        resolved__results=results,
        raw__documents=pages,
        raw__sightings=pages,
        raw__fetches=fetches,
    )
    assert {row["sdk_version"]: row["released_on"] for row in made} == {
        # The first page in the ledger may be years younger than its release, as a page that prints
        # a newer one may.
        "3.0": None, "3.1": date(2024, 2, 1), "2.9": None,
    }  # fmt: skip
    assert {row["last_seen_on"] for row in made} == {date(2024, 10, 2)}
    given = {"resolved__results": results, "raw__documents": pages, "raw__sightings": pages}
    replaced = [{"source": "acme/page", "replaced_on": date(2024, 5, 6)}]
    made = made_of("main.result_history", raw__sources=replaced, **given)
    assert {row["last_seen_on"] for row in made} == {date(2024, 5, 6)}, (
        "captured later, from the history of the page"
    )
