"""More accelerators are at most as many times as fast."""

from __future__ import annotations

from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of, printed_value


def pods(*points: tuple[int, str], **facts: Any) -> Rows:
    return [
        {
            "document_id": document_of(1), "line": line, "evidence_id": evidence_of(line), "task": "training",
            "model": "ResNet-50", "platform": f"IPU-POD{count}", "accelerator_count": count, "metric": "throughput",
            "value_printed": printed, "bound": "eq", "unit": "items/s", **printed_value(printed),
        } | facts
        for line, (count, printed) in enumerate(points, 1)
    ]  # fmt: skip


HEALTHY = pods((16, "30,690"), (64, "108,566"), (128, "205,006"), (256, "365,040"))


def relations(rows: Rows) -> Rows:
    return made_of("internal.scaling_relations", resolved__results=rows)


def test_efficiencies_below_one_hold() -> None:
    made = relations(HEALTHY)
    assert [row["holds"] for row in made] == [True] * 3
    assert made[0]["reason"] == (
        "108,566 items/s on 64 accelerators are 3.54 times the 30,690 of line 1 on 16, an efficiency of 0.88"
    )


@pytest.mark.parametrize("broken", [(64, "1,085,660"), (64, "208,566")])
def test_more_than_linear_is_found(broken: tuple[int, str]) -> None:
    [relation] = relations(pods((16, "30,690"), broken))
    assert (relation["holds"], relation["inputs"]) == (False, [evidence_of(1)])
    assert relation["expected_high"] < relation["printed"]


def test_a_little_more_than_linear_is_no_discrepancy() -> None:
    [relation] = relations(pods((16, "1,000"), (64, "4,600")))
    assert relation["holds"]


@pytest.mark.parametrize(
    "larger",
    [
        pytest.param({"sdk_version": "3.0"}, id="another release"),
        pytest.param({"platform": "Bow Pod64"}, id="another device"),
        pytest.param({"platform": "IPU-M2000"}, id="another platform"),
        pytest.param({"attributes": "TP 8"}, id="another way to spread"),
        pytest.param({"model": "ViT"}, id="another model"),
        pytest.param({"precision": "16.32"}, id="another precision"),
        pytest.param({"document_id": document_of(2)}, id="another document"),
        pytest.param({"bound": "up_to"}, id="a bound"),
    ],
)
def test_nothing_is_said_of(larger: dict[str, Any]) -> None:
    smaller, faster = pods((16, "1,000"), (64, "9,000"))
    assert relations([smaller, faster | larger]) == []


def test_a_language_model_that_needs_the_memory_is_left_alone() -> None:
    facts = {"task": "inference", "item": "tokens", "platform": "H100"}
    assert relations(pods((2, "1,500"), (8, "9,600"), **facts)) == []


def test_only_equal_batches_compare_where_a_size_has_several() -> None:
    one = pods((1, "270"), (1, "5,833"), platform="A100")
    two = pods((2, "274"), (2, "8,642"), platform="A100")
    for number, (row, batch) in enumerate(zip(one + two, (10, 512, 10, 512), strict=True), 1):
        row.update(line=number, evidence_id=evidence_of(number), batch_size=batch)
    made = relations(one + two)
    assert [(row["line"], row["inputs"], row["holds"]) for row in made] == [
        (3, [evidence_of(1)], True),
        (4, [evidence_of(2)], True),
    ]
