"""Printed numbers held against each other: which relations each check finds, which of them do not
hold, and why.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from sql.given_rows import Given, Rows, document_of, evidence_of, made_of, number

# By check and name: the lines of the relations found, `!` before those that do not hold; the rows
# given; and columns of the relation, of the one that does not hold where there are several.
CASES: dict[str, dict[str, tuple[Any, ...]]] = {}
QUERIES = {
    "label_against_bar": "chart", "factor_against_bars": "chart", "latency_of_batch": "curve",
    "listed_submissions": "list", "epoch_time_in_log": "log_table", "samples_in_log": "log_table",
    "throughput_times_time": "rate", "throughput_times_training_time": "rate", "release_jump": "release",
    "number_of_two_models": "repeated_number", "accelerators_of_nodes": "count", "accelerators_in_notes": "count",
    "training_time_of_epochs": "run", "samples_per_epoch": "run", "scaling_efficiency": "scaling",
    "division_of_the_logs": "entry", "submitter_of_the_logs": "entry",
    "division_in_notes": "note", "model_in_notes": "note",
    "score_of_the_logs": "score", "latency_of_table": "serving", "percentiles_in_order": "serving",
}  # fmt: skip


def broken(rows: Rows, line: int, metric: str, factor: float) -> Rows:
    """The same numbers, one of them multiplied."""
    rows = [dict(row) for row in rows]
    [wrong] = [row for row in rows if (row["line"], row["metric"]) == (line, metric)]
    wrong.update({name: wrong[name] * factor for name in ("value", "value_low", "value_high")})
    return rows


def together(*given: Given) -> Given:
    return {name: [row for one in given for row in one[name]] for name in given[0]}


# A drawn bar, and the value printed at it.


def bar(
    drawn: float, printed: str | None, method: str = "printed", half: float = 0.5, **facts: Any
) -> Given:
    value = float(printed.strip("x")) if printed else None
    low, high = drawn - 0.2, drawn + 0.2
    row = {
        "chart_value_id": evidence_of(1), "document_id": document_of(1), "line": 7, "page": 3,
        "evidence_id": evidence_of(1) if printed else None, "method": method, "category_printed": "A100",
        "drawn_value": drawn, "drawn_low": low, "drawn_high": high, "unit": "items/s",
        "unit_printed": "images/sec", "value_printed": printed, "printed_value": value,
        "printed_low": value - half if value else None, "printed_high": value + half if value else None,
        "agrees": None if value is None else low <= value + half and value - half <= high,
    } | facts  # fmt: skip
    return {"resolved__chart_values": [row]}


CASES["label_against_bar"] = {
    "exact": ("7", bar(595, "595")),
    "rounded": ("7", bar(595.6, "595")),
    "too long": ("!7", bar(596, "595")),
    "too short": ("!7", bar(581, "595"), {
        "printed": 595, "expected_low": 580.8, "expected_high": 581.2,
        "reason": "the bar of A100 on page 3 is drawn 581 images/sec long (580.8 to 581.2), where 595 is printed",
    }),
    "no label": ("", bar(595, None, "geometry")),
}  # fmt: skip
CASES["factor_against_bars"] = {
    "no axis": ("7", bar(2.6, "2.6x", "ratio", 0.05, category_printed="unknown"), {
        "unit": None,
        "reason": "the bar on page 3 is drawn 2.6 lengths of the shortest bar long (2.4 to 2.8), as 2.6x is printed",
    }),
}  # fmt: skip

# Throughput times latency is the batch times what is in flight, the same along a curve (Little's
# law).

Points = list[tuple[int, str, str]]
# Batch size, items per second and milliseconds of one curve: about three batches in flight.
CURVE: Points = [
    (4, "7,152", "1.66"), (8, "10,515", "2.27"), (16, "16,207", "2.95"), (32, "22,544", "4.24"),
    (64, "28,762", "6.66"), (128, "35,155", "10.91"),
]  # fmt: skip
# Image sizes of one model: the last prints the batch of another row.
DETECTION: Points = [
    (4, "690", "9.40"), (4, "722", "9.74"), (8, "1,306", "10.03"), (8, "1,364", "10.39"), (8, "1,772", "7.25"),
    (8, "1,915", "7.31"), (4, "2,994", "9.42"),
]  # fmt: skip
# A large batch runs with a deep queue, as it does on a page of results.
DEEP_QUEUE: Points = [
    (4, "3,395", "1.14"),
    (8, "4,840", "1.62"),
    (16, "6,483", "2.43"),
    (64, "11,320", "27.83"),
]
# The latency of one item, whatever the batch.
ONE_ITEM: Points = [
    (4, "2,610", "1.53"),
    (16, "4,354", "0.92"),
    (32, "4,949", "0.81"),
    (60, "5,201", "0.77"),
]
TWO_QUEUES: Points = [
    (16, "14,321", "2.69"), (32, "20,927", "3.70"), (64, "36,193", "8.62"), (128, "43,472", "14.38"),
    (256, "49,816", "25.13"), (360, "50,883", "30.68"),
]  # fmt: skip


def curve(points: Points, first_line: int = 1, **facts: Any) -> Rows:
    rows: Rows = []
    for line, (batch, rate, latency) in enumerate(points, first_line):
        row = {"task": "inference", "platform": "IPU-M2000", "batch_size": batch} | facts
        rows.append(number(line, rate, line * 10, **row))
        rows.append(
            number(line, latency, line * 10 + 1, **row | {"metric": "latency", "unit": "ms"})
        )
    return rows


def beside_curve(rate: str = "10,515", latency: str = "22.7", **facts: Any) -> Rows:
    return curve(CURVE) + curve([(8, rate, latency)], 20, **facts)


CASES["latency_of_batch"] = {
    "a healthy curve": ("1-6", curve(CURVE)),
    "tuned for latency": ("1-6", beside_curve("7,397", "0.52", configuration="lowest latency")),
    "tokens": ("1-6", beside_curve("90", "500", item="tokens")),
    "clients": ("1-6", beside_curve(concurrency=32)),
    "another release": ("1-6", beside_curve(sdk_version="3.0")),
    "a bound": ("1-6", beside_curve(bound="lt")),
    "the batch of another row": ("1-6 !7", curve(DETECTION), {
        "printed": 9.42, "inputs": [evidence_of(70)],
        "reason": "2,994 items/s at 9.42 ms keep 7.05 batches of 4 in flight, "
        "where 6 of 7 rows of the curve keep 1.61 to 1.77; that would fit a batch of 15.9 to 17.6",
    }),
    "a queue for large batches": ("1-3", curve(DEEP_QUEUE)),
    "latency of one item": ("", curve(ONE_ITEM)),
    "two queues": ("", curve(TWO_QUEUES)),
    "few rows": ("", curve(DETECTION[-3:])),
    "training": ("", curve([*DETECTION, DETECTION[-1]], task="training")),
} | {
    f"{metric} {line} times {factor}": (
        f"1-{line - 1} !{line} {line + 1}-6", broken(curve(CURVE), line, metric, factor)
    )
    for metric, factors in {"throughput": (0.1, 0.5, 2, 10), "latency": (0.1, 0.5, 2, 10)}.items()
    for factor in factors for line in range(1, 7) if line in (2, 3, 4, 5) or (metric, factor) == ("latency", 10)
}  # fmt: skip

# A list of submission identifiers names those of the table.

IDS = ["2.0-2045", "2.0-2047", "2.0-2049", "2.0-2050"]


def listed(names: list[str], tabled: list[str], suite: str = "MLPerf Training v2.0") -> Given:
    submissions = [
        {"document_id": document_of(1), "line": 5 + 2 * (place > 1), "evidence_id": evidence_of(place),
         "submission_id": name, "suite": suite}
        for place, name in enumerate(names)
    ]  # fmt: skip
    facts = {"suite": "MLPerf Training v2.0", "metric": "time_to_train"}
    table = [
        number(20 + place, "1", submission_id=name, **facts) for place, name in enumerate(tabled)
    ]
    return {"resolved__submissions": submissions, "resolved__results": table}


CASES["listed_submissions"] = {
    "complete in another order and with more": ("5", listed([*reversed(IDS), "2.0-9999"], IDS)),
    "some are missing": ("!5", listed(IDS[:3], [*IDS, "2.0-2125"]), {
        "printed": 3, "expected_low": 5, "inputs": [evidence_of(place) for place in range(20, 25)],
        "reason": "the list in lines 5 and 7 has 3 of the 5 MLPerf Training v2.0 identifiers of the table, "
        "not 2.0-2050, 2.0-2125",
    }),
    "one identifier is no list": ("", listed(IDS[:1], IDS[:2])),
    "a list of its own submissions": ("", listed(IDS[:2], [*IDS, "2.0-1", "2.0-2"])),
    "another suite": ("", listed(IDS[:3], IDS, "MLPerf Inference v2.0")),
    "no table": ("", listed(IDS, [])),
    "no list": ("", listed([], IDS)),
}  # fmt: skip

# A table against the log beside it: the epochs it names, and the samples that it implies.


def run(
    run_id: int, times: tuple[float | None, ...], steps: int | None = None, **facts: Any
) -> Given:
    """A run of a log with its epochs, in the lines from a hundred times its number on."""
    line, place = run_id * 100, {"document_id": document_of(1), "run_id": evidence_of(run_id)}
    row = {
        "line": line + 90,
        "evidence_id": evidence_of(line + 90),
        "accelerator": "A100",
        "accelerator_count": 1,
    }
    epochs = [
        {"epoch": epoch, "line": line + epoch, "evidence_id": evidence_of(line + epoch), "epoch_time_s": time,
         "steps": steps} | place
        for epoch, time in enumerate(times, 1)
    ]  # fmt: skip
    return {
        "resolved__training_runs": [place | row | {"epochs": len(times)} | facts],
        "resolved__training_epochs": epochs,
    }


def beside(
    printed: str = "9.0", rate: str = "7,743", times: tuple[float, ...] = (493, 9, 9), steps: int = 6992, *,
    epoch: int | None = 2, count: int = 4, batch_size: int | None = None, **row: Any,
) -> Given:  # fmt: skip
    """One row of a table, in line 50 behind its hundred, and the run of the log beside it, on 4
    devices.
    """
    line, platform = count * 100 + 50, {"vendor": "Graphcore", "accelerator_count": count}
    facts = (
        platform | {"platform": "GC200 IPU", "batch_size": 10, "task": None, "model": None} | row
    )
    seconds = number(line, printed, **{"metric": "epoch_time", "unit": "s", "epoch": epoch} | facts)
    logged = run(count, times, steps, accelerator="IPU", batch_size=batch_size, **platform)
    return {"resolved__results": [seconds, number(line, rate, line + 1, **facts)]} | logged


# Two more rows of the table and their runs, which fit.
FITTING = (
    beside("13.5", "5,185", (456, 13, 13), 7000, count=2),
    beside("11.7", "5,983", (54, 12, 12), count=32),
)
CASES["epoch_time_in_log"] = {
    "the epoch named": ("450", beside()),
    "the edge of rounding": ("450", beside("12.5", times=(40, 13, 12))),
    "a clock that starts with the first step": ("450", beside("6.3", times=(499, 7, 7))),
    "no epoch named": ("450", beside(epoch=None)),
    "another epoch named": ("450", beside(epoch=3)),
    "one that fits goes before one that nearly fits": ("!450", beside("23.7", times=(453, 22, 24))),
    "another epoch": ("!450", beside("4.9", times=(504, 9, 5)), {
        "expected_low": 8.5, "expected_high": 9.5, "printed": 4.9, "inputs": [evidence_of(402)],
        "reason": "the table prints 4.9 s for epoch 2, where the log has 9 s from line 402; epoch 3 has 5 s",
    }),
} | {
    f"{printed} of epoch {epoch} beside {len(others)}": (lines, together(beside(printed, epoch=epoch), *others))
    for printed, epoch in (("19.0", 2), ("4.0", 2), ("4.0", None), ("800", None))
    for lines, others in (("", ()), ("250", FITTING[:1]), ("250 !450 3250", FITTING))
}  # fmt: skip
CASES["samples_in_log"] = {
    "batches of all devices": ("450", beside()),
    "batches of each device": ("450", beside("255.5", "274", (299, 256, 256), 1750)),
    "last batches dropped": ("450", beside("5.0", "13,824", (504, 5, 5), 6912)),
    "others than the log has": (
        "250 !1650 3250", together(beside("4.9", "21,547", (504, 9, 5), 6912, count=16), *FITTING),
        {"reason": "21,547 items/s for 4.9 s are about 105,580 samples, "
                   "where the log counts 6,912 steps of 10 = 69,120 samples in line 1602"},
    ),
    # Gradients of eight micro batches in one step, in every run.
    "a table that counts otherwise": ("", together(*(beside(steps=874, count=count) for count in (1, 2, 3)))),
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "others", "expected"),
    [
        ({}, [], [(4, 10)]),
        ({"batch_size": 128}, [], []),
        ({"accelerator_count": 8}, [], []),
        ({"vendor": "NVIDIA", "platform": "A100"}, [], []),
        ({"document_id": document_of(2)}, [], []),
        ({}, [{}], []),
        # The device of its own name goes before one of its vendor.
        ({}, [{"accelerator": "GC200 IPU"}], [(9, 10)]),
    ],
)
def test_a_row_of_a_table_is_about_one_run_of_the_log(
    row: dict[str, Any], others: Rows, expected: Any
) -> None:
    given = together(beside(batch_size=row.pop("batch_size", None)))
    given["resolved__results"] = [one | row for one in given["resolved__results"]]
    runs = given["resolved__training_runs"]
    runs += [runs[0] | {"run_id": evidence_of(9)} | other for other in others]
    del given["resolved__training_epochs"]
    made = made_of("internal.tabled_runs", **given)
    assert [(int(one["run_id"], 16), one["batch_size"]) for one in made] == expected


# Throughput times time gives the samples of an epoch, the same for every row of a table; each pair
# is about 70,000.
HEALTHY = [
    ("5,833", "12.0"),
    ("5,109", "13.7"),
    ("3,111", "22.5"),
    ("2,954", "23.7"),
    ("11,052", "6.3"),
]
FALSE = ("21,547", "4.9")


def rates(
    pairs: list[tuple[str, str]], first_line: int = 1, metric: str = "epoch_time", **facts: Any
) -> Rows:
    rows: Rows = []
    for line, (rate, seconds) in enumerate(pairs, first_line):
        row = {"section": "Table 4"} | facts
        rows.append(number(line, rate, line * 10 + 1, **row))
        rows.append(number(line, seconds, line * 10, **row | {"metric": metric, "unit": "s"}))
    return rows


CASES["throughput_times_time"] = {
    "rows that agree": ("1-5", rates(HEALTHY)),
    "a row that disagrees": ("1-5 !6", rates([*HEALTHY, FALSE]), {
        "printed": 21547, "evidence_id": evidence_of(61), "inputs": [evidence_of(60)],
        "reason": "21,547 items/s for 4.9 s are about 105,580 samples, "
        "where the 5 rows that agree give 69,628 to 70,010",
    }),
    # 69,120 samples of 70,000, and times rounded to seconds.
    "last batches dropped": ("1-7", rates([*HEALTHY, ("13,824", "5.0"), ("2,954", "24")])),
    "each workload has its own": ("1-5 21-24", rates(HEALTHY) + rates([FALSE] * 4, 21, model="ViT")),
    "too few rows": ("", rates([*HEALTHY[:2], FALSE])),
    "rows that do not mostly agree": ("", rates([*HEALTHY[:2], FALSE, ("100", "70")])),
    "trainings with epochs of their own number": ("", rates([*HEALTHY, FALSE], metric="time_to_train")),
    "models with few rows each": ("", rates(HEALTHY[:3]) + rates([FALSE] * 3, 4, model="ViT")),
    "documents": ("", [row | {"document_id": document_of(row["line"])} for row in rates([*HEALTHY, FALSE])]),
    "bounds": ("", rates([*HEALTHY, FALSE], bound="up_to")),
} | {
    f"{metric} {line} times {factor}": (
        f"1-{line - 1} !{line} {line + 1}-5", broken(rates(HEALTHY), line, metric, factor)
    )
    for metric, factor in (("throughput", 10), ("throughput", 0.5), ("epoch_time", 10), ("epoch_time", 1.5))
    for line in range(1, 6)
}  # fmt: skip

# Of NVIDIA's ResNet-50 for TensorFlow on 2021-04-20: `~18h` for 90 epochs is of an older page with
# 1770 img/s.
TRAININGS = [("412", "77"), ("3170", "10"), ("1270", "25"), ("432", "74"), ("6500", "5")]
STALE = ("2375", "18")


def trainings(pairs: list[tuple[str, str]], epochs: str = "90", **facts: Any) -> Given:
    """Rates in one table, and the hours of so many epochs in another one."""
    rows: Rows = []
    for line, (rate, hours) in enumerate(pairs, 1):
        row = {"platform": f"P{line}", "conditions": {"system": "DGX-1"}}
        rows.append(number(line, rate, line * 10 + 1, unit_printed="img/s", **row))
        half = 0.5 * 3600
        seconds = float(hours) * 3600
        interval = {"value": seconds, "value_low": seconds - half, "value_high": seconds + half}
        time = {"metric": "training_time", "unit": "s", "unit_printed": "h", "bound": "approx"}
        conditions = {"conditions": {"epochs": str(epochs), "system": "DGX-1"}}
        rows.append(
            number(line + 50, hours, line * 10, **row | time | interval | conditions | facts)
        )
    conditions = [
        {"result_id": evidence_of(line * 10), "dimension": "epochs", "value": epochs}
        for line in range(1, len(pairs) + 1)
    ]
    return {"resolved__results": rows, "resolved__result_conditions": conditions}


CASES["throughput_times_training_time"] = {
    "rows that agree": ("1-5", trainings(TRAININGS)),
    "a time that was left from an older page": ("1-5 !6", trainings([*TRAININGS, STALE]), {
        "printed": 2375, "evidence_id": evidence_of(61), "inputs": [evidence_of(60)],
        "reason": "2375 img/s for 18 h and 90 epochs are about 1,710,000 samples an epoch, "
        "where the 5 rows that agree give 1,268,000 to 1,300,000",
    }),
    "too few rows": ("", trainings(TRAININGS[:3])),
    "another way to train": ("", trainings(TRAININGS, precision="mixed")),
}  # fmt: skip

# Runs of a log: the stated training time fits the epochs, and epochs have the same samples.

Run = tuple[float | None, ...]


def log(*runs: Run, **last: Any) -> Given:
    """Runs one behind the other, each the stated time and those of its epochs; and what is known of
    the last.
    """
    facts = [*[{}] * (len(runs) - 1), last]
    return together(*(
        run(at, times, training_time_s=stated, **facts[at - 1]) for at, (stated, *times) in enumerate(runs, 1)
    ))  # fmt: skip


def sampled(*runs: tuple[int, int, int]) -> Given:
    """Runs of two epochs in so many steps, of batches of a size, on so many devices."""
    return together(*(
        run(at, (23, 23), steps, batch_size=batch_size, accelerator_count=count)
        for at, (steps, batch_size, count) in enumerate(runs, 1)
    ))  # fmt: skip


USUAL: list[Run] = [(815.4, 287, 259, 259), (95.347, 39, 23, 23), (54.4, 28, 12, 12)]
BETWEEN: list[Run] = [(60.0, 20, 20, 20), *USUAL, (811.5, 287, 259, 259)]
SAMPLED = [(546, 128, 1), (273, 256, 1), (136, 512, 1)]
CASES["training_time_of_epochs"] = {
    "setup and rounding": ("190 290 390 490 590", log(*USUAL, (109.72, 66, 22, 22), (499.74, 453, 22, 24))),
    "the time of another run": ("190 290 390 !490", log(*USUAL, (95.337, 30, 14, 14)), {
        "inputs": [evidence_of(401), evidence_of(402), evidence_of(403)],
        "reason": "the stated training time of 95.337 s does not match the epochs, which are 30 + 14 + 14 = 58 s; "
        "it is nearly equal to the 95.347 s of another run in line 290",
    }),
    "far more where other runs fit": ("190 290 390 !490", log(*USUAL, (120.0, 30, 14, 14))),
    # That is impossible even in a log of one run.
    "less than the epochs": ("!190", log((399.7, 453, 22, 24))),
    "the first run, which may compile for all": ("290 390 490", log((140.0, 30, 14, 14), *USUAL)),
    "two runs alike": ("190 290 390 490", log(*USUAL, (95.34, 39, 23, 23))),
    "somewhat more setup than usual": ("190 290 390", log(*USUAL, (80.0, 30, 14, 14))),
    "an epoch without a time": ("190 290 390", log(*USUAL, (30.0, 30, None, 14))),
    "a run that was interrupted": ("190 290 390", log(*USUAL, (30.0, 30, 14), epochs_planned=3)),
    "no stated time": ("190 290 390", log(*USUAL, (None, 30, 14, 14))),
    "minutes": ("190 290 390", log(*USUAL, (8.31, 453, 22, 24))),
    "without the epoch that compiles": ("190 290 390", log(*USUAL, (46.0, 453, 22, 24))),
    "of the last epoch": ("190 290 390", log(*USUAL, (24.2, 453, 22, 24))),
    "always longer": ("", log((120.0, 30, 14, 14), (150.0, 40, 20, 20))),
} | {
    f"run {at + 1} times {factor}": (
        " ".join("!" * (at == other) + str(other * 100 + 190) for other in range(5)),
        log(*BETWEEN[:at], ((BETWEEN[at][0] or 0) * factor, *BETWEEN[at][1:]), *BETWEEN[at + 1 :]),
    )
    for at in (1, 2, 3) for factor in (0.1, 0.7, 10)
}  # fmt: skip
SAMPLES = "101 102 201 202 301 302"
CASES["samples_per_epoch"] = {
    "batches of each device": (f"{SAMPLES} 401 402", sampled(*SAMPLED, (272, 128, 2))),
    "batches of all devices": (f"{SAMPLES} 401 402", sampled(*SAMPLED, (6912, 10, 16))),
    # Devices may gather the gradients of several batches.
    "gathered gradients": (SAMPLES, sampled(*SAMPLED, (34, 128, 2))),
    "several datasets": ("", sampled(*SAMPLED[:2], (100, 128, 1), (900, 128, 1))),
} | {
    f"{steps} steps on {count}": (f"{SAMPLES} !401 !402", sampled(*SAMPLED, (steps, 128, count)))
    for count, steps in ((1, 1092), (1, 54), (2, 2720), (16, 5460))
}  # fmt: skip

# More accelerators are at most as many times as fast.


def pods(*points: tuple[int, str], first_line: int = 1, **facts: Any) -> Rows:
    return [
        number(line, printed, **{"platform": f"IPU-POD{count}", "accelerator_count": count} | facts)
        for line, (count, printed) in enumerate(points, first_line)
    ]


TOO_FAST = {
    "another release": {"sdk_version": "3.0"}, "another device": {"platform": "Bow Pod64"}, "a bound": {"bound": "lt"},
    "another platform": {"platform": "IPU-M2000"}, "another way to spread": {"tensor_parallel": 8},
    "another model": {"model": "ViT"}, "another precision": {"precision": "16.32"},
    "another document": {"document_id": document_of(2)},
}  # fmt: skip
TOKENS = {"task": "inference", "item": "tokens", "platform": "H100"}
BATCHES = [({"batch_size": 10}, "270", "274"), ({"batch_size": 512}, "5,833", "8,642")]
CASES["scaling_efficiency"] = {
    "below one": ("2-4", pods((16, "30,690"), (64, "108,566"), (128, "205,006"), (256, "365,040"))),
    "a decimal too many": ("!2", pods((16, "30,690"), (64, "1,085,660"))),
    "more than linear": ("!2", pods((16, "30,690"), (64, "208,566")), {"inputs": [evidence_of(1)]}),
    "a little more than linear": ("2", pods((16, "1,000"), (64, "4,180")), {
        "reason": "4,180 items/s on 64 accelerators are 4.18 times the 1,000 of line 1 on 16, an efficiency of 1.04"
    }),
    # Of NVIDIA's ResNeXt-101 for TensorFlow on 2020-06-27.
    "eight devices like nine": ("!2", pods((1, "905"), (8, "8000"), platform="A100 40GB"), {
        "reason": "8000 items/s on 8 accelerators are 8.84 times the 905 of line 1 on 1, an efficiency of 1.10"
    }),
    "a language model that needs the memory": ("", pods((2, "1,500"), (8, "9,600"), **TOKENS)),
    # Only equal batches compare where a size has several.
    "two batches": ("2 4", [
        row for at, (size, one, two) in enumerate(BATCHES)
        for row in pods((1, one), (2, two), first_line=2 * at + 1, platform="A100", **size)
    ]),
} | {
    name: ("", pods((16, "1,000")) + pods((64, "9,000"), first_line=2, **larger)) for name, larger in TOO_FAST.items()
}  # fmt: skip

# What a page prints of MLPerf is what the logs behind it give.


def score(place: int, minutes: float, half: float, extractor: str, **facts: Any) -> dict[str, Any]:
    seconds = {
        "value": minutes * 60,
        "value_low": (minutes - half) * 60,
        "value_high": (minutes + half) * 60,
    }
    suite = {
        "suite": "MLPerf Training v1.0",
        "model": "BERT-Large",
        "platform": "IPU-POD64",
        "metric": "time_to_train",
    }
    return number(place, f"{minutes}", **suite | seconds | {"extractor": extractor} | facts)


def on_page(
    minutes: float = 11.08, half: float = 0.005, *, scaled: bool = False, **printed: Any
) -> Given:
    """The scores of two divisions, each the mean of two runs, and a number on a page."""
    runs = [
        {"result_id": evidence_of(of), "evidence_id": evidence_of(of * 10 + at), "scored_as": scored_as,
         "training_time_s": float(at)}
        for of in (1, 2) for at, scored_as in enumerate(("fastest", "counted", "counted", "slowest"))
    ]  # fmt: skip
    logs = [
        score(1, 11.0758, 1e-5, "mlperf_training", division="Closed"),
        score(2, 9.3921, 1e-5, "mlperf_training", division="Open"),
    ]
    factor = {
        "result_id": evidence_of(1),
        "dimension": "scaling_factor",
        "value": "1.0186",
        "level": "page",
    }
    return {
        "resolved__results": [*logs, score(3, minutes, half, "results_page", **printed)],
        "resolved__training_runs": runs, "resolved__result_conditions": [factor] if scaled else [],
    }  # fmt: skip


CLOSED = "min of BERT-Large on IPU-POD64: the logs of the closed division give"
CASES["score_of_the_logs"] = {
    "as scaled in the review": ("3", on_page(11.28, scaled=True, division="Closed"), {
        "reason": f"11.28 {CLOSED} 11.282 min, the mean of 2 runs, scaled 1.0186 times"
    }),
    "not scaled": ("3", on_page(scaled=True, division="Closed")),
    "within its rounding": ("3", on_page(division="Closed"), {
        "inputs": [evidence_of(11), evidence_of(12)], "reason": f"11.08 {CLOSED} 11.076 min, the mean of 2 runs",
    }),
    "beyond its rounding": ("!3", on_page(11.2, division="Closed"), {"printed": 11.2 * 60}),
    # A page without a division may mean either.
    "either division": ("3", on_page(9.4, 0.05), {
        "reason": f"9.4 {CLOSED.replace('closed', 'open')} 9.392 min, the mean of 2 runs"
    }),
    "another suite": ("", on_page(suite="MLPerf Training v2.0")),
    "another platform": ("", on_page(platform="IPU-POD16")),
    "another model": ("", on_page(model="ResNet-50 v1.5")),
    "another size": ("", on_page(accelerator_count=32)),
    "another metric": ("", on_page(metric="throughput")),
    "a dropped row": ("", on_page(correction_action="drop")),
}  # fmt: skip


def of_round(logged: str, half: float = 0.005, **others: str) -> Given:
    """A row of a summary of MLPerf Inference v4.1 in line 3, and a log of the entry that the row or
    `others` describe.
    """
    said = {"submitter": "UntetherAI", "system_id": "h13_u2_preview_dc"}
    facts = {
        "suite": "MLPerf Inference v4.1", "model": "ResNet-50 v1.5", "division": "Closed",
        "scenario": "Server", "metric": "throughput", "unit": "queries/s", "statistic": None,
    }  # fmt: skip
    rows: Rows = []
    stated: Rows = []
    for place, value, extractor, other in (
        (1, logged, "mlperf_inference", {"system_id": "h13 u2 preview dc"} | others),
        (3, "140239", "results_page", {}),
    ):
        own = facts | {name: other[name] for name in other if name in facts}
        span = {"value_low": float(value) - half, "value_high": float(value) + half}
        rows.append(number(place, value, **own | span | {"extractor": extractor}))
        conditions = said | {name: other[name] for name in other if name not in facts}
        stated += [
            {"result_id": evidence_of(place), "dimension": name, "value": value}
            for name, value in conditions.items()
        ]
    return {
        "resolved__results": rows, "resolved__result_conditions": stated,
        "resolved__training_runs": [],
    }  # fmt: skip


SUMMARY = "the summary has 140239 queries/s of ResNet-50 v1.5 in Server by untetherai, the log"
CASES["score_of_the_logs"] |= {
    "a row of a summary": ("3", of_round("140239.33"), {"reason": f"{SUMMARY} also 140239.33"}),
    "another value": ("!3", of_round("140309.58"), {
        "reason": f"{SUMMARY} gives 140309.58", "inputs": [evidence_of(1)], "printed": 140239,
    }),
    "another submitter": ("", of_round("140309.58", submitter="Krai")),
    "another system": ("", of_round("140309.58", system_id="h13_u1_preview_dc")),
    "another scenario": ("", of_round("140309.58", scenario="Offline")),
    "the open division": ("", of_round("140309.58", division="Open")),
    "another target of accuracy": ("", of_round("140309.58", accuracy_target="99")),
    "not the official count": ("", of_round("140309.58", measured_as="scheduled")),
}  # fmt: skip

# What the logs of an entry print of it is what its description says.


def entry(dimension: str, described: str, *logged: str) -> Given:
    """A score, its description in line 9, and what each of its logs prints."""
    identifier = evidence_of(9)
    condition = {"dimension": dimension, "value": described, "evidence_id": identifier}
    runs = [
        {"result_id": evidence_of(3), "evidence_id": evidence_of(20 + at), dimension: value}
        for at, value in enumerate(logged)
    ]
    folder = {"section": "results/16-nodes/bert"}
    return {
        "resolved__results": [score(3, 11.08, 0.005, "mlperf_training", **folder)],
        "resolved__training_runs": runs,
        "resolved__result_conditions": [{"result_id": evidence_of(3)} | condition],
        "resolved__evidence": [
            {"evidence_id": identifier, "document_id": document_of(1), "line": 9}
        ],
    }


CASES["division_of_the_logs"] = {
    "the same": ("9", entry("division", "Open", "Open", "Open")),
    "another one": ("!9", entry("division", "Open", "Closed", "Closed"), {
        "printed": 2, "inputs": [evidence_of(20)],
        "reason": "the description says the division Open, the logs of results/16-nodes/bert say Closed",
    }),
}  # fmt: skip
CASES["submitter_of_the_logs"] = {
    "a part of the name": ("9", entry("submitter", "Intel-HabanaLabs", "Habana")),
    "other blanks": ("9", entry("submitter", "JuniperNetworks", "Juniper Networks")),
    "another order": ("9", entry("submitter", "CoreWeave + IBM", "IBM+CoreWeave")),
    "a placeholder": ("", entry("submitter", "Oracle", "SUBMISSION_ORG_PLACEHOLDER")),
    "the maker of the chip": ("!9", entry("submitter", "Oracle", "AMD")),
}

# Rows of serving tables: items in flight, percentiles, numbers of two models, releases.

RATE = {"unit": "sequences/s", "higher_is_better": True}
TIME = {"metric": "latency", "unit": "ms", "higher_is_better": False}


def served(
    lines: range, rate: Any, latency: str, rated: Any = RATE, timed: Any = TIME, **facts: Any
) -> Rows:
    """Throughput and latency, fifty lines below, of each row, at batch size 1 unless said
    otherwise.
    """
    rows: Rows = []
    for line in lines:
        row = {
            "section": "Encoders",
            "task": "inference",
            "platform": "inf2.xlarge",
            "model": f"M{line}",
        } | facts
        row = {"row_line": line, "batch_size": 1} | row
        rows.append(number(line, rate if isinstance(rate, str) else f"{rate(line)}", **rated | row))
        rows.append(number(line + 50, latency, **{"statistic": "p50"} | timed | row))
    return rows


def tokens(lines: range, rate: str) -> Rows:
    return served(
        lines,
        rate,
        "10.0",
        {"item": "tokens", "unit": "tokens/s"},
        TIME | {"metric": "tpot"},
        batch_size=4,
    )


def ttft(high: str) -> Rows:
    row = TIME | {"metric": "ttft", "row_line": 1, "task": "inference"}
    return [number(1, "26.48", statistic="p50", **row), number(2, high, statistic="p99", **row)]


# Two batches in flight, as on a chip with two cores.
SOUND = served(range(1, 7), lambda line: 2000.5 + line, "1.0")
MIXED = served(range(1, 9), lambda line: 1000.0 * 2 ** (line // 2), "1.0")
FIFTEEN = served(range(1, 16), lambda line: 1000.5 + line, "1.0")
# Rows that agree with each other were run in another way.
OTHERS = served(range(20, 23), lambda line: 19 * line // 2 * 10 + 0.5, "10.0")
NINTH, AGAIN = range(9, 10), {"benchmark_key": evidence_of(1)}
CASES["latency_of_table"] = {
    "rows that keep as much in flight": ("51-56", SOUND),
    "a row far too slow": ("51-56 !59", SOUND + served(NINTH, "41.24005048", "1.017"), {
        "reason": "41.24005048 sequences/s at 1.017 ms keep 0.0419 batches of 1 in flight, "
        "where the 7 rows of the table mostly keep about 2"
    }),
    "a long latency": ("51-56 !59", SOUND + served(NINTH, "2000.5", "4.0")),
    "half of it": ("51-56 !59", SOUND + served(NINTH, "1000.5", "1.0")),
    "too few rows": ("", SOUND[:8] + served(NINTH, "41.24", "1.017")),
    "rows of many kinds": ("51-58", MIXED),
    "one far from many kinds": ("51-58 !59", MIXED + served(NINTH, "99000.0", "1.0")),
    "three in another way": ("51-65 70-72", FIFTEEN + OTHERS),
    # Of AWS: `multimodal-perceiver` keeps one in flight in each snapshot, 0.795 at 1254 ms and 0.83
    # at 1250 ms.
    "measured again in its own way": ("51-56 59 251-256 259", [
        *SOUND, *served(NINTH, "0.795", "1254", **AGAIN),
        *served(range(201, 207), lambda line: 2000.5 + line, "1.0", document_id=document_of(2)),
        *served(range(209, 210), "0.83", "1250", document_id=document_of(2), **AGAIN),
    ]),
    "printed again": ("51-56 !59 251-256 !259", [
        *SOUND, *served(NINTH, "0.795", "1254", **AGAIN),
        *served(range(201, 207), lambda line: 2000.5 + line, "1.0", document_id=document_of(2)),
        *served(range(209, 210), "0.795", "1254", document_id=document_of(2), **AGAIN),
    ]),
    "two are too few to agree": ("51-65 !70 !71", FIFTEEN + OTHERS[:4]),
    # The rate of tokens is held against the time of one.
    "tokens": ("51-56 58 !59", tokens(range(1, 7), "400.0") + tokens(range(8, 9), "200.0") + tokens(NINTH, "40.0")),
}  # fmt: skip
CASES["percentiles_in_order"] = {
    "above": ("2", ttft("26.9")), "within the rounding": ("2", ttft("26.5")), "below": ("!2", ttft("24.22")),
}  # fmt: skip


def repeated(second: dict[str, Any], printed: str = "41.24005048", **facts: Any) -> Rows:
    return [
        number(1, printed, **RATE | facts),
        number(2, printed, **RATE | {"model": "B"} | facts | second),
    ]


def jumps(*values: str) -> Given:
    """A benchmark in one release after the other."""
    rows = [
        number(line, value, model=None, task="inference") for line, value in enumerate(values, 1)
    ]
    release = {
        "benchmark_key": evidence_of(1),
        "status": "superseded",
        "stands_in_release": True,
        **RATE,
    }
    history = [
        row | release | {"sdk_version": f"2.{row['line']}", "sdk_order": [2, row["line"]]} for row in rows
    ]  # fmt: skip
    return {
        "resolved__results": [row | {"sdk_order": [2]} for row in rows],
        "main__result_history": history,
    }


def snapshots(*values: str, **facts: Any) -> Given:
    """A benchmark without a release in one snapshot of a page after the other."""
    rows: Rows = []
    documents: Rows = []
    for day, value in enumerate(values, 1):
        of_day = {
            "benchmark_key": evidence_of(1),
            "sdk_order": [-1],
            "document_id": document_of(day),
        }
        rows.append(number(day, value, **RATE | of_day | facts))
        on = datetime(2025, 4, day)
        documents.append(
            {
                "document_id": document_of(day),
                "source": "acme/zoo",
                "snapshot_at": on,
                "snapshot_on": on.date(),
            }
        )
    return {"resolved__results": rows, "raw__documents": documents}


CASES["number_of_two_models"] = {
    # The two places are one fact.
    "one unrounded number": ("!1", repeated({})),
    "one model": ("1 2", repeated({"model": "ResNet-50"})),
    "two documents": ("1 2", repeated({"document_id": document_of(2)})),
    # Rounded numbers meet by chance, times by the steps of their timer.
    "rounded": ("", repeated({}, "41.24")),
    "times": ("", repeated({}, **TIME)),
}  # fmt: skip
CASES["release_jump"] = {
    "some": ("2 3", jumps("100.0", "220.0", "150.0")),
    "far too much": ("!2", jumps("1407.20", "140.14")),
    # What goes back to where it was shows that the one between is out of place.
    "back to where it was": ("!2", jumps("1956.8", "41.24", "2044.3")),
    # A model that fits on one chip from a release on, in all releases before and behind: SSD on a
    # Hailo-8.
    "a step between steady values": ("2 3 4", jumps("140", "148", "784", "784")),
    "a first value of its own": ("!2 3", jumps("3", "3005", "3156")),
    # Of Axelera's page of 2025-04-02: the accuracy of U-Net became its loss.
    "snapshots without a release": ("!2", snapshots("65.95", "0.06"), {
        "reason": "0.06 on 2025-04-02 is 0.00091 times the 65.95 on 2025-04-01"
    }),
    "the same in a release": ("", snapshots("65.95", "0.06", sdk_order=[2])),
    "points between two accuracies": ("", snapshots("0.1", "3.3", unit="points")),
    "a dropped value": ("", snapshots("65.95", "0.06", correction_action="drop")),
}  # fmt: skip


def row_of_round(count: int, **conditions: str) -> Given:
    """A result of MLPerf Inference with a count of accelerators in its field, and what else the row
    says.
    """
    row = number(5, "99.9", accelerator_count=count, metric="throughput")
    stated = [
        {"result_id": row["result_id"], "dimension": name, "value": value}
        for name, value in conditions.items()
    ]
    return {"resolved__results": [row], "resolved__result_conditions": stated}


USED = "Dell PowerEdge XE8640 4xH100-SXM-80GB system (1 GPU used). OCP version: 4.18.16"
CASES["accelerators_of_nodes"] = {
    "as many": ("5", row_of_round(64, nodes="8", accelerators_per_node="8")),
    "others": ("!5", row_of_round(8, nodes="8", accelerators_per_node="8"), {
        "printed": 8, "expected_low": 64,
        "reason": "the row has 8 accelerators, against 8 x 8, nodes times accelerators of each",
    }),
    "nodes alone": ("", row_of_round(8, nodes="8")),
}  # fmt: skip
CASES["accelerators_in_notes"] = {
    "those that are used": ("5", row_of_round(1, notes=USED)),
    "of each node": ("5", row_of_round(16, notes="2 nodes with 8 GPUs", nodes="2")),
    "others": ("!5", row_of_round(8, notes="Powered by 16 GPUs"), {
        "reason": 'the row has 8 accelerators, against the notes "Powered by 16 GPUs"',
    }),
    "no count": ("", row_of_round(8, notes="RHEL 9.6, vllm 0.10.0, GPU operator 25.3")),
    "none": ("!5", row_of_round(1, notes="Dell Pro Max with GB10. CPU only submission")),
    "none, of none": ("5", row_of_round(0, notes="CPU-only submission")),
}  # fmt: skip


def with_notes(notes: str, model: str = "DeepSeek-R1", division: str = "Open") -> Given:
    """A row of a summary of MLPerf, its notes in line 9, and names that the vocabulary knows."""
    row = number(5, "99.9", suite="MLPerf Inference v6.1", model=model, division=division)
    identifier = evidence_of(9)
    noted = {"result_id": row["result_id"], "evidence_id": identifier, "dimension": "notes"}
    names = {
        "DeepSeek-R1": "deepseek-r1", "gpt-oss-120B": "gpt-oss-120b", "Kimi K2.6": "Kimi-K2.6",
        "Llama 2 70B": "llama2-70b", "Qwen3.6 27B": "qwen3.6-27b", "GPT-J 6B": "GPT-J",
    }  # fmt: skip
    return {
        "resolved__results": [row], "resolved__result_conditions": [noted | {"value": notes}],
        "resolved__evidence": [
            {"evidence_id": identifier, "document_id": document_of(1), "line": 9}
        ],
        "resolved__names": [
            {"kind": "models", "name": name, "name_printed": printed, "is_family": False}
            for name, printed in names.items()
        ],
    }  # fmt: skip


OPEN = "8x B200-SXM-180GB (Blackwell). OPEN division. Model = moonshotai/Kimi-K2.6 (kimi_k25, fp8)"
CHECKPOINT = "1200 W GPU power limit. Two dep8 replicas; CentML DeepSeek-R1 NVFP4 v2 checkpoint"
CASES["division_in_notes"] = {
    "the same": ("9", with_notes(OPEN)),
    "the other": ("!9", with_notes("Closed division; DeepSeek-R1 NVFP4 weights + FP8 KV"), {
        "reason": "the row has the division Open, where the notes say Closed",
    }),
    "its rules": ("", with_notes("Used closed Division rules, except for our skip technique")),
    "compared with it": ("", with_notes("No change in model compared to closed division")),
    "no division": ("", with_notes("B300 TGP 1100W")),
}  # fmt: skip
CASES["model_in_notes"] = {
    "the same": ("9", with_notes(CHECKPOINT)),
    "of another row": ("!9", with_notes(CHECKPOINT, "gpt-oss-120B"), {
        "reason": "the row has the model gpt-oss-120B, where the notes say CentML DeepSeek-R1 NVFP4 v2",
    }),
    "another one was run": ("!9", with_notes(OPEN, "Qwen3.6 27B"), {
        "reason": "the row has the model Qwen3.6 27B, where the notes say moonshotai/Kimi-K2.6",
        "inputs": [evidence_of(5)], "printed": 2,
    }),
    "longer": ("9", with_notes("Model = meta/Llama2-70B-Chat", "Llama 2 70B")),
    "one that is not known": ("", with_notes("Model = acme/unknown-1b")),
    "one of several rows": ("", with_notes("INT4 for GPT-J, and INT8 for all other models")),
}  # fmt: skip


def lines(text: str) -> Iterator[tuple[int, bool]]:
    """Each line and whether its relation holds: `1-3 !4`."""
    for part in text.split():
        first, _, last = part.strip("!").partition("-")
        yield from ((line, "!" not in part) for line in range(int(first), int(last or first) + 1))


@pytest.mark.parametrize(
    ("check", "name"), [(check, name) for check, cases in CASES.items() for name in cases]
)
def test_which_numbers_hold_against_others_and_why(check: str, name: str) -> None:
    expected, given, *said = CASES[check][name]
    made = made_of(
        f"internal.{QUERIES[check]}_relations",
        **given if isinstance(given, dict) else {"resolved__results": given},
    )
    made = [row for row in made if row["check_name"] == check]
    assert [(row["line"], row["holds"]) for row in made] == [*lines(expected)]
    for columns in said:
        [row] = [row for row in made if not row["holds"]] or made
        assert {column: row[column] for column in columns} == columns


def failing(*places: tuple[int, int, str, str]) -> Given:
    """Relations that do not hold: the snapshot, the line, the printed number and the one it was
    compared with.
    """
    relations: Rows = []
    evidence: Rows = []
    for at, (day, line, printed, other) in enumerate(places):
        place = {"document_id": document_of(day), "evidence_id": evidence_of(2 * at)}
        relations.append(
            place
            | {
                "relation_id": evidence_of(at),
                "check_name": "percentiles_in_order",
                "line": line,
                "holds": False,
            }
            | {
                "printed": float(printed),
                "inputs": [evidence_of(2 * at + 1)],
                "reason": f"{printed} of line {line}",
            }
        )
        evidence += [
            place | {"text_printed": printed},
            {"evidence_id": evidence_of(2 * at + 1), "text_printed": other},
        ]
    documents = [
        {
            "document_id": document_of(day),
            "source": "aws/trn1",
            "snapshot_at": datetime(2025, 1, day),
        }
        for day in {day for day, *_ in places}
    ]
    return {
        "audit__relations": relations,
        "resolved__evidence": evidence,
        "raw__documents": documents,
    }


def facts_of(*places: tuple[int, int, str, str]) -> list[tuple[int, int, int, int]]:
    made = made_of("audit.discrepancies", **failing(*places))
    return sorted(
        (
            int(row["first_document_id"], 16),
            int(row["document_id"], 16),
            row["documents"],
            row["line"],
        )
        for row in made
    )


def test_a_fact_that_three_snapshots_print_is_one_discrepancy() -> None:
    moved = [(1, 104, "24.22", "26.48"), (2, 118, "24.22", "26.48"), (3, 126, "24.22", "26.48")]
    assert facts_of(*moved) == [(1, 3, 3, 126)]
    assert facts_of(*moved, (3, 58, "10.19", "10.39")) == [(1, 3, 3, 126), (3, 3, 1, 58)]


def test_equal_numbers_at_two_places_of_a_document_are_two_discrepancies() -> None:
    both = [(day, line, "24.22", "26.48") for day in (1, 2) for line in (7, 9)]
    assert facts_of(*both) == [(1, 2, 2, 7), (1, 2, 2, 9)]
    assert facts_of((1, 7, "24.22", "26.48"), (2, 7, "24.22", "26.5")) == [
        (1, 1, 1, 7),
        (2, 2, 1, 7),
    ]


# Of Hailo's model zoo for the Hailo-8: model, and the columns of float and of hardware accuracies
# by snapshot.
FLOAT = [("cas_vit_m", "81.2"), ("cas_vit_s", "79.93"), ("cas_vit_t", "81.9"), ("deit_base", "80.93"),
         ("deit_small", "78.25"), ("deit_tiny", "69.07")]  # fmt: skip
HARDWARE = ["81.01", "79.65", "81.52", "79.9", "77.18", "68.57"]
TWICE = ["80.81", "79.37", "81.14", "78.86", "76.11", "68.07"]
LOSSES = ["0.19", "0.25", "0.29", "0.58", "0.74", "0.62"]


def zoo(*pages: tuple[list[str], list[str]], loss: bool = False, **facts: Any) -> Given:
    """Pages of a zoo, each the snapshot after the other, with two accuracies of each model."""
    given: dict[str, Rows] = {
        "raw__documents": [],
        "resolved__results": [],
        "resolved__result_conditions": [],
    }
    for day, page in enumerate(pages, 1):
        place = {"document_id": document_of(day)}
        given["raw__documents"].append(
            place | {"source": "hailo/zoo", "snapshot_at": datetime(2025, 1, day)}
        )
        for column, printed in enumerate(page):
            for row, ((model, _), text) in enumerate(zip(FLOAT, printed, strict=True)):
                at = day * 100 + column * 20 + row
                quality = {
                    "metric": "accuracy",
                    "unit": "%",
                    "higher_is_better": True,
                    "extractor": "results_page",
                }
                if loss and column:
                    quality |= {
                        "metric": "accuracy_loss",
                        "unit": "points",
                        "higher_is_better": False,
                    }
                line = row * 10 + column
                given["resolved__results"].append(
                    number(line, text, at, row_line=row, **place | quality | facts)
                )
                conditions = {
                    "model": (model, "row"),
                    "arithmetic": (("float", "hardware")[column], "mapping"),
                }
                given["resolved__result_conditions"] += [
                    {
                        "result_id": evidence_of(at),
                        "dimension": dimension,
                        "value": value,
                        "level": level,
                    }
                    for dimension, (value, level) in conditions.items()
                ]
    return given


PRINTED = [text for _, text in FLOAT]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (zoo((PRINTED, HARDWARE), (PRINTED, HARDWARE)), []),
        (
            zoo((PRINTED, HARDWARE), (PRINTED, LOSSES)),
            [("quality_beside_sibling", 2, 6), ("quality_between_snapshots", 2, 6)],
        ),
        (zoo((PRINTED, LOSSES)), [("quality_beside_sibling", 1, 6)]),
        (zoo((PRINTED, HARDWARE), (HARDWARE, TWICE)), [("column_of_snapshot_before", 2, 6)]),
        (zoo((PRINTED, LOSSES), loss=True), []),
        (zoo((PRINTED, HARDWARE), loss=True), [("quality_beside_sibling", 1, 6)]),
        # One model that fails is no fault of its column, nor are a column that stays and a few rows
        # that repeat.
        (zoo((PRINTED, ["0.1", *HARDWARE[1:]])), []),
        (zoo((PRINTED, PRINTED), (PRINTED, HARDWARE)), []),
        (zoo((PRINTED, HARDWARE), ([*HARDWARE[:4], *PRINTED[4:]], TWICE)), []),
        # Throughput with more and with less batches is far apart.
        (zoo((PRINTED, LOSSES), metric="throughput", unit="frames/s"), []),
    ],
)  # fmt: skip
def test_columns_that_hold_something_else(given: Given, found: list[tuple[str, int, int]]) -> None:
    made = made_of("internal.column_relations", **given)
    wrong = [row for row in made if not row["holds"]]
    assert (
        sorted(
            (row["check_name"], int(row["document_id"], 16), int(row["printed"])) for row in wrong
        )
        == found
    )


def test_a_column_is_said_in_a_sentence() -> None:
    [row] = [
        row
        for row in made_of("internal.column_relations", **zoo((PRINTED, LOSSES)))
        if not row["holds"]
    ]
    words = "6 of 6 numbers of the column are less than half of the accuracy beside them, such as 0.19 beside 81.2"
    assert row["reason"] == words
