"""Throughput times time gives the samples of an epoch, the same for every row of a table."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of, printed_value

# Throughput and seconds as a table prints them, one row per pair; each pair is about 70,000 images.
HEALTHY = [("5,833", "12.0"), ("5,109", "13.7"), ("3,111", "22.5"), ("2,954", "23.7"), ("11,052", "6.3")]
BROKEN = ("21,547", "4.9")


def measured(line: int, metric: str, printed: str, **facts: Any) -> dict[str, Any]:
    return {
        "document_id": document_of(1), "line": line, "row_line": line, "section": "Table 4", "task": "training",
        "metric": metric, **printed_value(printed), "bound": "eq",
        "value_printed": printed, "unit": {"throughput": "items/s", "epoch_time": "s"}.get(metric, "s"),
        "evidence_id": evidence_of(line * 10 + (metric == "throughput")),
    } | facts  # fmt: skip


def table(pairs: list[tuple[str, str]], metric: str = "epoch_time", **facts: Any) -> Rows:
    return [
        measured(line, name, printed, **facts)
        for line, (rate, seconds) in enumerate(pairs, 1)
        for name, printed in (("throughput", rate), (metric, seconds))
    ]


def relations(rows: Rows) -> Rows:
    return made_of("internal.rate_relations", resolved__results=rows)


def test_rows_that_agree_all_hold() -> None:
    made = relations(table(HEALTHY))
    assert [row["holds"] for row in made] == [True] * 5
    assert all(row["expected_low"] < row["printed"] < row["expected_high"] for row in made)


def test_the_row_that_disagrees_does_not_hold_and_is_explained() -> None:
    [broken] = [row for row in relations(table([*HEALTHY, BROKEN])) if not row["holds"]]
    assert (broken["line"], broken["printed"], broken["check_name"]) == (6, 21547, "throughput_times_time")
    assert broken["evidence_id"] == evidence_of(61)
    assert broken["inputs"] == [evidence_of(60)]
    assert 13000 < broken["expected_low"] < 14300 < broken["expected_high"] < 15500
    assert broken["reason"] == (
        "21,547 items/s for 4.9 s are about 105,580 samples, "
        "where the 5 rows of the table that agree give 69,628 to 70,010"
    )


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("change", [("throughput", 10), ("throughput", 0.5), ("epoch_time", 10), ("epoch_time", 1.5)])
def test_a_number_broken_anywhere_is_found(place: int, change: tuple[str, float]) -> None:
    rows = table(HEALTHY)
    for row in rows:
        if (row["line"], row["metric"]) == (place + 1, change[0]):
            row.update({name: row[name] * change[1] for name in ("value", "value_low", "value_high")})
    assert [row["line"] for row in relations(rows) if not row["holds"]] == [place + 1]


def test_last_batches_that_are_dropped_are_no_discrepancy() -> None:
    # 69,120 samples of 70,000, and times rounded to seconds.
    made = relations(table([*HEALTHY, ("13,824", "5.0"), ("2,954", "24")]))
    assert [row["holds"] for row in made] == [True] * 7


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(table([*HEALTHY[:2], BROKEN]), id="too few rows"),
        pytest.param(table([*HEALTHY[:2], BROKEN, ("100", "70")]), id="rows that do not mostly agree"),
        pytest.param(table([*HEALTHY, BROKEN], metric="time_to_train"), id="trainings with epochs of their own number"),
        pytest.param(table(HEALTHY[:3]) + table([BROKEN] * 3, model="ViT"), id="models with few rows each"),
        pytest.param(
            [row | {"document_id": document_of(row["line"])} for row in table([*HEALTHY, BROKEN])], id="documents"
        ),
        pytest.param(table([*HEALTHY, BROKEN], bound="up_to"), id="bounds"),
    ],
)
def test_nothing_is_said_of(rows: Rows) -> None:
    assert relations(rows) == []


def test_each_workload_has_samples_of_its_own() -> None:
    other = [row | {"line": row["line"] + 20, "row_line": row["line"] + 20} for row in table([BROKEN] * 4, model="ViT")]
    for row in other:
        row["evidence_id"] = evidence_of(row["line"] * 10 + (row["metric"] == "throughput"))
    made = relations(table(HEALTHY) + other)
    assert [row["holds"] for row in made] == [True] * 9
