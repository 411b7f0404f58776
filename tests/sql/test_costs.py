"""Costs and energy of a token, and frontiers, with given rows."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import duckdb
import pytest
from sql.given_rows import Rows, document_of, evidence_of, made_of

from pipelines.warehouse.queries import cost_macros

DOCUMENTS: Rows = [
    {
        "document_id": document_of(number),
        "source": f"{publisher.lower()}/page-{number}",
        "publisher": publisher,
        "snapshot_on": date(2026, number, 1),
        "snapshot_at": datetime(2026, number, 1),
    }
    for number, publisher in enumerate(["NVIDIA", "Cloud", "Maker", "Cloud"], 1)
]


def result(number: int, value: float, **more: Any) -> dict[str, Any]:
    """A rate of 8 chips of one kind, as a page prints it."""
    return {
        "result_id": evidence_of(number), "evidence_id": evidence_of(number), "document_id": document_of(1),
        "benchmark_key": evidence_of(number), "publisher": "NVIDIA", "source": "nvidia/page-1",
        "task": "inference", "model": "Llama", "model_family": "Llama", "platform": "H100 SXM",
        "platform_kind": "chip", "vendor": "NVIDIA", "chip": "H100 SXM", "chips": 8, "accelerator_count": 8,
        "metric": "throughput", "unit": "output tokens/s", "item": "output tokens", "value": value,
        "bound": "eq", "precision": "FP8",
    } | more  # fmt: skip


def current(*rows: dict[str, Any]) -> dict[str, Rows]:
    """Results that are all current."""
    return {"resolved__results": list(rows), "main__current_results": list(rows)}


def price(number: int, usd: float, accelerators: int | None = 8, **more: Any) -> dict[str, Any]:
    """An hourly price of an instance."""
    return {
        "evidence_id": evidence_of(number), "document_id": document_of(2), "publisher": "Cloud",
        "source": "cloud/page-2", "valid_from": date(2026, 2, 1), "line": number, "platform": f"instance-{accelerators}",
        "platform_kind": "instance", "chip": "H100 SXM", "vendor": "NVIDIA", "accelerator_count": accelerators,
        "fact": "hourly_price", "terms": "on demand", "value": usd, "bound": "eq", "unit": "USD/h",
    } | more  # fmt: skip


def costs(rate: dict[str, Any], *prices: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Accelerators, terms, what the price is of, USD of a chip for an hour and of a million tokens."""
    made = made_of(
        "main.token_costs",
        **current(rate),
        resolved__platform_facts=list(prices),
        raw__documents=DOCUMENTS,
    )
    columns = (
        "price_accelerators",
        "price_terms",
        "price_is_of",
        "usd_per_chip_hour",
        "usd_per_million_tokens",
    )
    return [tuple(row[name] for name in columns) for row in made]


ONE_CHIP = {"platform": "H100 SXM", "platform_kind": "chip"}
# 3,600 tokens in a second are 12.96 million in an hour.
MILLIONS = 12.96


@pytest.mark.parametrize(
    ("rate", "prices", "expected"),
    [
        pytest.param(
            result(1, 3600), [price(11, 80)], [(8, "on demand", "instance", 10, 80 / MILLIONS)],
            id="eight chips on an instance of eight",
        ),
        pytest.param(
            result(1, 3600, chips=2), [price(11, 80)],
            [(8, "on demand", "share of an instance", 10, 20 / MILLIONS)],
            id="two of eight chips cost a quarter",
        ),
        pytest.param(
            result(1, 3600, chips=16, conditions={"accelerators_per_node": "8"}), [price(11, 80), price(12, 12, 1)],
            [(8, "on demand", "several instances", 10, 160 / MILLIONS)],
            id="two nodes of eight chips are two instances of eight",
        ),
        pytest.param(
            result(1, 3600, chips=16), [price(11, 80)], [], id="sixteen chips in nobody knows how many nodes",
        ),
        pytest.param(
            result(1, 3600, conditions={"accelerators_per_node": "8"}), [price(11, 20, 2)], [],
            id="one node of eight chips is not four instances of two",
        ),
        pytest.param(
            result(1, 3600, conditions={"accelerators_per_node": "4"}), [price(11, 80), price(12, 40, 4)],
            [(4, "on demand", "several instances", 10, 80 / MILLIONS)],
            id="two nodes of four chips are not one instance of eight",
        ),
        pytest.param(
            result(1, 3600, chips=3), [price(11, 80), price(12, 12, 1)], [],
            id="no instance has three chips or a multiple of them",
        ),
        pytest.param(
            result(1, 3600, chips=12), [price(11, 80)], [], id="twelve chips are no whole instances",
        ),
        pytest.param(
            result(1, 3600), [price(11, 5, 1, **ONE_CHIP)],
            [(1, "on demand", "chip", 5, 40 / MILLIONS)], id="a price of a chip holds for any number",
        ),
        pytest.param(
            result(1, 3600), [price(11, 80), price(12, 40, terms="spot")],
            [(8, "spot", "instance", 5, 40 / MILLIONS), (8, "on demand", "instance", 10, 80 / MILLIONS)],
            id="each terms has a row",
        ),
        pytest.param(
            result(1, 3600),
            [price(11, 80), price(12, 90, document_id=document_of(4), valid_from=date(2026, 4, 1))],
            [(8, "on demand", "instance", 11.25, 90 / MILLIONS)], id="the latest price of a source",
        ),
        pytest.param(
            result(1, 3600), [price(11, 80), price(12, 72, source="other/list", publisher="Other")],
            [(8, "on demand", "instance", 9, 72 / MILLIONS), (8, "on demand", "instance", 10, 80 / MILLIONS)],
            id="each seller has a row",
        ),
        pytest.param(
            result(1, 3600), [price(11, 80, conditions={"region": "a"}), price(12, 88, conditions={"region": "b"})],
            [(8, "on demand", "instance", 10, 80 / MILLIONS), (8, "on demand", "instance", 11, 88 / MILLIONS)],
            id="each region has a row",
        ),
        pytest.param(result(1, 3600), [price(11, 80, chip="H100 PCIe")], [], id="another chip"),
        pytest.param(result(1, 3600), [price(11, 80, bound="lt")], [], id="a bound is no price"),
        pytest.param(result(1, 3600), [price(11, 80, None)], [], id="a price of nobody knows how many"),
        pytest.param(
            result(1, 3600), [price(11, 9e5, fact="price", terms="list", unit="USD")], [],
            id="a purchase price is no hourly price",
        ),
        pytest.param(result(1, 3600, chips=None), [price(11, 80)], [], id="a rate of unknown chips"),
        pytest.param(
            result(1, 450, chips=None, metric="throughput_per_device"), [price(11, 80)],
            [(8, "on demand", "share of an instance", 10, 80 / MILLIONS)],
            id="a rate per chip is that of one chip",
        ),
        pytest.param(
            result(1, 450, metric="throughput_per_device"), [price(11, 80)],
            [(8, "on demand", "instance", 10, 80 / MILLIONS)], id="a rate per chip of eight chips",
        ),
        pytest.param(
            result(1, 3600, platform="instance-8", platform_kind="instance"),
            [price(11, 80), price(12, 99, platform="other-8")],
            [(8, "on demand", "instance", 10, 80 / MILLIONS)],
            id="what was measured on an instance is bought as this instance",
        ),
        pytest.param(result(1, 3600, task="training"), [price(11, 80)], [], id="training"),
        pytest.param(result(1, 3600, bound="up_to"), [price(11, 80)], [], id="a rate of up to"),
        pytest.param(
            result(1, 3600, unit="images/s", item="images"), [price(11, 80)], [], id="images are no tokens",
        ),
    ],
)  # fmt: skip
def test_a_million_tokens_cost_what_the_chips_cost_meanwhile(
    rate: dict[str, Any], prices: Rows, expected: list[tuple[Any, ...]]
) -> None:
    assert costs(rate, *prices) == [
        (*words, pytest.approx(chip), pytest.approx(million)) for *words, chip, million in expected
    ]


@pytest.mark.parametrize(
    ("metric", "unit", "counted"),
    [
        ("throughput", "output tokens/s", "output"),
        ("throughput", "input tokens/s", "input"),
        ("throughput", "tokens/s", "not stated"),
        ("throughput_per_device", "tokens/s", "not stated"),
        ("prefill_throughput", "tokens/s", "input"),
        ("total_token_throughput", "tokens/s", "total"),
        ("total_token_throughput", "total tokens/s", "total"),
        ("throughput", "images/s", None),
        ("throughput_per_user", "tokens/s/user", None),
    ],
)
def test_what_a_rate_counts_is_what_is_printed(metric: str, unit: str, counted: str | None) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(cost_macros())
        row = connection.execute("select tokens_counted(?, ?)", [metric, unit]).fetchone()
    assert row == (counted,)


def test_readers_compute_costs_with_their_own_price() -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(cost_macros())
        [row] = connection.execute("select cost_per_million_tokens(3600, 8, 2.10)").fetchall()
    assert row == (pytest.approx(8 * 2.10 / MILLIONS),)


def rating(number: int, watts: float, **more: Any) -> dict[str, Any]:
    """The rated power of a chip in a data sheet."""
    return {
        "evidence_id": evidence_of(number), "document_id": document_of(3), "publisher": "Maker",
        "source": "maker/page-3", "valid_from": date(2026, 3, 1), "line": number, "platform": "H100 SXM",
        "platform_kind": "chip", "chip": "H100 SXM", "vendor": "NVIDIA", "accelerator_count": 1,
        "fact": "rated_power", "value": watts, "bound": "eq", "unit": "W",
    } | more  # fmt: skip


def power(number: int, watts: float, **more: Any) -> dict[str, Any]:
    """The power that the page prints beside the rate."""
    facts = {"metric": "power", "unit": "W", "item": None, "suite": "MLPerf Inference v4.1"}
    return result(number, watts, **(facts | more))


MLPERF = {"suite": "MLPerf Inference v4.1"}
IMAGES = {"unit": "images/s", "item": "images"}


@pytest.mark.parametrize(
    ("rows", "facts", "expected"),
    [
        pytest.param(
            [result(1, 2000, **MLPERF), power(2, 5000)], [rating(21, 700)], ("measured", "eq", 5000, 8, 2.5),
            id="measured power of the system comes first",
        ),
        pytest.param(
            [result(1, 2000)], [rating(21, 700)], ("rated", "up_to", 700, 1, 2.8),
            id="eight times the rated power of a chip",
        ),
        pytest.param(
            [result(1, 250, metric="throughput_per_device", chips=None)], [rating(21, 700)],
            ("rated", "up_to", 700, 1, 2.8), id="a rate per chip",
        ),
        pytest.param(
            [result(1, 2000, **MLPERF), power(2, 5000, scenario="Server")], [], None,
            id="the power of another run",
        ),
        pytest.param(
            [result(1, 2000, **MLPERF), power(2, 5000, document_id=document_of(4))], [], None,
            id="the power on another page",
        ),
        pytest.param(
            [result(1, 2000), power(2, 700, suite=None)], [rating(21, 700)], ("rated", "up_to", 700, 1, 2.8),
            id="a power beside eight chips may be that of one",
        ),
        pytest.param(
            [result(1, 350, chips=1), power(2, 700, suite=None, chips=1)], [], ("measured", "eq", 700, 1, 2),
            id="a power beside one chip",
        ),
        pytest.param(
            [result(1, 2000, **MLPERF), power(2, 5000), power(3, 4000, statistic="mean")], [], None,
            id="two powers of one run are of different parts",
        ),
        pytest.param(
            [result(1, 2000, **MLPERF), power(2, 5000), power(3, 9000, statistic="max")], [],
            ("measured", "eq", 5000, 8, 2.5), id="the peak is not the mean",
        ),
        pytest.param(
            [result(1, 2000, **IMAGES), power(2, 0.5, metric="energy_consumption", unit="J", unit_printed="J/image",
                                              suite=None)],
            [rating(21, 700)], ("measured", "eq", None, None, 0.5), id="printed energy of an item",
        ),
        pytest.param(
            [result(1, 2000, **IMAGES), power(2, 500, metric="energy_consumption", unit="J", unit_printed="kJ",
                                              suite=None)],
            [], None, id="printed energy of nobody knows what",
        ),
        pytest.param(
            [result(1, 2000), power(2, 0.5, metric="energy_consumption", unit="J", unit_printed="J/inf", suite=None)],
            [], None, id="the energy of an answer is not that of a token",
        ),
        pytest.param(
            [result(1, 2000), power(2, 0.5, metric="energy_per_token", unit="J/token", suite=None)],
            [], ("measured", "eq", None, None, 0.5), id="printed energy of a token",
        ),
        pytest.param(
            [result(1, 2000)], [rating(21, 600), rating(22, 700, conditions={"form_factor": "SXM"})],
            ("rated", "up_to", 700, 1, 2.8), id="the highest of several editions is the bound",
        ),
        pytest.param(
            [result(1, 2000)], [rating(21, 700, conditions={"basis": "estimate"})], None,
            id="an estimate is no rating",
        ),
        pytest.param([result(1, 2000)], [rating(21, 700, accelerator_count=None)], None, id="a rating of how many"),
        pytest.param(
            [result(1, 300, platform="Card", platform_kind="card", chips=2)],
            [rating(21, 300, platform="Card", platform_kind="card", accelerator_count=2), rating(22, 700)],
            ("rated", "up_to", 300, 2, 1), id="a card of two chips by its own rating",
        ),
        pytest.param(
            [result(1, 2000)],
            [rating(21, 300, platform="Card", platform_kind="card", accelerator_count=2)], None,
            id="a card that holds the chip does not rate it",
        ),
        pytest.param([result(1, 2000, chips=None)], [rating(21, 700)], None, id="a rate of unknown chips"),
        pytest.param(
            [result(1, 2000, unit="items/s", item="items")], [rating(21, 700)], None, id="nobody says what is counted",
        ),
    ],
)  # fmt: skip
def test_energy_is_by_measured_power_else_by_rated_power(
    rows: Rows, facts: Rows, expected: tuple[Any, ...] | None
) -> None:
    made = made_of(
        "main.energy", **current(*rows), resolved__platform_facts=facts, raw__documents=DOCUMENTS
    )
    columns = ("power_basis", "joules_bound", "power_w", "power_chips", "joules_per_item")
    found = [tuple(row[name] for name in columns) for row in made]
    assert found == ([(*expected[:-1], pytest.approx(expected[-1]))] if expected else [])


def point(number: int, rate: float, milliseconds: float, **more: Any) -> Rows:
    """Throughput and latency of one run."""
    load = {"concurrency": number} | more
    slow = {"metric": "tpot", "unit": "ms", "item": None, "statistic": "mean"}
    return [result(number, rate, **load), result(number + 50, milliseconds, **(slow | load))]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        pytest.param([(1, 80, 5), (2, 160, 9), (3, 240, 20)], [5, 9, 20], id="all are on it"),
        pytest.param([(1, 80, 5), (2, 160, 9), (3, 120, 12)], [5, 9], id="slower and less"),
        pytest.param([(1, 80, 5), (2, 160, 9), (3, 160, 12)], [5, 9], id="slower and as much"),
        pytest.param([(1, 80, 5), (2, 160, 9), (3, 120, 9)], [5, 9], id="as slow and less"),
        pytest.param([(1, 80, 5), (2, 160, 9), (3, 160, 9)], [5, 9, 9], id="two equal points"),
        pytest.param([(1, 80, 5)], [], id="one point is no frontier"),
        pytest.param([(1, 160, 5), (2, 80, 9)], [5], id="one point dominates all"),
        pytest.param(
            [(1, 80, 5), (2, 160, 9, {"chips": 1, "accelerator_count": 1})], [5, 9], id="per chip",
        ),
        pytest.param([(1, 80, 5), (2, 160, 9, {"precision": "FP16"})], [], id="another precision"),
        pytest.param([(1, 80, 5), (2, 160, 9, {"input_length": 9})], [], id="other lengths"),
        pytest.param([(1, 80, 5), (2, 160, 9, {"framework": "vLLM"})], [], id="another framework"),
        pytest.param([(1, 80, 5), (2, 160, 9, {"tensor_parallel": 4})], [5, 9], id="other parallelism"),
        pytest.param([(1, 80, 5), (2, 160, 9, {"conditions": {"mode": "fast"}})], [], id="another mode"),
    ],
)  # fmt: skip
def test_a_frontier_has_the_points_that_no_other_dominates(
    points: list[Any], expected: list[float]
) -> None:
    rows = []
    for number, rate, milliseconds, *more in points:
        rows += point(number, rate, milliseconds, **(more[0] if more else {}))
    made = made_of("main.frontier", **current(*rows))
    assert [row["latency_value"] for row in made] == expected
    assert {row["points"] for row in made} <= {len(points)}


def test_more_interactivity_is_better() -> None:
    rows = []
    for number, rate, per_user in ((1, 80, 100), (2, 160, 60), (3, 120, 50)):
        user = {"metric": "throughput_per_user", "unit": "tokens/s/user", "item": "tokens"}
        rows += [
            result(number, rate, concurrency=number),
            result(number + 50, per_user, concurrency=number, **user),
        ]
    made = made_of("main.frontier", **current(*rows))
    assert [(row["throughput_per_chip"], row["latency_value"]) for row in made] == [
        (10, 100),
        (20, 60),
    ]


def test_runs_of_two_pages_are_no_point() -> None:
    [rate, slow] = point(1, 80, 5)
    [other, late] = point(2, 160, 9)
    elsewhere = {"document_id": document_of(4)}
    made = made_of("main.frontier", **current(rate, slow | elsewhere, other, late | elsewhere))
    assert made == []
