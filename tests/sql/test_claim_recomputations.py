"""Claims held against given numbers: what agrees, what speaks against a claim, and what is not enough to say."""

from __future__ import annotations

from datetime import date
from math import inf
from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of

POST, TABLE, OTHER = 1, 2, 3

METRICS = {
    "throughput": "higher", "latency": "lower", "time_to_train": "lower", "epoch_time": "lower", "price": "lower",
    "performance_per_dollar": "higher",
}  # fmt: skip
PLATFORMS = {"X1": 1, "Y1": 1, "X16": 16, "DGX": 8}
NAMES = [
    {"kind": "metrics", "name_printed": name, "name": name, "better": better, "is_family": False}
    for name, better in METRICS.items()
] + [
    {"kind": "platforms", "name_printed": name, "name": name, "chips": chips, "is_family": False}
    for name, chips in PLATFORMS.items()
]


def document(number: int, day: str | None, publisher: str = "acme", source: str | None = None) -> dict[str, Any]:
    published = date.fromisoformat(day) if day else None
    return {
        "document_id": document_of(number), "source": source or f"{publisher}/{number}", "publisher": publisher,
        "published_on": published, "snapshot_on": published or date(2026, 1, 1),
    }  # fmt: skip


DOCUMENTS = [document(POST, "2024-02-01"), document(TABLE, "2024-01-01"), document(OTHER, "2024-01-01", "rival")]


def claim(low: float, high: float, **facts: Any) -> dict[str, Any]:
    return {
        "claim_id": evidence_of(900), "document_id": document_of(POST), "evidence_id": evidence_of(900), "line": 5,
        "task": "training", "model": "ResNet-50", "subject_platform": "X1", "baseline_platform": "Y1",
        "metric": "throughput", "factor": low if high == inf else high if low == 0 else (low + high) / 2,
        "factor_low": low, "factor_high": high, "bound": "eq", "repeat_evidence_ids": [], "text_printed": "2x",
        "extractor": "claim_prose",
    } | facts  # fmt: skip


def number(place: int, platform: str | None, value: float, half: float = 0.5, **facts: Any) -> dict[str, Any]:
    return {
        "result_id": evidence_of(place), "evidence_id": evidence_of(place), "document_id": document_of(TABLE),
        "line": place, "task": "training", "model": "ResNet-50", "platform": platform, "metric": "throughput",
        "value": value, "value_low": value - half, "value_high": value + half, "bound": "eq",
        "unit": "items/s", "value_printed": f"{value:,.0f}", "extractor": "results_page",
        "benchmark_key": evidence_of(place), "accelerator_count": PLATFORMS.get(platform or ""),
    } | facts  # fmt: skip


def price(place: int, platform: str, usd: float, half: float = 0.5, bound: str = "eq") -> dict[str, Any]:
    return {
        "document_id": document_of(POST), "evidence_id": evidence_of(place), "line": place, "platform": platform,
        "price_usd": usd, "price_low_usd": usd - half, "price_high_usd": usd + half, "bound": bound,
        "unit": "USD", "terms": "list",
    }  # fmt: skip


def verdicts_of(claims: Rows, results: Rows, **given: Rows) -> Rows:
    """The verdicts on claims, by way of all steps between."""
    tables = {
        "resolved__claims": claims, "resolved__results": results, "resolved__names": NAMES, "raw__documents": DOCUMENTS,
    } | given  # fmt: skip
    return made_of("audit.claim_verdicts", **tables)


def verdict_of(made: dict[str, Any], results: Rows, **given: Rows) -> dict[str, Any]:
    [row] = verdicts_of([made], results, **given)
    return row


PAIR = [number(1, "X1", 2000), number(2, "Y1", 1000)]


@pytest.mark.parametrize(
    ("low", "high", "bound", "verdict"),
    [
        (1.95, 2.05, "eq", "confirmed"),
        (2.55, 2.65, "eq", "contradicted"),
        (1.35, 1.45, "eq", "contradicted"),
        (1.8, inf, "gt", "confirmed"),
        (2.1, inf, "gt", "contradicted"),
        (0.0, 3.2, "up_to", "confirmed"),
        (0.0, 1.9, "up_to", "contradicted"),
    ],
)
def test_the_intervals_meet_or_they_do_not(low: float, high: float, bound: str, verdict: str) -> None:
    row = verdict_of(claim(low, high, bound=bound, text_printed=f"{high}x"), PAIR)
    assert row["verdict"] == verdict, row["reason"]
    assert (row["recomputed_low"], row["recomputed_high"]) == (1999.5 / 1000.5, 2000.5 / 999.5)
    assert row["inputs"] == [evidence_of(1), evidence_of(2)]
    assert row["reason"].startswith("2,000 items/s against 1,000 items/s gives 1.999 to 2.002")


def test_an_interval_without_an_end_confirms_nothing() -> None:
    below = number(1, "X1", 3, metric="time_to_train", unit="h", value_low=0.0, value_high=3.0, bound="lt")
    times = [below, number(2, "Y1", 48, metric="time_to_train", unit="h")]
    row = verdict_of(claim(16.5, 17.5, metric="time_to_train"), times)
    assert (row["verdict"], row["recomputed_low"], row["recomputed_high"]) == ("consistent", 47.5 / 3, inf)
    row = verdict_of(claim(1.65, 1.75, metric="time_to_train"), times)
    assert row["verdict"] == "contradicted", row["reason"]


def test_one_row_is_not_the_nearest_for_both_sides() -> None:
    gain = claim(1.55, 1.65, subject_platform=None, baseline_platform=None, baseline_sdk_version="1.4")
    release = {"sdk_version": "2.4", "sdk_order": [2, 4, 0], "document_id": document_of(OTHER)}
    later = [document(POST, "2023-02-01"), document(TABLE, "2024-01-01"), document(OTHER, "2024-01-01")]
    rows = [number(1, "X1", 2000, **release), number(2, "X1", 1900, **release)]
    row = verdict_of(gain, rows, raw__documents=later)
    assert "the nearest for the subject is 2,000" in row["reason"]
    assert "the nearest for the baseline is 1,900" in row["reason"]


def bar(place: int, platform: str | None, value: float) -> dict[str, Any]:
    facts = {"document_id": document_of(POST), "section_line": 1, "extractor": "slides", "platform_printed": None}
    return number(place, platform, value, **facts)


def test_bars_stand_for_the_side_that_their_labels_name() -> None:
    on_slide = claim(9.5, 10.5, section_line=1, extractor="slides")
    # The worst bar is the subject's: by their lengths alone the sides would be taken the wrong way round.
    row = verdict_of(on_slide, [bar(1, "X1", 58), bar(2, "Y1", 581)])
    assert row["verdict"] == "contradicted", row["reason"]
    assert "no names" not in row["reason"]
    row = verdict_of(on_slide, [bar(1, None, 58), bar(2, None, 581)])
    assert (row["verdict"], row["kind"]) == ("confirmed", "bars_without_names")
    elsewhere = claim(17.5, 18.5, section_line=2, extractor="slides")
    row = verdict_of(elsewhere, [bar(1, "X1", 581), bar(2, "Y1", 58)])
    assert row["verdict"] == "not_checkable", "a bar says nothing of another slide's claim"


@pytest.mark.parametrize("metric", ["latency", "time_to_train"])
def test_of_times_the_smaller_is_better(metric: str) -> None:
    times = [number(1, "X1", 10, metric=metric, unit="s"), number(2, "Y1", 20, metric=metric, unit="s")]
    row = verdict_of(claim(1.95, 2.05, metric=metric), times)
    assert (row["verdict"], row["recomputed_low"], row["recomputed_high"]) == ("confirmed", 19.5 / 10.5, 20.5 / 9.5)


def test_up_to_has_the_rounding_of_its_last_digit() -> None:
    for value, verdict in ((1902, "confirmed"), (1960, "contradicted")):
        most = claim(0.0, 1.9, bound="up_to", text_printed="1.9x")
        row = verdict_of(most, [number(1, "X1", value), PAIR[1]])
        assert row["verdict"] == verdict, row["reason"]


def test_up_to_is_no_loss() -> None:
    slower = [number(1, "X1", 500), number(2, "Y1", 1000)]
    assert verdict_of(claim(0.0, 3.2, bound="up_to"), slower)["verdict"] == "contradicted"


STATED = {
    "subject_precision": "16.16", "subject_batch_size_low": 256, "subject_batch_size_high": 512,
    "subject_batch_sizes_printed": "256 through 512", "subject_dataset": "ImageNet2012", "subject_framework": "PyTorch",
    "subject_sdk_version": "2.4", "subject_accelerator_count": 1, "subject_conditions_evidence_id": evidence_of(700),
    "baseline_conditions_evidence_id": evidence_of(701),
}  # fmt: skip
FITTING = {
    "precision": "16.16", "batch_size": 256, "dataset": "ImageNet2012", "framework": "PyTorch 2",
    "sdk_version": "2.4.0", "sdk_order": [2, 4],
}  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"precision": "16.32"}, "precision 16.32 instead of 16.16"),
        ({"batch_size": 64}, "batch size 64 instead of 256 through 512"),
        ({"dataset": "Synthetic"}, "dataset Synthetic instead of ImageNet2012"),
        ({"framework": "TensorFlow 2"}, "framework TensorFlow 2 instead of PyTorch"),
        ({"sdk_version": "3.0", "sdk_order": [3]}, "SDK 3.0 instead of 2.4"),
        ({"accelerator_count": 4}, "4 accelerators instead of 1"),
        ({"sdk_version": None, "sdk_order": None}, "no SDK instead of 2.4"),
    ],
)
def test_a_number_that_does_not_fit_the_stated_conditions_checks_nothing(facts: dict[str, Any], said: str) -> None:
    fits = verdict_of(claim(2.5, 2.6, **STATED), [number(1, "X1", 2000, **FITTING), PAIR[1]])
    assert fits["verdict"] == "contradicted", fits["reason"]
    row = verdict_of(claim(2.5, 2.6, **STATED), [number(1, "X1", 2000, **FITTING | facts), PAIR[1]])
    assert (row["verdict"], row["recomputed_low"]) == ("not_checkable", None)
    assert row["reason"].startswith(
        "needs an X1 ResNet-50 training throughput under SDK 2.4; no number in the warehouse fits"
    )
    assert (row["nearest_low"], row["nearest_differences"]) == (1999.5 / 1000.5, [f"X1: {said}"])
    assert f"2,000 items/s against 1,000 items/s gives 1.999 to 2.002, with X1: {said}" in row["reason"]


@pytest.mark.parametrize("unknown", ["precision", "batch_size"])
def test_a_number_that_does_not_say_the_stated_condition_does_not_contradict(unknown: str) -> None:
    vague = [number(1, "X1", 2000, **FITTING | {unknown: None}), PAIR[1]]
    assert verdict_of(claim(2.5, 2.6, **STATED), vague)["verdict"] == "not_checkable"
    assert verdict_of(claim(1.9, 2.1, **STATED), vague)["verdict"] == "confirmed"


@pytest.mark.parametrize(
    "facts",
    [{"model": "ResNet-101"}, {"task": "inference"}, {"metric": "latency"}, {"platform": "X16"}, {"platform": None}],
)
def test_another_model_task_metric_or_platform_is_no_number_of_the_claim(facts: dict[str, Any]) -> None:
    row = verdict_of(claim(1.9, 2.1), [number(1, "X1", 2000) | facts, PAIR[1]])
    assert row["verdict"] == "not_checkable"
    assert row["inputs"] == [evidence_of(2)]
    assert "needs an X1 ResNet-50 training throughput; none in the warehouse; for Y1 there is 1,000" in row["reason"]
    # The claim itself says what the missing number would have to be.
    assert (row["needed_low"], row["needed_high"]) == (999.5 * 1.9, 1000.5 * 2.1)


def test_a_fuller_name_of_the_model_meets_the_claim_and_is_a_difference() -> None:
    fuller = {"model": "ResNet-50 v1.5", "model_family": "ResNet-50"}
    pair = [row | fuller for row in PAIR]
    said = "model ResNet-50 v1.5 instead of ResNet-50"
    row = verdict_of(claim(1.95, 2.05), pair)
    assert (row["verdict"], row["differences"]) == ("confirmed", [said])
    # The very model comes first, and numbers of two models are compared last.
    row = verdict_of(claim(1.95, 2.05), [*PAIR, number(3, "X1", 1500, **fuller)])
    assert (row["verdict"], row["inputs"]) == ("confirmed", [evidence_of(1), evidence_of(2)])
    row = verdict_of(claim(1.95, 2.05), pair[:1])
    assert row["reason"].endswith(
        "none in the warehouse; for X1 there is 2,000 items/s of ResNet-50 v1.5; Y1 would need 975.4 to 1026 items/s"
    )
    reverse = verdict_of(claim(1.95, 2.05, model="ResNet-50 v1.5"), PAIR)
    assert reverse["verdict"] == "not_checkable"


@pytest.mark.parametrize(
    ("name", "facts"), [("model", {"model": "ResNet-50 LARS"}), ("platform", {"platform": "X1 80GB"})]
)
def test_what_is_there_under_a_fuller_name_is_the_nearest(name: str, facts: dict[str, Any]) -> None:
    wanted = {"model": "ResNet-50", "platform": "X1"}[name]
    row = verdict_of(claim(1.95, 2.05), [PAIR[0] | {"model_family": "ResNet-50 LARS"} | facts, PAIR[1]])
    assert row["verdict"] == "not_checkable"
    assert "none" not in row["reason"]
    assert row["nearest_differences"] == [f"X1: {name} {facts[name]} instead of {wanted}"]


def test_what_was_printed_after_the_claim_does_not_check_it() -> None:
    documents = [document(POST, "2024-02-01"), document(TABLE, "2024-03-01")]
    row = verdict_of(claim(2.5, 2.6), PAIR, raw__documents=documents)
    assert row["verdict"] == "not_checkable"
    assert row["nearest_differences"] == [f"{name}: printed later, on 2024-03-01" for name in ("X1", "Y1")]


def test_another_system_of_the_same_chip_gives_the_nearest_ratio() -> None:
    chips = {"X1": "X", "X16": "X", "Y1": "Y", "DGX": "Y 80GB"}
    names = [row | {"chip": chips.get(row["name"]), "vendor": row["name"][0]} for row in NAMES]
    rows = [number(1, "X1", 2000), number(2, "DGX", 1000, accelerator_count=1), number(3, "DGX", 7000)]
    row = verdict_of(claim(2.5, 2.6), rows, resolved__names=names)
    assert (row["verdict"], row["grade"], row["recomputed_low"]) == ("not_checkable", None, None)
    assert (row["nearest_low"], row["nearest_high"]) == (1999.5 / 1000.5, 2000.5 / 999.5)
    assert row["nearest_differences"] == ["Y1: platform DGX instead of Y1"]
    assert row["nearest_inputs"] == [evidence_of(1), evidence_of(2)]


@pytest.mark.parametrize(
    ("printed", "share", "subject", "baseline", "verdict", "interpretation"),
    [
        # Bow Pod16 and DGX A100 on ResNet-50 in MLPerf v2.0: 0.6845 of the time.
        ("31%", 0.31, 19.635, 28.685, "confirmed", "time, rounded down"),
        ("32%", 0.32, 19.635, 28.685, "confirmed", "time"),
        ("46%", 0.46, 19.635, 28.685, "confirmed", "rate"),
        ("40%", 0.40, 19.635, 28.685, "contradicted", None),
    ],
)
def test_a_share_is_read_as_a_rate_and_as_a_time(
    printed: str, share: float, subject: float, baseline: float, verdict: str, interpretation: str | None
) -> None:
    times = [
        number(place, platform, minutes, 0.0005, metric="time_to_train", unit="min")
        for place, platform, minutes in ((1, "X1", subject), (2, "Y1", baseline))
    ]
    made = claim(1 + share, 1 + share, metric="time_to_train", text_printed=printed)
    row = verdict_of(made | {"factor": 1 + share}, times)
    assert (row["verdict"], row["interpretation"]) == (verdict, interpretation), row["reason"]


@pytest.mark.parametrize(
    ("facts", "grade"),
    [({}, "same"), ({"framework": "JAX", "precision": "FP8"}, "close"), ({"dataset": "ImageNet"}, "indicative")],
)
def test_what_differs_lowers_the_grade(facts: dict[str, Any], grade: str) -> None:
    ours = {"framework": "PyTorch", "precision": "FP16", "dataset": "Synthetic"}
    row = verdict_of(claim(1.95, 2.05), [number(1, "X1", 2000, **ours), number(2, "Y1", 1000, **ours | facts)])
    assert (row["verdict"], row["grade"]) == ("confirmed", grade)


def test_two_vendors_run_each_side_in_their_own_way() -> None:
    rows = [number(1, "X1", 2000, framework="PyTorch", vendor="X"), number(2, "Y1", 1000, framework="JAX", vendor="Y")]
    row = verdict_of(claim(2.5, 2.6), rows)
    assert (row["verdict"], row["grade"]) == ("contradicted", "close")
    assert verdict_of(claim(2.5, 2.6), [r | {"vendor": "X"} for r in rows])["verdict"] == "not_checkable"


def test_what_a_later_snapshot_restated_does_not_count() -> None:
    documents = [
        document(POST, "2024-02-01"), document(TABLE, "2023-01-01", source="a/b"),
        document(OTHER, "2023-06-01", source="a/b"),
    ]  # fmt: skip
    restated = number(3, "X1", 2600, document_id=document_of(OTHER), benchmark_key=evidence_of(1))
    row = verdict_of(claim(1.9, 2.1), [*PAIR, restated], raw__documents=documents)
    assert row["verdict"] == "contradicted"
    assert row["reason"].startswith("2,600 items/s against 1,000 items/s")


def test_numbers_that_differ_agree_with_a_word_of_warning_and_never_accuse() -> None:
    theirs = number(2, "Y1", 1000, document_id=document_of(OTHER), precision="mixed", batch_size=64)
    pair = [number(1, "X1", 2000, precision="16.16", batch_size=256), theirs]
    said = ["batch size 256 against 64", "precision 16.16 against mixed", "published by acme against rival"]
    agreeing = verdict_of(claim(1.9, 2.1), pair)
    assert (agreeing["verdict"], agreeing["differences"]) == ("confirmed", said)
    other = verdict_of(claim(2.5, 2.6), pair)
    assert (other["verdict"], other["differences"]) == ("not_checkable", said)
    assert "differ in what may explain it" in other["reason"]
    # What the document itself prints is what it has to stand for.
    own = [row | {"document_id": document_of(POST)} for row in pair]
    assert verdict_of(claim(2.5, 2.6), own)["verdict"] == "contradicted"


def test_another_workload_is_no_comparison() -> None:
    pair = [number(1, "X1", 2000, sequence_length=128), number(2, "Y1", 1000, sequence_length=512)]
    row = verdict_of(claim(1.9, 2.1), pair)
    assert row["verdict"] == "not_checkable"
    assert "workload sequence length 128 against sequence length 512" in row["reason"]


def test_images_and_sequences_are_no_comparison() -> None:
    row = verdict_of(claim(1.9, 2.1), [PAIR[0] | {"item": "images"}, PAIR[1] | {"item": "sequences"}])
    assert row["verdict"] == "not_checkable"
    assert "images against sequences" in row["reason"]


def test_a_claim_without_a_task_never_holds_training_against_inference() -> None:
    row = verdict_of(claim(1.9, 2.1, task=None), [PAIR[0], PAIR[1] | {"task": "inference"}])
    assert (row["verdict"], row["recomputed_low"]) == ("not_checkable", None)


def test_of_many_numbers_the_claim_means_like_for_like_or_the_best() -> None:
    curves = [
        number(10 * side + size, platform, value, batch_size=size)
        for side, platform, values in ((1, "X1", (1000, 3000)), (2, "Y1", (400, 1000)))
        for size, value in zip((1, 8), values, strict=True)
    ]
    for factor, verdict in ((2.5, "confirmed"), (3.0, "confirmed"), (7.5, "not_checkable"), (9.0, "contradicted")):
        row = verdict_of(claim(factor - 0.05, factor + 0.05), curves)
        assert row["verdict"] == verdict, (factor, row["reason"])
    lowest = claim(2.45, 2.55, conditions="at lowest latency")
    assert verdict_of(lowest, curves)["reason"].startswith("1,000 items/s against 400 items/s")
    best = claim(2.95, 3.05, conditions="at the lowest latency")
    assert verdict_of(best, curves)["verdict"] == "not_checkable"


LINEAR = {
    "subject_platform": "X16", "baseline_platform": "DGX", "metric": "time_to_train", "baseline_accelerator_count": 16,
}  # fmt: skip


def test_two_systems_are_taken_from_one_where_the_claim_assumes_linear_scaling() -> None:
    times = [
        number(1, "X16", 10, metric="time_to_train", unit="s"), number(2, "DGX", 100, metric="time_to_train", unit="s"),
    ]  # fmt: skip
    assumed = claim(4.95, 5.05, conditions="Assume linear scaling from 1x to 2x DGX", **LINEAR)
    row = verdict_of(assumed, times)
    assert row["verdict"] == "confirmed"
    assert (row["recomputed_low"], row["recomputed_high"]) == (99.5 / 2 / 10.5, 100.5 / 2 / 9.5)
    assert row["assumption"] == "scaling is linear: 2 DGX do 2 times the work of one"
    # At this efficiency of two systems even the most favourable reading falls below 4.95.
    assert row["break_even"] == pytest.approx(100.5 / 2 / 9.5 / 4.95)
    assert (row["assumed_value"], row["assumption_unit"], row["break_even_basis"]) == (1, "ratio", "numbers")
    silent = verdict_of(claim(4.95, 5.05, **LINEAR), times)
    assert (silent["verdict"], silent["assumption"]) == ("not_checkable", None)
    assert "8 accelerators instead of 16" in silent["reason"]


def test_price_performance_is_recomputed_and_breaks_even_at_a_price() -> None:
    per_dollar = claim(3.9, 4.1, metric="performance_per_dollar")
    prices = [price(51, "X1", 100_000), price(52, "Y1", 200_000, 50_000, "approx")]
    row = verdict_of(per_dollar, PAIR, resolved__prices=prices)
    assert row["verdict"] == "confirmed"
    assert (row["kind"], row["assumption"]) == ("price_performance", "Y1 costs about 200,000 USD")
    assert row["recomputed_low"] == pytest.approx(1999.5 / 1000.5 * 150_000 / 100_000.5)
    assert row["recomputed_high"] == pytest.approx(2000.5 / 999.5 * 250_000 / 99_999.5)
    assert row["break_even"] == pytest.approx(3.9 / (2000.5 / 999.5) * 99_999.5)
    assert row["break_even_parity"] == pytest.approx(1 / (2000.5 / 999.5) * 99_999.5)
    assert row["inputs"] == [evidence_of(place) for place in (1, 2, 51, 52)]
    without = verdict_of(per_dollar, [], resolved__prices=prices)
    assert (without["verdict"], without["break_even_basis"]) == ("not_checkable", "claim")
    assert without["break_even"] == pytest.approx(200_000 * 3.9 / 4.0)
    assert without["inputs"] == [evidence_of(51), evidence_of(52)]


def test_a_price_is_held_against_list_prices() -> None:
    half = claim(1.95, 2.05, metric="price", model=None, task=None)
    prices = [price(51, "X1", 100_000), price(52, "Y1", 200_000)]
    assert verdict_of(half, [], resolved__prices=prices)["verdict"] == "confirmed"
    third = claim(2.95, 3.05, metric="price", model=None, task=None)
    row = verdict_of(third, [], resolved__prices=prices)
    assert (row["verdict"], row["kind"]) == ("contradicted", "price")


def test_a_gain_since_a_release_is_one_benchmark_under_two_releases() -> None:
    gain = claim(1.95, 2.05, subject_platform=None, baseline_platform=None, baseline_sdk_version="1.4")
    key = {"benchmark_key": evidence_of(77)}
    old = number(1, "X1", 1000, sdk_version="1.4.0", sdk_order=[1, 4], **key)
    new = number(2, "X1", 2000, sdk_version="2.1", sdk_order=[2, 1], **key)
    elsewhere = number(3, "Y1", 5000, sdk_version="2.1", sdk_order=[2, 1])
    row = verdict_of(gain, [old, new, elsewhere])
    assert (row["verdict"], row["kind"]) == ("confirmed", "release_gain")
    assert row["inputs"] == [evidence_of(1), evidence_of(2)]
    missing = verdict_of(gain, [new, elsewhere])
    assert missing["reason"].startswith("needs a ResNet-50 training throughput under SDK 1.4; no number")


def bars(*values: float) -> Rows:
    return [
        number(place, None, value, document_id=document_of(POST), section_line=3, extractor="slides")
        for place, value in enumerate(values, 1)
    ]


@pytest.mark.parametrize(
    ("values", "low", "high", "verdict"),
    [
        ((58, 581, 595), 9.5, 10.5, "confirmed"),
        ((58, 581), 9.5, 10.5, "confirmed"),
        ((58, 581, 595), 17.5, 18.5, "contradicted"),
        ((58, 595), 10.15, 10.16, "contradicted"),
        # One bar has no other to be held against, and many are a curve.
        ((581,), 9.5, 10.5, "not_checkable"),
        ((58, 100, 200, 400, 581), 9.5, 10.5, "not_checkable"),
    ],
)
def test_of_bars_without_names_the_worst_is_the_baseline(
    values: tuple[float, ...], low: float, high: float, verdict: str
) -> None:
    row = verdict_of(claim(low, high, section_line=3), bars(*values))
    assert row["verdict"] == verdict, row["reason"]
    assert row["kind"] == (None if verdict == "not_checkable" else "bars_without_names")


def test_bars_check_the_same_claim_elsewhere_and_no_other() -> None:
    on_slide = claim(9.5, 10.5, section_line=3)
    same = claim(9.5, 10.5, claim_id=evidence_of(901), document_id=document_of(OTHER))
    other = claim(17.5, 18.5, claim_id=evidence_of(902), document_id=document_of(OTHER))
    documents = [document(POST, "2024-01-01"), document(OTHER, "2024-01-01")]
    rows = verdicts_of([on_slide, same, other], bars(58, 581), raw__documents=documents)
    assert {row["claim_id"]: row["verdict"] for row in rows} == {
        evidence_of(900): "confirmed", evidence_of(901): "confirmed", evidence_of(902): "not_checkable",
    }  # fmt: skip


def test_runs_and_epochs_of_a_log_check_the_claims_of_their_document() -> None:
    runs = [
        {
            "run_id": evidence_of(run), "document_id": document_of(POST), "evidence_id": evidence_of(run), "line": run,
            "accelerator": platform, "accelerator_count": 1, "batch_size": 10, "epochs": 3, "training_time_s": 300,
        }
        for run, platform in ((1, "X1"), (2, "Y1"))
    ]  # fmt: skip
    epochs = [
        {
            "run_id": evidence_of(run), "epoch": epoch, "document_id": document_of(POST), "line": run * 10 + epoch,
            "evidence_id": evidence_of(run * 10 + epoch), "epoch_time_s": time, "loss_is_nan": False,
        }
        for run, times in ((1, (90, 20, 20)), (2, (95, 40, 40)))
        for epoch, time in enumerate(times, 1)
    ]  # fmt: skip
    faster = claim(1.95, 2.05, metric="epoch_time", model=None)
    log = {"resolved__training_runs": runs, "resolved__training_epochs": epochs}
    row = verdict_of(faster, [], **log)
    assert (row["verdict"], row["recomputed_low"]) == ("confirmed", 39.5 / 20.5)
    assert row["inputs"] == [evidence_of(place) for place in (12, 13, 22, 23)]
    elsewhere = faster | {"document_id": document_of(TABLE)}
    assert verdict_of(elsewhere, [], **log)["verdict"] == "not_checkable"


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"metric": None}, "does not say what is compared"),
        ({"subject_platform": None}, "does not say which system it praises"),
        ({"baseline_platform": None}, "does not say what X1 is compared with"),
        ({"baseline_platform": "X1"}, "compares X1 with itself"),
    ],
)
def test_a_claim_that_leaves_out_what_it_compares_is_not_checkable(facts: dict[str, Any], said: str) -> None:
    row = verdict_of(claim(1.95, 2.05, **facts), [*PAIR, number(3, "X1", 1000)])
    assert row["verdict"] == "not_checkable"
    assert said in row["reason"]


def test_a_claim_of_a_percentile_is_held_against_that_percentile_alone() -> None:
    made = claim(1.95, 2.05, metric="latency", statistic="p99")
    others = [number(1, "X1", 10, metric="latency"), number(2, "Y1", 20, metric="latency", statistic="p50")]
    assert verdict_of(made, others)["verdict"] == "not_checkable"
    tails = [
        number(1, "X1", 10, metric="latency", statistic="p99"),
        number(2, "Y1", 20, metric="latency", statistic="p99"),
    ]
    assert verdict_of(made, tails)["verdict"] == "confirmed"
    assert verdict_of(claim(1.95, 2.05, metric="latency"), tails)["verdict"] == "not_checkable"
    means = [row | {"statistic": "mean"} for row in tails]
    assert verdict_of(claim(1.95, 2.05, metric="latency"), means)["verdict"] == "confirmed"
