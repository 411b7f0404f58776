"""A table against the log beside it: the epochs it names, and the samples that it implies."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of, printed_value

Given = dict[str, Rows]


def beside(
    printed: str = "9.0",
    rate: str = "7,743",
    times: tuple[float, ...] = (493, 9, 9),
    steps: int = 6992,
    *,
    epoch: int | None = 2,
    count: int = 4,
    batch_size: int | None = None,
    **row: Any,
) -> Given:
    """One row of a table and the run of the log beside it, as the log of 4 devices has them."""
    place = count * 100
    facts = {
        "document_id": document_of(1), "line": place + 50, "row_line": place + 50, "platform": "GC200 IPU",
        "vendor": "Graphcore", "accelerator_count": count, "batch_size": 10, "bound": "eq",
    } | row  # fmt: skip
    seconds = {
        "metric": "epoch_time", "evidence_id": evidence_of(place + 50), "value_printed": printed, "unit": "s",
        "epoch": epoch, **printed_value(printed),
    }  # fmt: skip
    throughput = {
        "metric": "throughput", "evidence_id": evidence_of(place + 51), "value_printed": rate, "unit": "items/s",
        **printed_value(rate),
    }  # fmt: skip
    run = {
        "document_id": document_of(1), "run_id": evidence_of(count), "line": place + 9, "accelerator": "IPU",
        "vendor": "Graphcore", "accelerator_count": count, "batch_size": batch_size, "epochs": len(times),
    }  # fmt: skip
    epochs = [
        {
            "document_id": document_of(1), "run_id": evidence_of(count), "epoch": number, "line": place + number,
            "steps": steps, "evidence_id": evidence_of(place + number), "epoch_time_s": taken,
        }
        for number, taken in enumerate(times, 1)
    ]  # fmt: skip
    return {"results": [facts | seconds, facts | throughput], "training_runs": [run], "training_epochs": epochs}


# Two more rows of the table and their runs, which fit.
FITTING = [
    beside("13.5", "5,185", (456, 13, 13), 7000, count=2),
    beside("11.7", "5,983", (54, 12, 12), 6992, count=32),
]


def together(*given: Given) -> Given:
    return {name: [row for one in given for row in one[name]] for name in given[0]}


def tabled(given: Given) -> Rows:
    return made_of(
        "internal.tabled_runs",
        resolved__results=given["results"],
        resolved__training_runs=given["training_runs"],
    )


def relations(given: Given, check: str, count: int = 4) -> Rows:
    made = made_of(
        "internal.log_table_relations",
        resolved__results=given["results"],
        resolved__training_epochs=given["training_epochs"],
        resolved__training_runs=given["training_runs"],
    )
    return [row for row in made if row["check_name"] == check and row["line"] == count * 100 + 50]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(beside(), id="the epoch named"),
        pytest.param(beside("12.5", times=(40, 13, 12)), id="the edge of rounding"),
        pytest.param(beside("6.3", times=(499, 7, 7)), id="a clock that starts with the first step"),
        pytest.param(beside("9.0", epoch=None), id="no epoch named"),
        pytest.param(beside("9.0", epoch=3), id="another epoch named"),
    ],
)
def test_a_time_of_the_log_holds(given: Given) -> None:
    [relation] = relations(given, "epoch_time_in_log")
    assert relation["holds"]
    assert relation["expected_low"] <= relation["printed"] <= relation["expected_high"]


def test_an_epoch_that_fits_goes_before_one_that_nearly_fits() -> None:
    [relation] = relations(beside("23.7", times=(453, 22, 24)), "epoch_time_in_log")
    assert not relation["holds"]


def test_the_time_of_another_epoch_is_found_and_explained() -> None:
    [relation] = relations(beside("4.9", times=(504, 9, 5)), "epoch_time_in_log")
    assert not relation["holds"]
    assert (relation["expected_low"], relation["expected_high"], relation["printed"]) == (8.5, 9.5, 4.9)
    assert relation["inputs"] == [evidence_of(402)]
    assert relation["reason"] == (
        "the table prints 4.9 s for epoch 2, where the log has 9 s from line 402; epoch 3 has 5 s"
    )


@pytest.mark.parametrize(
    "broken", [beside("19.0"), beside("4.0"), beside("4.0", epoch=None), beside("800", epoch=None)]
)
def test_a_time_that_no_epoch_has_is_found_where_other_rows_fit(broken: Given) -> None:
    [relation] = relations(together(broken, *FITTING), "epoch_time_in_log")
    assert not relation["holds"]
    for few in (broken, together(broken, FITTING[0])):
        assert relations(few, "epoch_time_in_log") == []


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(beside(), id="batches of all devices"),
        pytest.param(beside("255.5", "274", (299, 256, 256), 1750), id="batches of each device"),
        pytest.param(beside("5.0", "13,824", (504, 5, 5), 6912), id="last batches dropped"),
    ],
)
def test_samples_of_the_log_hold(given: Given) -> None:
    [relation] = relations(given, "samples_in_log")
    assert relation["holds"]
    assert relation["expected_low"] <= relation["printed"] <= relation["expected_high"]


def test_samples_that_the_log_does_not_have_are_found_and_explained() -> None:
    given = together(beside("4.9", "21,547", (504, 9, 5), 6912, count=16), *FITTING)
    [relation] = relations(given, "samples_in_log", 16)
    assert not relation["holds"]
    assert 13000 < relation["expected_low"] < relation["expected_high"] < 15000 < relation["printed"]
    assert relation["reason"] == (
        "21,547 items/s for 4.9 s are about 105,580 samples, "
        "where the log counts 6,912 steps of 10 = 69,120 samples in line 1602"
    )


def test_a_table_that_counts_otherwise_than_the_log_says_nothing() -> None:
    # Gradients of eight micro batches in one step, in every run.
    rows = [beside("9.0", "7,743", steps=874, count=count) for count in (1, 2, 3)]
    assert [relations(together(*rows), "samples_in_log", count) for count in (1, 2, 3)] == [[], [], []]


@pytest.mark.parametrize(
    "row",
    [{"accelerator_count": 8}, {"vendor": "NVIDIA", "platform": "A100"}, {"document_id": document_of(2)}],
)
def test_a_row_about_another_run_has_none(row: dict[str, Any]) -> None:
    assert tabled(beside(**row)) == []


def test_a_row_that_may_be_about_two_runs_has_none() -> None:
    given = beside()
    given["training_runs"].append(given["training_runs"][0] | {"run_id": evidence_of(9)})
    assert tabled(given) == []


def test_the_device_of_its_own_name_goes_before_one_of_its_vendor() -> None:
    given = beside()
    given["training_runs"].append(given["training_runs"][0] | {"run_id": evidence_of(9), "accelerator": "GC200 IPU"})
    assert [row["run_id"] for row in tabled(given)] == [evidence_of(9)]


def test_the_batch_size_of_the_table_stands_where_the_log_has_none() -> None:
    assert [row["batch_size"] for row in tabled(beside())] == [10]
    assert tabled(beside(batch_size=128)) == []
