"""Claims held against given numbers: what agrees, what speaks against a claim, and what is not
enough to say.
"""

from __future__ import annotations

from datetime import date
from math import inf
from typing import Any

import pytest
from sql.given_rows import Given, Rows, document_of, evidence_of, made_of

POST, TABLE, OTHER = 1, 2, 3

METRICS = {
    "throughput": "higher", "latency": "lower", "time_to_train": "lower", "time_to_result": "lower",
    "epoch_time": "lower", "price": "lower", "performance_per_dollar": "higher",
}  # fmt: skip
PLATFORMS = {"X1": 1, "Y1": 1, "X16": 16, "DGX": 8}
NAMES = [
    {"kind": "metrics", "name_printed": name, "name": name, "better": better, "is_family": False}
    for name, better in METRICS.items()
] + [
    {"kind": "platforms", "name_printed": name, "name": name, "chips": chips, "is_family": False}
    for name, chips in PLATFORMS.items()
]


def document(
    number: int, day: str | None, publisher: str = "acme", source: str | None = None
) -> dict[str, Any]:
    published = date.fromisoformat(day) if day else None
    return {
        "document_id": document_of(number), "source": source or f"{publisher}/{number}", "publisher": publisher,
        "published_on": published, "snapshot_on": published or date(2026, 1, 1),
    }  # fmt: skip


DOCUMENTS = [
    document(POST, "2024-02-01"),
    document(TABLE, "2024-01-01"),
    document(OTHER, "2024-01-01", "rival"),
]


def claim(low: float, high: float, **facts: Any) -> dict[str, Any]:
    return {
        "claim_id": evidence_of(900), "document_id": document_of(POST), "evidence_id": evidence_of(900), "line": 5,
        "task": "training", "model": "ResNet-50", "subject_platform": "X1", "baseline_platform": "Y1",
        "metric": "throughput", "factor": low if high == inf else high if low == 0 else (low + high) / 2,
        "factor_low": low, "factor_high": high, "bound": "eq", "repeat_evidence_ids": [], "text_printed": "2x",
        "extractor": "claim_prose", "subject_basis": "comparison", "baseline_basis": "comparison",
    } | facts  # fmt: skip


def number(
    place: int, platform: str | None, value: float, half: float = 0.5, **facts: Any
) -> dict[str, Any]:
    return {
        "result_id": evidence_of(place), "evidence_id": evidence_of(place), "document_id": document_of(TABLE),
        "line": place, "task": "training", "model": "ResNet-50", "platform": platform, "metric": "throughput",
        "value": value, "value_low": value - half, "value_high": value + half, "bound": "eq",
        "unit": "items/s", "value_printed": f"{value:,.0f}", "extractor": "results_page",
        "benchmark_key": evidence_of(place), "accelerator_count": PLATFORMS.get(platform or ""),
    } | facts  # fmt: skip


def price(
    place: int, platform: str, usd: float, half: float = 0.5, bound: str = "eq"
) -> dict[str, Any]:
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


def pair(subject: float = 2000, baseline: float = 1000, half: float = 0.5, **facts: Any) -> Rows:
    """A number of each side."""
    return [number(1, "X1", subject, half, **facts), number(2, "Y1", baseline, half, **facts)]


def two(ours: dict[str, Any], theirs: dict[str, Any], **both: Any) -> Rows:
    """A number of each side, with what is known of each."""
    return [row | facts for row, facts in zip(pair(**both), (ours, theirs), strict=True)]


def recomputed(low: float, high: float) -> dict[str, float]:
    return {"recomputed_low": low, "recomputed_high": high}


# By name: a claim, the results, the columns of its verdict (words of the reason), and other given
# tables.
CASES: dict[
    str,
    tuple[dict[str, Any], Rows, dict[str, Any]]
    | tuple[dict[str, Any], Rows, dict[str, Any], Given],
] = {}
YES, NO, NOT_ENOUGH = (
    {"verdict": "confirmed"},
    {"verdict": "contradicted"},
    {"verdict": "not_checkable"},
)
TWICE, MORE, EXACT = claim(1.9, 2.1), claim(2.5, 2.6), claim(1.95, 2.05)
PAIR, BOTH = pair(), {"inputs": [evidence_of(1), evidence_of(2)]}
GIVES = (
    BOTH
    | recomputed(1999.5 / 1000.5, 2000.5 / 999.5)
    | {"reason": "2,000 items/s against 1,000 items/s gives 1.999"}
)
HOURS = {"metric": "time_to_train", "unit": "h"}
BELOW = [
    number(1, "X1", 3, value_low=0.0, value_high=3.0, bound="lt", **HOURS), number(2, "Y1", 48, **HOURS),
]  # fmt: skip

# The intervals meet, or they do not.
CASES |= {
    f"{low} to {high} {verdict['verdict']}": (
        claim(low, high, bound=bound, text_printed=f"{high}x"), PAIR, GIVES | verdict
    )
    for low, high, bound, verdict in (
        (1.95, 2.05, "eq", YES), (2.55, 2.65, "eq", NO), (1.35, 1.45, "eq", NO), (1.8, inf, "gt", YES),
        (2.1, inf, "gt", NO), (0.0, 3.2, "up_to", YES), (0.0, 1.9, "up_to", NO),
    )
} | {
    "a bound that agrees": (
        claim(16.5, 17.5, metric="time_to_train"), BELOW, {"verdict": "consistent"} | recomputed(47.5 / 3, inf)
    ),
    "a bound that does not": (claim(1.65, 1.75, metric="time_to_train"), BELOW, NO),
    # It has the rounding of its last digit, and is no loss.
    # Printed as 2 kseq/s and 1 kseq/s
    "another printed unit": (
        claim(1.95, 2.05), [number(1, "X1", 2000) | {"value_printed": "2"}, number(2, "Y1", 1000) | {"value_printed": "<1"}],
        YES | {"reason": "2000 items/s against 1000 items/s"},
    ),
    "up to, rounded": (claim(0.0, 1.9, bound="up_to", text_printed="1.9x"), pair(1902), YES),
    "up to, not rounded": (claim(0.0, 1.9, bound="up_to", text_printed="1.9x"), pair(1960), NO),
    "up to, slower": (claim(0.0, 3.2, bound="up_to"), pair(500), NO),
} | {
    f"of {metric} the smaller is better": (
        claim(1.95, 2.05, metric=metric), pair(10, 20, metric=metric, unit="s"),
        YES | recomputed(19.5 / 10.5, 20.5 / 9.5),
    )
    for metric in ("latency", "time_to_train")
}  # fmt: skip

# Bars of a slide.


def bars(*values: float, names: tuple[str | None, ...] = (None,) * 5, line: int = 3) -> Rows:
    return [
        number(
            place, name, value, document_id=document_of(POST), section_line=line, extractor="slides"
        )
        for place, (name, value) in enumerate(zip(names, values, strict=False), 1)
    ]


def on_slide(low: float, high: float, line: int = 3) -> dict[str, Any]:
    return claim(low, high, section_line=line, extractor="slides")


UNNAMED = {"kind": "bars_without_names"}
CASES |= {
    # The worst bar is the subject's: by their lengths alone the sides would be taken the wrong way
    # round.
    "named bars": (
        on_slide(9.5, 10.5),
        bars(58, 581, names=("X1", "Y1")),
        NO | {"kind": "results"},
    ),
    # A bar says nothing of another slide's claim.
    "bars of another slide": (
        on_slide(17.5, 18.5, 2),
        bars(581, 58, names=("X1", "Y1")),
        NOT_ENOUGH,
    ),
    "three bars": (on_slide(9.5, 10.5), bars(58, 581, 595), YES | UNNAMED),
    "two bars": (on_slide(9.5, 10.5), bars(58, 581), YES | UNNAMED),
    "three other bars": (on_slide(17.5, 18.5), bars(58, 581, 595), NO | UNNAMED),
    "two other bars": (on_slide(10.15, 10.16), bars(58, 595), NO | UNNAMED),
    # One bar has no other to be held against, and many are a curve.
    "one bar": (on_slide(9.5, 10.5), bars(581), NOT_ENOUGH | {"kind": None}),
    "many bars": (on_slide(9.5, 10.5), bars(58, 100, 200, 400, 581), NOT_ENOUGH | {"kind": None}),
}

# Stated conditions.

STATED = claim(2.5, 2.6) | {
    "subject_precision": "16.16", "subject_batch_size_low": 256, "subject_batch_size_high": 512,
    "subject_batch_sizes_printed": "256 through 512", "subject_dataset": "ImageNet2012", "subject_framework": "PyTorch",
    "subject_sdk_version": "2.4", "subject_accelerator_count": 1, "subject_conditions_evidence_id": evidence_of(700),
    "baseline_conditions_evidence_id": evidence_of(701),
}  # fmt: skip
FITTING = {
    "precision": "16.16", "batch_size": 256, "dataset": "ImageNet2012", "framework": "PyTorch 2",
    "sdk_version": "2.4.0", "sdk_order": [2, 4, 0],
}  # fmt: skip
AS_TWICE = STATED | {"factor": 2.0, "factor_low": 1.9, "factor_high": 2.1}
CASES |= {
    said: (STATED, two(FITTING | facts, {}), NOT_ENOUGH | recomputed(None, None) | {
        "nearest_low": 1999.5 / 1000.5, "nearest_differences": [f"X1: {said}"], "reason": (
            "needs an X1 ResNet-50 training throughput under SDK 2.4; no matching number in the warehouse",
            f"2,000 items/s against 1,000 items/s gives 1.999 to 2.002, with X1: {said}",
        ),
    })
    for facts, said in (
        ({"precision": "16.32"}, "precision 16.32 instead of 16.16"),
        ({"batch_size": 64}, "batch size 64 instead of 256 through 512"),
        ({"dataset": "Synthetic"}, "dataset Synthetic instead of ImageNet2012"),
        ({"framework": "TensorFlow 2"}, "framework TensorFlow 2 instead of PyTorch"),
        ({"sdk_version": "3.0", "sdk_order": [3, 0]}, "SDK 3.0 instead of 2.4"),
        ({"accelerator_count": 4}, "accelerators 4 instead of 1"),
        ({"sdk_version": None, "sdk_order": None}, "SDK not stated instead of 2.4"),
    )
} | {
    "a number as stated": (STATED, two(FITTING, {}), NO),
    # What a number does not say does not contradict.
    "no precision": (STATED, two(FITTING | {"precision": None}, {}), NOT_ENOUGH),
    "no precision, and near": (AS_TWICE, two(FITTING | {"precision": None}, {}), YES),
    "no batch size": (STATED, two(FITTING | {"batch_size": None}, {}), NOT_ENOUGH),
    "no batch size, and near": (AS_TWICE, two(FITTING | {"batch_size": None}, {}), YES),
}  # fmt: skip

# Other models, tasks, metrics, platforms, days.

FULLER = {"model": "ResNet-50 v1.5", "model_family": "ResNet-50"}
LARS = {"model_family": "ResNet-50 LARS"}
LATER = {"raw__documents": [document(POST, "2024-02-01"), document(TABLE, "2024-03-01")]}
RESTATED = {"raw__documents": [
    document(POST, "2024-02-01"), document(TABLE, "2023-01-01", source="a/b"),
    document(OTHER, "2023-06-01", source="a/b"),
]}  # fmt: skip
FRAMEWORKS = {"resolved__names": [
    *NAMES, {"kind": "frameworks", "name_printed": "PyTorch", "name": "PyTorch", "is_family": False}
]}  # fmt: skip
CHIPS = {"X1": "X", "X16": "X", "Y1": "Y", "DGX": "Y 80GB"}
OF_CHIPS = {
    "resolved__names": [
        row | {"chip": CHIPS.get(row["name"]), "vendor": row["name"][0]} for row in NAMES
    ]
}
CASES |= {
    f"another {name}": (TWICE, two({name: value}, {}), NOT_ENOUGH | {
        "inputs": [evidence_of(2)],
        # The claim itself says what the missing number would have to be.
        "needed_low": 999.5 * 1.9, "needed_high": 1000.5 * 2.1,
        "reason": "needs an X1 ResNet-50 training throughput; none in the warehouse; for Y1 there is 1,000",
    })
    for name, value in (
        ("model", "ResNet-101"), ("task", "inference"), ("metric", "latency"), ("platform", "X16"),
    )
} | {
    "no platform": (TWICE, two({"platform": None}, {}), NOT_ENOUGH | {"inputs": [evidence_of(2)]}),
    "a fuller name of the model": (
        EXACT, pair(**FULLER), YES | {"differences": ["model ResNet-50 v1.5 instead of ResNet-50"]}
    ),
    # The very model comes first, and numbers of two models are compared last.
    "the very model": (EXACT, [*PAIR, number(3, "X1", 1500, **FULLER)], YES | BOTH),
    "a fuller name on one side": (EXACT, pair(**FULLER)[:1], {
        "reason": "none in the warehouse; for X1 there is 2,000 items/s of ResNet-50 v1.5; Y1 would need 975.4 to 1026"
    }),
    "a shorter name": (claim(1.95, 2.05, model="ResNet-50 v1.5"), PAIR, NOT_ENOUGH),
    # What is there under a fuller name is the nearest.
    "another variant": (EXACT, two(LARS | {"model": "ResNet-50 LARS"}, {}), NOT_ENOUGH | {
        "nearest_differences": ["X1: model ResNet-50 LARS instead of ResNet-50"]
    }),
    "a fuller platform": (EXACT, two(LARS | {"platform": "X1 80GB"}, {}), NOT_ENOUGH | {
        "nearest_differences": ["X1: platform X1 80GB instead of X1"]
    }),
    "printed later": (MORE, PAIR, NOT_ENOUGH | {
        "nearest_differences": [f"{name}: printed later, on 2024-03-01" for name in ("X1", "Y1")]
    }, LATER),
    "another system of the same chip": (
        MORE, [number(1, "X1", 2000), number(2, "DGX", 1000, accelerator_count=1), number(3, "DGX", 7000)],
        NOT_ENOUGH | recomputed(None, None) | {
            "grade": None, "nearest_low": 1999.5 / 1000.5, "nearest_high": 2000.5 / 999.5,
            "nearest_differences": ["Y1: platform DGX instead of Y1"], "nearest_inputs": BOTH["inputs"],
        }, OF_CHIPS,
    ),
    "restated in a later snapshot": (
        TWICE, [*PAIR, number(3, "X1", 2600, document_id=document_of(OTHER), benchmark_key=evidence_of(1))],
        NO | {"reason": "2,600 items/s against 1,000 items/s"}, RESTATED,
    ),
    "another workload": (TWICE, two({"sequence_length": 128}, {"sequence_length": 512}), NOT_ENOUGH | {
        "reason": "workload sequence length 128 against sequence length 512"
    }),
    "other items": (TWICE, two({"item": "images"}, {"item": "sequences"}), NOT_ENOUGH | {
        "reason": "images against sequences"
    }),
    # A claim without a task never holds training against inference.
    "no task": (TWICE | {"task": None}, two({}, {"task": "inference"}), NOT_ENOUGH | recomputed(None, None)),
}  # fmt: skip

# Shares, grades, percentiles.

PYTORCH = {"framework": "PyTorch", "precision": "FP16", "dataset": "Synthetic"}
VENDORS = two({"framework": "PyTorch", "vendor": "X"}, {"framework": "JAX", "vendor": "Y"})
RIVAL = two(
    {"precision": "16.16", "batch_size": 256},
    {"document_id": document_of(OTHER), "precision": "mixed", "batch_size": 64},
)
DIFFERENCES = [
    "batch size 256 against 64",
    "precision 16.16 against mixed",
    "published by acme against rival",
]
LATENCY, P99 = claim(1.95, 2.05, metric="latency"), {"statistic": "p99"}
CASES |= {
    f"a share of {printed}": (
        claim(1 + share, 1 + share, metric="time_to_train", text_printed=printed, factor=1 + share),
        # Bow Pod16 and DGX A100 on ResNet-50 in MLPerf v2.0: 0.6845 of the time.
        pair(19.635, 28.685, 0.0005, metric="time_to_train", unit="min"), verdict | {"interpretation": meant},
    )
    for printed, share, verdict, meant in (
        ("31%", 0.31, YES, "time, rounded down"), ("32%", 0.32, YES, "time"), ("46%", 0.46, YES, "rate"),
        ("40%", 0.40, NO, None),
    )
} | {
    f"grade {grade}": (EXACT, two(PYTORCH, PYTORCH | facts), YES | {"grade": grade})
    for facts, grade in (
        ({}, "same"), ({"framework": "JAX", "precision": "FP8"}, "close"), ({"dataset": "ImageNet"}, "indicative"),
    )
} | {
    # Parallelism is how a side was run: it is listed, lowers the grade, and forbids no verdict
    # between two vendors.
    "another parallelism": (EXACT, two({"tensor_parallel": 8}, {"tensor_parallel": 4}), YES | {
        "grade": "close", "differences": ["tensor parallel 8 against 4"],
    }),
    "a parallelism of one side": (MORE, two({"tensor_parallel": 8}, {}), NOT_ENOUGH | {
        "differences": ["tensor parallel 8 against not stated"],
    }),
    "parallelism of two vendors": (
        MORE, two({"tensor_parallel": 8, "vendor": "X"}, {"tensor_parallel": 4, "vendor": "Y"}), NO | {"grade": "close"}
    ),
    # Two vendors run each side in their own way.
    "two vendors": (MORE, VENDORS, NO | {"grade": "close"}),
    "one vendor": (MORE, [row | {"vendor": "X"} for row in VENDORS], NOT_ENOUGH),
    # Numbers that differ agree with a word of warning, and never accuse.
    "what differs agrees": (TWICE, RIVAL, YES | {"differences": DIFFERENCES}),
    "what differs disagrees": (MORE, RIVAL, NOT_ENOUGH | {
        "differences": DIFFERENCES, "reason": "other differences may explain it"
    }),
    # What the document itself prints is what it has to stand for.
    "a baseline of the text around": (MORE | {"baseline_basis": "context"}, PAIR, NOT_ENOUGH | {
        "reason": "gives 1.999 to 2.002, not 2.5 to 2.6, but the comparison itself does not state the baseline"
    }),
    "a subject of the text around": (MORE | {"subject_basis": "context"}, PAIR, NOT_ENOUGH | {
        "reason": "does not state the subject"
    }),
    "a baseline of the text around, and near": (EXACT | {"baseline_basis": "context"}, PAIR, YES),
    "its own numbers": (MORE, [row | {"document_id": document_of(POST)} for row in RIVAL], NO),
    "another percentile": (LATENCY | P99, two({}, {"statistic": "p50"}, metric="latency"), NOT_ENOUGH),
    "the same percentile": (LATENCY | P99, pair(10, 20, metric="latency", **P99), YES),
    "a percentile where none is claimed": (LATENCY, pair(10, 20, metric="latency", **P99), NOT_ENOUGH),
    "a mean where none is claimed": (LATENCY, pair(10, 20, metric="latency", statistic="mean"), YES),
} | {
    said: (EXACT | facts, [*PAIR, number(3, "X1", 1000)], NOT_ENOUGH | {"reason": said})
    for facts, said in (
        ({"metric": None}, "does not state its metric"),
        ({"subject_platform": None}, "does not name the system that it favours"),
        ({"baseline_platform": None}, "does not state what X1 is compared with"),
        ({"baseline_platform": "X1"}, "compares X1 with itself"),
        (
            {"subject_platform": None, "subject_printed": "FlashFoo", "subject_basis": "other",
             "baseline_platform": None, "baseline_printed": "FooAttn", "baseline_basis": "other"},
            "the claim compares FlashFoo with FooAttn, which are no platforms",
        ),
    )
}  # fmt: skip

# Of many numbers the claim means like for like, or the best.

CURVES = [
    number(10 * side + size, platform, value, batch_size=size)
    for side, platform, values in ((1, "X1", (1000, 3000)), (2, "Y1", (400, 1000)))
    for size, value in zip((1, 8), values, strict=True)
]
CASES |= {
    f"{factor} of two curves": (claim(factor - 0.05, factor + 0.05), CURVES, verdict)
    for factor, verdict in ((2.5, YES), (3.0, YES), (7.5, NOT_ENOUGH), (9.0, NO))
} | {
    "at lowest latency": (
        claim(2.45, 2.55, conditions="at lowest latency"), CURVES, {"reason": "1,000 items/s against 400 items/s"}
    ),
    "at the lowest latency, the best": (claim(2.95, 3.05, conditions="at the lowest latency"), CURVES, NO),
}  # fmt: skip

# What a claim states of both sides holds for each number, the nearest ones included.

LOWEST = {"conditions": "at lowest latency", "task": "inference"}
AT_ONE = {"sentence": "The X1 is 2.5x faster than the Y1 at batch size 1"}
INFERRED = [row | {"task": "inference"} for row in CURVES]
LATER_CURVES = [row | {"document_id": document_of(OTHER)} for row in INFERRED]
OTHER_LATER = {"raw__documents": [document(POST, "2024-02-01"), document(OTHER, "2024-06-01")]}
LATER_DAYS = ["X1: printed later, on 2024-06-01", "Y1: printed later, on 2024-06-01"]
PEAK = number(5, "X1", 9000, task="inference")
TUNED = [row | {"configuration": "higher throughput"} for row in INFERRED[:1]]
CASES |= {
    "the nearest at lowest latency": (claim(2.95, 3.05, **LOWEST), LATER_CURVES, NOT_ENOUGH | {
        "nearest_low": 999.5 / 400.5, "nearest_high": 1000.5 / 399.5,
        "nearest_differences": LATER_DAYS,
    }, OTHER_LATER),
    "needed at lowest latency": (
        claim(4.0, 5.0, **LOWEST), INFERRED[:2], {"needed_low": 999.5 / 5, "needed_high": 1000.5 / 4}
    ),
    # Nobody says at which latency a peak was measured.
    "a peak": (claim(4.0, 5.0, **LOWEST), [PEAK], NOT_ENOUGH | {
        "needed_low": None, "inputs": [],
        "reason": "the nearest for X1 is 9,000 items/s (not stated to be at lowest latency)",
    }),
    "tuned for throughput": (claim(2.45, 2.55, **LOWEST), [
        INFERRED[0] | {"value": 700, "value_low": 699.5, "value_high": 700.5, "configuration": "lowest latency"},
        *(row | {"evidence_id": evidence_of(99), "result_id": evidence_of(99)} for row in TUNED), INFERRED[2],
    ], NO | recomputed(699.5 / 400.5, 700.5 / 399.5)),
    "at batch size 1": (claim(2.45, 2.55, **AT_ONE), CURVES, YES | recomputed(999.5 / 400.5, 1000.5 / 399.5)),
    "at batch size 1, the best": (claim(2.95, 3.05, **AT_ONE), CURVES, NO),
    "at a batch size that is not stated": (claim(1.95, 2.05, **AT_ONE), PAIR, NOT_ENOUGH | {
        "reason": "batch size not stated instead of 1"
    }),
    "in another precision": (
        EXACT | {"sentence": "In FP16 the X1 is twice as fast as the Y1"}, pair(precision="INT8"),
        NOT_ENOUGH | {"nearest_low": None, "reason": "precision INT8 instead of FP16"},
    ),
    "with another framework": (
        EXACT | {"conditions": "with PyTorch"}, pair(framework="TensorFlow 2"),
        NOT_ENOUGH | {"nearest_low": None, "reason": "framework TensorFlow 2 instead of PyTorch"}, FRAMEWORKS,
    ),
    "with the framework": (EXACT | {"conditions": "with PyTorch"}, pair(framework="PyTorch 2"), YES, FRAMEWORKS),
    # The nearest numbers are of the day of the claim, then those that differ least.
    "the nearest of the day": (
        MORE, [
            *(row | {"document_id": document_of(OTHER)} for row in PAIR),
            number(3, "X1", 1500, **LARS | {"model": "ResNet-50 LARS"}),
            number(4, "Y1", 500, **LARS | {"model": "ResNet-50 LARS"}),
        ],
        NOT_ENOUGH | {"nearest_low": 1499.5 / 500.5, "nearest_high": 1500.5 / 499.5},
        {"raw__documents": [
            document(POST, "2024-02-01"), document(TABLE, "2024-01-15"), document(OTHER, "2025-01-01"),
        ]},
    ),
    "times of one publisher": (
        claim(16.5, 17.5, metric="time_to_result", subject_sdk_version="1.4"),
        [row | {"document_id": document_of(OTHER)} for row in BELOW],
        {"verdict": "consistent"} | recomputed(47.5 / 3, inf),
        {"raw__documents": [document(POST, "2024-02-01"), document(OTHER, "2024-02-01")]},
    ),
    "times of another publisher": (
        claim(16.5, 17.5, metric="time_to_result"), [row | {"document_id": document_of(OTHER)} for row in BELOW],
        NOT_ENOUGH,
    ),
    "an interval wider than 10%": (EXACT, pair(2000, 1000, 70), {"verdict": "consistent"}),
    "an interval within 10%": (EXACT, pair(2000, 1000, 60), YES),
}  # fmt: skip

# Systems taken from one, prices, releases, logs.

ASSUMED = claim(4.95, 5.05, subject_platform="X16", baseline_platform="DGX", metric="time_to_train",
                baseline_accelerator_count=16)  # fmt: skip
SYSTEMS = [
    number(1, "X16", 10, metric="time_to_train", unit="s"),
    number(2, "DGX", 100, metric="time_to_train", unit="s"),
]
PER_DOLLAR = claim(3.9, 4.1, metric="performance_per_dollar")
PRICES = {
    "resolved__prices": [price(51, "X1", 100_000), price(52, "Y1", 200_000, 50_000, "approx")]
}
LISTED = {"resolved__prices": [price(51, "X1", 100_000), price(52, "Y1", 200_000)]}
OF_PRICE = {"metric": "price", "model": None, "task": None}
GAIN = claim(1.95, 2.05, subject_platform=None, baseline_platform=None, baseline_sdk_version="1.4")
KEY = {"benchmark_key": evidence_of(77)}
OLD = number(1, "X1", 1000, sdk_version="1.4.0", sdk_order=[1, 4, 0], **KEY)
NEW = number(2, "X1", 2000, sdk_version="2.1", sdk_order=[2, 1, 0], **KEY)
ELSEWHERE = number(3, "Y1", 5000, sdk_version="2.1", sdk_order=[2, 1, 0])
RELEASE = {"sdk_version": "2.4", "sdk_order": [2, 4, 0], "document_id": document_of(OTHER)}
AFTER_POST = {
    "raw__documents": [document(POST, "2023-02-01"), *DOCUMENTS[1:2], document(OTHER, "2024-01-01")]
}
ROUNDS = [
    number(place, "X16", minutes, 0.1, metric="time_to_train", unit="min", vendor="acme", suite=suite)
    for place, minutes, suite in (
        (1, 28.3, "MLPerf Training v1.1"), (2, 37.1, "MLPerf Training v1.0"), (3, 19.7, "MLPerf Training v2.0"),
    )
]  # fmt: skip


def since_round(name: str, low: float = 1.3, high: float = 1.32, **facts: Any) -> dict[str, Any]:
    """A claim of one system against its own result of an earlier round."""
    return claim(low, high, subject_platform="X16", baseline_platform=None, metric="time_to_train", baseline_round=name,
                 suite="MLPerf Training v1.1") | facts  # fmt: skip


LOG: Given = {
    "resolved__training_runs": [
        {"run_id": evidence_of(run), "document_id": document_of(POST), "evidence_id": evidence_of(run), "line": run,
         "accelerator": platform, "accelerator_count": 1, "batch_size": 10, "epochs": 3, "training_time_s": 300}
        for run, platform in ((1, "X1"), (2, "Y1"))
    ],
    "resolved__training_epochs": [
        {"run_id": evidence_of(run), "epoch": epoch, "document_id": document_of(POST), "line": run * 10 + epoch,
         "evidence_id": evidence_of(run * 10 + epoch), "epoch_time_s": time, "loss_is_nan": False}
        for run, times in ((1, (90, 20, 20)), (2, (95, 40, 40))) for epoch, time in enumerate(times, 1)
    ],
}  # fmt: skip
OF_EPOCHS = claim(1.95, 2.05, metric="epoch_time", model=None)
CASES |= {
    "two systems as one where scaling is assumed": (
        ASSUMED | {"conditions": "Assume linear scaling from 1x to 2x DGX"}, SYSTEMS,
        YES | recomputed(99.5 / 2 / 10.5, 100.5 / 2 / 9.5) | {
            "assumption": "scaling is linear: 2 DGX do 2 times the work of one",
            # At this efficiency of two systems even the most favourable reading falls below 4.95.
            "break_even": 100.5 / 2 / 9.5 / 4.95, "assumed_value": 1, "assumption_unit": "ratio",
            "break_even_basis": "numbers",
        },
    ),
    "two systems without an assumption": (ASSUMED, SYSTEMS, NOT_ENOUGH | {
        "assumption": None, "reason": "accelerators 8 instead of 16"
    }),
    # A price of about 200,000 confirms nothing.
    "price and performance": (PER_DOLLAR, PAIR, {"verdict": "consistent",
        "kind": "price_performance", "assumption": "Y1 costs about 200,000 USD",
        "recomputed_low": 1999.5 / 1000.5 * 150_000 / 100_000.5, "recomputed_high": 2000.5 / 999.5 * 250_000 / 99_999.5,
        "break_even": 3.9 / (2000.5 / 999.5) * 99_999.5, "break_even_parity": 1 / (2000.5 / 999.5) * 99_999.5,
        "inputs": [evidence_of(place) for place in (1, 2, 51, 52)],
    }, PRICES),
    "prices alone": (PER_DOLLAR, [], NOT_ENOUGH | {
        "break_even_basis": "claim", "break_even": 200_000 * 3.9 / 4.0, "inputs": [evidence_of(51), evidence_of(52)],
    }, PRICES),
    "half of the price": (EXACT | OF_PRICE, [], YES, LISTED),
    "a third of the price": (claim(2.95, 3.05, **OF_PRICE), [], NO | {"kind": "price"}, LISTED),
    # One benchmark under two releases.
    "a gain since a release": (GAIN, [OLD, NEW, ELSEWHERE], YES | BOTH | {"kind": "release_gain"}),
    "no number of the release": (GAIN, [NEW, ELSEWHERE], {
        "reason": "needs a ResNet-50 training throughput under SDK 1.4; no matching number"
    }),
    # One system in two rounds of a suite. The first round that the warehouse has may not be the
    # first of all.
    "a gain since the first round": (since_round("first"), ROUNDS, YES | BOTH | {
        "kind": "round_gain", "grade": "close",
        "differences": ["round assumed: MLPerf Training v1.1 against MLPerf Training v1.0"],
    }),
    "a gain since the round before": (
        since_round("previous", suite="MLPerf Training v2.0"), ROUNDS, NOT_ENOUGH | recomputed(28.2 / 19.8, 28.4 / 19.6)
    ),
    "a gain since a round by its version": (since_round("v1.0"), ROUNDS, YES | {"grade": "same"}),
    "a smaller gain since that round": (since_round("v1.0", 1.15, 1.25), ROUNDS, NO),
    "a round whose subject is not named": (since_round("v1.0", 1.85, 1.95, suite=None), ROUNDS[:2], NOT_ENOUGH),
    "a round that is named twice": (since_round("v1.0", 1.85, 1.95, suite=ROUNDS[1]["suite"]), ROUNDS[:2], NOT_ENOUGH),
    "a later round": (since_round("v2.0"), ROUNDS, NOT_ENOUGH),
    "an assumed round of its document": (
        since_round("previous", 1.9, 2.0, document_id=document_of(TABLE)), ROUNDS[:2], NOT_ENOUGH
    ),
    "a round of which there is no number": (since_round("v0.7"), ROUNDS, NOT_ENOUGH | {
        "reason": "X16 ResNet-50 time to train in the v0.7 round"
    }),
    "no vendor's system in a round": (since_round("first", subject_platform="Y1"), ROUNDS, NOT_ENOUGH),
    # One row is not the nearest for both sides.
    "the nearest of both sides": (
        claim(1.55, 1.65, subject_platform=None, baseline_platform=None, baseline_sdk_version="1.4"),
        [number(1, "X1", 2000, **RELEASE), number(2, "X1", 1900, **RELEASE)],
        {"reason": ("the nearest for the subject is 2,000", "the nearest for the baseline is 1,900")},
        AFTER_POST,
    ),
    "epochs of its document": (OF_EPOCHS, [], YES | {
        "recomputed_low": 39.5 / 20.5, "inputs": [evidence_of(place) for place in (12, 13, 22, 23)]
    }, LOG),
    "epochs of another document": (OF_EPOCHS | {"document_id": document_of(TABLE)}, [], NOT_ENOUGH, LOG),
}  # fmt: skip


def disagreeing(
    verdict: dict[str, Any], made: dict[str, Any], results: Rows, prices: Rows = ()
) -> Rows:
    """What the check finds that derives a verdict again."""
    return made_of(
        "checks.verdicts_agree_with_their_intervals", audit__claim_verdicts=[verdict], resolved__claims=[made],
        resolved__results=results, resolved__prices=prices,
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_on_a_claim(name: str) -> None:
    made, results, expected, *given = CASES[name]
    [row] = verdicts_of([made], results, **(given[0] if given else {}))
    assert (
        disagreeing(row, made, results, given[0].get("resolved__prices", []) if given else []) == []
    )
    words = expected.get("reason", ())
    for said in (words,) if isinstance(words, str) else words:
        assert said in row["reason"]
    columns = expected.keys() - {"reason"}
    exact = {column: row[column] for column in columns if not isinstance(expected[column], float)}
    assert exact == {column: expected[column] for column in exact}, row["reason"]
    assert {column: row[column] for column in columns - exact.keys()} == pytest.approx(
        {column: expected[column] for column in columns - exact.keys()}, rel=1e-12
    )


def test_bars_check_the_same_claim_elsewhere_and_no_other() -> None:
    slide = claim(9.5, 10.5, section_line=3)
    same = claim(9.5, 10.5, claim_id=evidence_of(901), document_id=document_of(OTHER))
    other = claim(17.5, 18.5, claim_id=evidence_of(902), document_id=document_of(OTHER))
    documents = [document(POST, "2024-01-01"), document(OTHER, "2024-01-01")]
    rows = verdicts_of([slide, same, other], bars(58, 581), raw__documents=documents)
    assert {row["claim_id"]: row["verdict"] for row in rows} == {
        evidence_of(900): "confirmed", evidence_of(901): "confirmed", evidence_of(902): "not_checkable",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("of throughput", {"verdict": "consistent"}),
        ("of throughput", {"verdict": "contradicted"}),
        ("of throughput", {"recomputed_low": 1.9}),
        ("of throughput", {"inputs": [evidence_of(1), evidence_of(3)]}),
        ("price and performance", {"verdict": "confirmed"}),
        ("a bound that agrees", {"verdict": "confirmed"}),
        ("a share of 46%", {"verdict": "contradicted"}),
        ("a share of 46%", {"interpretation": "time"}),
    ],
)
def test_a_verdict_that_its_inputs_do_not_give_is_found(name: str, wrong: dict[str, Any]) -> None:
    made, results, _, *given = (
        CASES[name] if name in CASES else (EXACT, [*PAIR, number(3, "X1", 3000)], {})
    )
    prices = given[0]["resolved__prices"] if given else []
    [row] = verdicts_of(
        [made], [row for row in results if row["line"] < 3], resolved__prices=prices
    )
    assert disagreeing(row, made, results, prices) == []
    assert [found["claim_id"] for found in disagreeing(row | wrong, made, results, prices)] == [
        made["claim_id"]
    ]
