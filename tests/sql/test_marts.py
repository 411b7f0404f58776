"""Comparisons of results with given rows: sizes of a system, batch sizes, platforms."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from conftest import Ledger
from sql.given_rows import Rows, document_of, evidence_of, made_of

NAMES: Rows = [
    {
        "kind": "platforms",
        "name_printed": "Pod16",
        "name": "Pod16",
        "chip": "Bow IPU",
        "vendor": "Graphcore",
    },
    {
        "kind": "platforms",
        "name_printed": "Pod64",
        "name": "Pod64",
        "chip": "Bow IPU",
        "vendor": "Graphcore",
    },
    {
        "kind": "platforms",
        "name_printed": "H100",
        "name": "H100",
        "chip": "H100",
        "vendor": "NVIDIA",
    },
    {"kind": "metrics", "name_printed": "throughput", "name": "throughput", "better": "higher"},
    {"kind": "metrics", "name_printed": "latency", "name": "latency", "better": "lower"},
    {"kind": "metrics", "name_printed": "accuracy", "name": "accuracy", "metric_kind": "quality"},
    {
        "kind": "metrics",
        "name_printed": "time_to_train",
        "name": "time_to_train",
        "better": "lower",
    },
    {"kind": "datasets", "name_printed": "Synthetic", "name": "Synthetic", "is_synthetic": True},
    {"kind": "datasets", "name_printed": "ImageNet", "name": "ImageNet", "is_synthetic": False},
]
DOCUMENTS: Rows = [
    {"document_id": document_of(1), "source": "graphcore/results", "publisher": "Graphcore"},
    {"document_id": document_of(2), "source": "nvidia/results", "publisher": "NVIDIA"},
]
SIZES = {"Pod16": 16, "Pod64": 64, "H100": 1}


def result(number: int, platform: str, value: float, **more: Any) -> dict[str, Any]:
    is_pod = platform.startswith("Pod")
    chips = more.get("accelerator_count", SIZES[platform])
    return {
        "result_id": evidence_of(number), "document_id": document_of(1 if is_pod else 2), "task": "training",
        "model": "ViT", "model_family": "ViT", "higher_is_better": more.get("metric", "throughput") == "throughput",
        "platform": platform, "platform_printed": platform, "vendor": "Graphcore" if is_pod else "NVIDIA",
        "chip": "Bow IPU" if is_pod else "H100",
        "chips": chips, "accelerator_count": chips, "metric": "throughput", "unit": "images/s", "value": value,
        "value_low": value, "value_high": value, "bound": "eq", "batch_size": 64, "precision": "FP16",
        "framework": "PyTorch", "sdk_version": "3.1",
    } | more  # fmt: skip


def standing(*rows: dict[str, Any]) -> dict[str, Rows]:
    """Results that are all current."""
    current = [{name: row[name] for name in ("result_id", "sdk_version")} for row in rows]
    return {"resolved__results": list(rows), "main__current_results": current}


SECONDS = {"metric": "time_to_train", "unit": "s"}
SMALL, LARGE = result(1, "Pod16", 100), result(2, "Pod64", 300)
DOUBLE = result(2, "Pod16", 120, batch_size=128)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([SMALL, LARGE], [("Pod64", 64, 64, 3.0, 0.75)]),
        # Less time is more speed.
        (
            [result(1, "Pod16", 900, **SECONDS), result(2, "Pod64", 300, **SECONDS)],
            [("Pod64", 64, 64, 3.0, 0.75)],
        ),
        # Equal batches are compared where there are any, and else the best.
        ([SMALL, DOUBLE, result(3, "Pod64", 300)], [("Pod64", 64, 64, 3.0, 0.75)]),
        (
            [SMALL, DOUBLE, result(3, "Pod64", 360, batch_size=512)],
            [("Pod64", 128, 512, 3.0, 0.75)],
        ),
        # Every pair of sizes.
        (
            [SMALL, LARGE, result(3, "Pod64", 450, accelerator_count=128)],
            [
                ("Pod64", 64, 64, 3.0, 0.75),
                ("Pod64", 64, 64, 4.5, 0.5625),
                ("Pod64", 64, 64, 1.5, 0.75),
            ],
        ),
        ([SMALL, LARGE | {"model": "BERT"}], []),
        ([SMALL, LARGE | {"precision": "FP32"}], []),
        ([SMALL, LARGE | {"framework": "JAX"}], []),
        ([SMALL, LARGE | {"sequence_length": 128}], []),
        ([SMALL, LARGE | {"accelerator_count": 16}], []),
    ],
)
def test_a_larger_system_is_held_against_the_smallest(
    rows: Rows, expected: list[tuple[Any, ...]]
) -> None:
    made = made_of("main.scaling", **standing(*rows))
    columns = ("platform_to", "batch_size_from", "batch_size_to", "speedup", "efficiency")
    assert [tuple(row[name] for name in columns) for row in made] == expected


def curves(*rows: dict[str, Any]) -> list[tuple[Any, ...]]:
    made = made_of("main.batch_curves", **standing(*rows), raw__documents=DOCUMENTS)
    columns = (
        "batch_size",
        "throughput_items_per_second",
        "latency_ms",
        "items_in_flight",
        "batches_in_flight",
    )
    return [tuple(row[name] for name in columns) for row in made]


def test_throughput_and_latency_give_the_concurrency() -> None:
    inference = {"task": "inference"}
    latency = inference | {"metric": "latency", "unit": "ms"}
    rows = [
        result(1, "Pod16", 1000, batch_size=4, **inference),
        result(2, "Pod16", 4.0, batch_size=4, **latency),
        result(3, "Pod16", 1500, batch_size=8, **inference),
    ]
    assert curves(*rows) == [(4, 1000, 4.0, 4.0, 1.0), (8, 1500, None, None, None)]
    assert curves(*rows[:2]) == [], "one point is no curve"


def test_what_a_test_is_tuned_for_goes_with_its_batch() -> None:
    # As AWS prints language models: `Real Time` at batch 1 below `latency optimized`, `Batch` at 8.
    def tuned(
        number: int, value: float, batch: int, tuning: str, kind: str, **more: Any
    ) -> dict[str, Any]:
        conditions = {"application_type": kind}
        said = {
            "task": "inference",
            "batch_size": batch,
            "configuration": tuning,
            "conditions": conditions,
        }
        return result(number, "H100", value, **said, **more)

    median = {"statistic": "p50", "unit": "ms"}
    rows = [
        tuned(1, 145, 1, "latency optimized", "Real Time"),
        tuned(2, 578, 8, "throughput optimized", "Batch"),
        tuned(3, 28, 1, "latency optimized", "Real Time", metric="ttft", **median),
        tuned(4, 7.3, 1, "latency optimized", "Real Time", metric="tpot", **median),
    ]
    made = made_of("main.batch_curves", **standing(*rows), raw__documents=DOCUMENTS)
    assert [
        (row["batch_size"], row["throughput_items_per_second"], row["ttft_ms"], row["tpot_ms"])
        for row in made
    ] == [
        (1, 145, 28, 7.3),
        (8, 578, None, None),
    ]
    # One batch size tuned in two ways makes two curves, here of one point each.
    assert curves(tuned(5, 120, 1, "throughput optimized", "Batch"), *rows[:2]) == [
        (1, 120, None, None, None),
        (8, 578, None, None, None),
    ]
    assert curves(*rows[:1], tuned(2, 578, 8, "bps 10, max det 300", "Batch")) == []


def pairs(*rows: dict[str, Any], prices: Rows | None = None) -> Rows:
    """The comparison of results whose platforms are chips of their own."""
    return compared(*(row | {"chip": None} for row in rows), prices=prices)


def compared(*rows: dict[str, Any], prices: Rows | None = None) -> Rows:
    return made_of(
        "main.platform_comparison",
        **standing(*rows),
        raw__documents=DOCUMENTS,
        resolved__names=NAMES,
        resolved__prices=prices or [],
    )


def ratios(*rows: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (row["ratio"], row["ratio_per_accelerator"], row["differing"], row["grade"])
        for row in pairs(*rows)
    ]


ALIKE = result(2, "Pod64", 200, accelerator_count=16)
STATED = "stated on one side"


@pytest.mark.parametrize(
    ("other", "differing", "grade"),
    [
        ({}, [], "same"),
        ({"precision": "FP32"}, ["precision"], "close"),
        ({"batch_size": 8}, ["batch size"], "close"),
        ({"framework": "JAX"}, ["framework"], "close"),
        ({"framework": None}, [f"framework {STATED}"], "close"),
        ({"sdk_version": "3.2"}, ["SDK"], "close"),
        ({"weights_precision": "INT8"}, [f"weights precision {STATED}"], "close"),
        # What has no column differs like what has one, by its own name.
        ({"conditions": {"kv_cache": "FP8"}}, [f"kv cache {STATED}"], "close"),
        (
            {"tensor_parallel": 8, "expert_parallel": 8},
            [f"expert parallel {STATED}", f"tensor parallel {STATED}"],
            "close",
        ),
        # What describes the machine around the accelerators is no part of a test.
        ({"conditions": {"host_processor": "AMD EPYC 7742"}, "submission_id": "2.0-1"}, [], "same"),
        # What one side does not say is not what the other says.
        ({"precision": None}, [f"precision {STATED}"], "indicative"),
        ({"batch_size": None}, [f"batch size {STATED}"], "indicative"),
        (
            {"dataset": "ImageNet", "dataset_printed": "ImageNet"},
            [f"dataset {STATED}"],
            "indicative",
        ),
        ({"sequence_length": 128}, [f"sequence length {STATED}"], "indicative"),
        ({"configuration": "server"}, [f"configuration {STATED}"], "indicative"),
        ({"model": "ViT Chat"}, ["model"], "indicative"),
    ],
)
def test_what_differs_is_listed_and_graded(
    other: dict[str, Any], differing: list[str], grade: str
) -> None:
    assert ratios(SMALL, ALIKE | other) == [(2.0, 2.0, differing, grade)]


REAL = {"dataset": "ImageNet", "dataset_printed": "ImageNet"}
SYNTHETIC = {"dataset": "Synthetic", "dataset_printed": "Synthetic"}
INFERENCE = {"task": "inference"}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # In inference the batch defines the test.
        (
            [SMALL | INFERENCE, result(2, "Pod64", 200, batch_size=8) | INFERENCE],
            (2.0, 0.5, ["batch size", "accelerator count"], "indicative"),
        ),
        # Two vendors have no release in common, and measured themselves.
        (
            [result(1, "H100", 50), result(2, "Pod16", 400, sdk_version="9.9")],
            (8.0, 0.5, ["accelerator count", "who measured"], "close"),
        ),
        ([SMALL | REAL, ALIKE | SYNTHETIC], (2.0, 2.0, ["synthetic or real data"], "close")),
        # Of many tests the closest are paired.
        (
            [
                SMALL, ALIKE, ALIKE | {"result_id": evidence_of(3), "precision": "FP8", "value": 300.0},
                result(4, "Pod64", 900, sequence_length=128),
            ],
            (2.0, 2.0, [], "same"),
        ),
    ],
)  # fmt: skip
def test_which_tests_are_compared(rows: Rows, expected: tuple[Any, ...]) -> None:
    assert ratios(*rows) == [expected]


@pytest.mark.parametrize(
    "other",
    [
        {"model_family": "BERT"},
        INFERENCE,
        {"metric": "latency"},
        {"unit": "tokens/s"},
        {"statistic": "p99"},
    ],
)
def test_other_families_tasks_metrics_and_items_are_never_paired(other: dict[str, Any]) -> None:
    assert pairs(SMALL, LARGE | other) == []


def test_a_bound_gives_no_ratio_but_an_interval() -> None:
    rows = [
        result(1, "Pod16", 7200, **SECONDS),
        result(2, "Pod64", 3600, value_low=0.0, bound="lt", **SECONDS),
    ]
    [row] = pairs(*rows)
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == (None, 2.0, float("inf"))
    rows[1] |= {"value_low": 3600.0, "value_high": float("inf"), "bound": "gt"}
    [row] = pairs(*rows)
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == (None, 0.0, 2.0)


def test_the_pairs_grow_with_the_results_and_not_with_their_square() -> None:
    rows = [
        result(number, "Pod16", number, accelerator_count=number % 7 + 1)
        | {"platform": f"P{number:04}"}
        for number in range(1, 301)
    ]
    # Sixteen of the best with each other one, at each of four levels of likeness.
    assert len(pairs(*rows)) <= 4 * 16 * len(rows)


OWN = {"conditions": {"stage_of": "preprocess"}, "metric": "latency", "higher_is_better": False}


def test_a_step_around_a_model_is_compared_with_the_same_step() -> None:
    # A column `Preprocess (ms)` beside the latency of the model.
    step, model = SMALL | OWN, ALIKE | OWN | {"conditions": {}}
    assert pairs(step, model) == []
    assert len(pairs(step, ALIKE | OWN)) == 1
    # Of a duration nothing says what it is of, and an accuracy is the model's.
    for metric in ("duration", "accuracy"):
        assert pairs(SMALL | {"metric": metric}, ALIKE | {"metric": metric}) == []


def test_the_best_system_of_a_chip_represents_it() -> None:
    # Per chip, Pod16 is the faster of the two Graphcore systems: 6.25 images/s against 4.7.
    rows = [SMALL, LARGE, result(3, "H100", 50)]
    [row] = compared(*rows)
    assert (row["kind"], row["left_platform"], row["right_platform"]) == (
        "platforms",
        "Pod16",
        "H100",
    )
    assert (row["left_chip"], row["right_chip"]) == ("Bow IPU", "H100")


def test_two_publishers_of_one_platform_are_a_pair_of_their_own_kind() -> None:
    rows = [
        SMALL,
        SMALL | {"result_id": evidence_of(2), "document_id": document_of(2), "value": 99.0},
    ]
    [row] = compared(*rows)
    assert (row["kind"], row["left_publisher"], row["right_publisher"]) == (
        "who measured",
        "Graphcore",
        "NVIDIA",
    )
    assert (row["ratio"], row["grade"], row["differing"]) == (0.99, "close", ["who measured"])


def test_the_best_chip_of_each_vendor_comes_first() -> None:
    many = [
        result(number, "Pod16", 1000 + number) | {"chip": f"Bow {number}"}
        for number in range(2, 40)
    ]
    made = compared(result(1, "H100", 50), *many)
    # The only one of its vendor is slower than the 38 of the other and is compared with all of
    # them.
    assert sum(row["left_vendor"] != row["right_vendor"] for row in made) == len(many)
    assert made[0]["left_vendor"] != made[0]["right_vendor"]


def test_a_dollar_is_compared_where_both_have_a_price_under_the_same_terms() -> None:
    def price(number: int, platform: str, usd: float, terms: str) -> dict[str, Any]:
        return {
            "document_id": document_of(1), "evidence_id": evidence_of(number), "line": number, "platform": platform,
            "price_usd": usd, "price_low_usd": usd, "price_high_usd": usd, "bound": "eq",
            "unit": "USD" if terms == "list" else "USD/h", "terms": terms,
        }  # fmt: skip

    rows = SMALL, ALIKE
    priced = [
        price(1, "Pod16", 10, "list"),
        price(2, "Pod64", 5, "reserved"),
        price(3, "Pod64", 40, "list"),
    ]
    [row] = pairs(*rows, prices=priced)
    assert (row["ratio_per_dollar"], row["price_terms"]) == (0.5, "list")
    [row] = pairs(*rows, prices=priced[:2])
    assert row["ratio_per_dollar"] is None
    # Half of a latency is not bought for twice the price, and one system's price is not that of
    # four.
    latencies = [row | {"metric": "latency", "higher_is_better": False} for row in rows]
    assert pairs(*latencies, prices=priced)[0]["ratio_per_dollar"] is None
    of_four = [one | {"accelerator_count": 4} for one in priced]
    assert pairs(*rows, prices=of_four)[0]["ratio_per_dollar"] is None


def test_prices_buy_work_by_the_hour_and_rates_for_good() -> None:
    price = {
        "document_id": document_of(1), "line": 1, "platform": "Pod16", "accelerator_count": 16, "price_usd": 10.0,
        "price_low_usd": 8.0, "price_high_usd": 12.5, "bound": "approx",
    }  # fmt: skip
    prices = [
        price | {"evidence_id": evidence_of(1), "unit": "USD/h", "terms": "on demand"},
        price | {"evidence_id": evidence_of(2), "unit": "USD", "terms": "list"},
    ]
    row = result(1, "Pod16", 100, item="images")
    time = result(2, "Pod16", 7200, metric="time_to_train", unit="s")
    # Four systems, of which one has the price.
    four = result(3, "Pod16", 350, item="images", accelerator_count=64)
    current = {"unit": "images/s", "source": "graphcore/results"}
    made = made_of(
        "main.price_performance",
        resolved__results=[row, time, four],
        main__current_results=[
            {name: one.get(name) for name in current} | one | current for one in (row, time, four)
        ],
        raw__documents=[one | {"snapshot_on": date(2024, 1, 1)} for one in DOCUMENTS],
        resolved__prices=prices,
    )
    columns = (
        "metric",
        "price_terms",
        "value_per_usd_low",
        "value_per_usd_high",
        "value_per_usd_unit",
    )
    assert [
        tuple(one[name] for name in columns) for one in made if one["metric"] == "throughput"
    ] == [
        ("throughput", "list", 8.0, 12.5, "images/s/USD"),
        ("throughput", "on demand", 28800.0, 45000.0, "images/USD"),
    ]
    costs = [
        (one["price_terms"], one["training_cost_low_usd"], one["training_cost_high_usd"])
        for one in made
    ]
    assert costs[2:] == [("list", None, None), ("on demand", 16.0, 25.0)]


def test_two_vendors_are_compared_on_the_shipped_pages(shipped: Ledger) -> None:
    rows = shipped.sql(
        """
        select distinct model_family from main.platform_comparison
        where left_platform in ('IPU-M2000', 'Bow-2000', 'IPU-POD16') and right_platform similar to '(inf|trn).*'
        order by 1
        """
    )
    assert [row["model_family"] for row in rows] == [
        "BERT-Base",
        "BERT-Large",
        "ResNet-50",
        "ViT",
        "YOLOv4",
    ]


def test_the_shipped_pages_show_the_scaling_of_pods_and_of_single_chips(shipped: Ledger) -> None:
    rows = shipped.sql(
        """
        select platform_from, platform_to, accelerators_to, round(efficiency, 3) as efficiency from main.scaling
        where
            metric = 'throughput'
            and is_from_smallest
            and (model = 'GPT2-Medium' and platform_from = 'IPU-POD16' or model is null and platform_from = 'GC200 IPU')
        order by platform_from, accelerators_to
        """
    )
    assert [(row["platform_to"], row["accelerators_to"], row["efficiency"]) for row in rows] == [
        ("GC200 IPU", 2, 0.878), ("GC200 IPU", 4, 0.655), ("GC200 IPU", 8, 0.468), ("GC200 IPU", 16, 0.456),
        ("IPU-POD64", 64, 0.971), ("IPU-POD128", 128, 0.927), ("IPU-POD256", 256, 0.763),
    ]  # fmt: skip
