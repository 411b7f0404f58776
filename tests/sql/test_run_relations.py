"""Runs of a log: the stated training time fits the epochs, and epochs have the same samples."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of

Log = dict[str, Rows]


def log(*runs: dict[str, Any]) -> Log:
    """Runs as `run(...)` gives them, one behind the other."""
    made: Log = {"resolved__training_runs": [], "resolved__training_epochs": []}
    for number, facts in enumerate(runs, 1):
        facts = dict(facts)
        run_id, line, times, steps = evidence_of(number), number * 100, facts.pop("times"), facts.pop("steps", None)
        made["resolved__training_runs"].append(
            {
                "document_id": document_of(1), "run_id": run_id, "line": line + 90,
                "evidence_id": evidence_of(line + 90), "accelerator": "A100", "accelerator_count": 1,
                "epochs": len(times),
            } | facts
        )  # fmt: skip
        made["resolved__training_epochs"] += [
            {
                "document_id": document_of(1), "run_id": run_id, "epoch": epoch, "line": line + epoch,
                "evidence_id": evidence_of(line + epoch), "epoch_time_s": seconds, "steps": steps,
            }
            for epoch, seconds in enumerate(times, 1)
        ]  # fmt: skip
    return made


def run(stated: float | None, *times: float | None, **facts: Any) -> dict[str, Any]:
    return {"training_time_s": stated, "times": times, **facts}


USUAL = (run(815.4, 287, 259, 259), run(95.347, 39, 23, 23), run(54.4, 28, 12, 12))


def relations(given: Log, check: str = "training_time_of_epochs") -> Rows:
    return [row for row in made_of("internal.run_relations", **given) if row["check_name"] == check]


def failing(*runs: dict[str, Any]) -> list[float]:
    return [row["printed"] for row in relations(log(*runs)) if not row["holds"]]


def test_setup_and_rounding_are_no_discrepancy() -> None:
    made = relations(log(*USUAL, run(109.72, 66, 22, 22), run(499.74, 453, 22, 24)))
    assert [row["holds"] for row in made] == [True] * 5
    assert all(row["expected_low"] <= row["printed"] <= row["expected_high"] for row in made)


def test_a_time_that_repeats_another_runs_is_found_and_explained() -> None:
    made = relations(log(*USUAL, run(95.337, 30, 14, 14)))
    assert [row["holds"] for row in made] == [True, True, True, False]
    assert made[3]["inputs"] == [evidence_of(401), evidence_of(402), evidence_of(403)]
    assert made[3]["expected_high"] < 72
    assert made[3]["reason"] == (
        "the stated training time of 95.337 s does not fit the epochs, which are 30 + 14 + 14 = 58 s; "
        "it nearly repeats the 95.347 s of another run in line 290"
    )


def test_less_than_the_epochs_is_impossible_even_in_a_log_of_one_run() -> None:
    assert failing(run(399.7, 453, 22, 24)) == [399.7]


def test_far_more_than_the_epochs_is_found_where_other_runs_fit() -> None:
    assert failing(*USUAL, run(120.0, 30, 14, 14)) == [120.0]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("factor", [0.1, 0.7, 10])
def test_a_stated_time_broken_anywhere_is_found(place: int, factor: float) -> None:
    first = run(60.0, 20, 20, 20)
    runs = [first, *USUAL, run(811.5, 287, 259, 259)]
    broken = runs[place + 1] | {"training_time_s": runs[place + 1]["training_time_s"] * factor}
    assert failing(*runs[: place + 1], broken, *runs[place + 2 :]) == [broken["training_time_s"]]


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([run(140.0, 30, 14, 14), *USUAL], id="the first run, which may compile for all"),
        pytest.param([run(120.0, 30, 14, 14), run(150.0, 40, 20, 20)], id="a log that always takes longer"),
        pytest.param([*USUAL, run(80.0, 30, 14, 14)], id="somewhat more setup than usual"),
        pytest.param([*USUAL, run(30.0, 30, None, 14)], id="an epoch without a time"),
        pytest.param([*USUAL, run(30.0, 30, 14, epochs_planned=3)], id="a run that was interrupted"),
        pytest.param([*USUAL, run(None, 30, 14, 14)], id="no stated time"),
        pytest.param([*USUAL, run(95.34, 39, 23, 23)], id="two runs alike"),
        pytest.param([*USUAL, run(8.31, 453, 22, 24)], id="minutes"),
        pytest.param([*USUAL, run(46.0, 453, 22, 24)], id="without the epoch that compiles"),
        pytest.param([*USUAL, run(24.2, 453, 22, 24)], id="of the last epoch"),
    ],
)
def test_nothing_fails_with(runs: list[dict[str, Any]]) -> None:
    assert failing(*runs) == []


SAMPLED = (
    run(None, 23, 23, steps=546, batch_size=128),
    run(None, 14, 14, steps=273, batch_size=256),
    run(None, 12, 12, steps=136, batch_size=512),
)


def test_epochs_have_the_same_samples_in_batches_of_each_or_of_all_devices() -> None:
    of_each = run(None, 22, steps=272, batch_size=128, accelerator_count=2)
    of_all = run(None, 9, steps=6912, batch_size=10, accelerator_count=16)
    made = relations(log(*SAMPLED, of_each, of_all), "samples_per_epoch")
    assert [row["holds"] for row in made] == [True] * 8
    assert all(row["expected_low"] <= row["printed"] <= row["expected_high"] for row in made)
    assert made[6]["reason"] == (
        "272 steps of 256 are 69,632 samples per epoch, as the epochs on one device mostly have 69,888"
    )


@pytest.mark.parametrize(("devices", "steps"), [(1, 1092), (1, 54), (2, 2720), (16, 5460)])
def test_steps_that_are_broken_are_found(devices: int, steps: int) -> None:
    broken = run(None, 22, steps=steps, batch_size=128, accelerator_count=devices)
    made = relations(log(*SAMPLED, broken), "samples_per_epoch")
    assert [row["printed"] for row in made if not row["holds"]] == [steps]


def test_devices_may_gather_the_gradients_of_several_batches() -> None:
    gathering = run(None, 22, steps=34, batch_size=128, accelerator_count=2)
    made = relations(log(*SAMPLED, gathering), "samples_per_epoch")
    assert [row["printed"] for row in made] == [546, 546, 273, 273, 136, 136]


def test_runs_on_several_datasets_have_no_common_samples() -> None:
    others = [run(None, 23, 23, steps=steps, batch_size=128) for steps in (100, 900)]
    assert relations(log(*SAMPLED[:2], *others), "samples_per_epoch") == []
