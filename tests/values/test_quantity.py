from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.values.numbers import parse_number
from pipelines.values.quantity import BOUND_WORDS, Quantity, bounded, decimal_product


@pytest.mark.parametrize(
    ("words", "low", "high", "bound"),
    [
        ("", 8.5, 9.5, "eq"), (">", 9, math.inf, "gt"), ("more  than", 9, math.inf, "gt"), ("Just Over", 9, 10, "gt"),
        ("<", 0, 9, "lt"), ("just under", 8, 9, "lt"), ("up to", 0, 9, "up_to"), ("about", 8.5, 9.5, "approx"),
        ("~", 8.5, 9.5, "approx"),
    ],
)  # fmt: skip
def test_bounds(words: str, low: float, high: float, bound: str) -> None:
    quantity = parse_number("9", words)
    assert quantity is not None
    assert (quantity.value, quantity.low, quantity.high, quantity.bound) == (9, low, high, bound)


def test_about_a_round_number_is_as_round_as_its_zeros() -> None:
    quantity = bounded(300_000, 1, "around")
    assert (quantity.low, quantity.high) == (250_000, 350_000)
    assert bounded(0, 1, "about").high == 0.5


def test_an_unknown_word_is_no_bound() -> None:
    with pytest.raises(KeyError):
        bounded(9, 1, "perhaps")


def test_decimals_stay_decimals() -> None:
    assert decimal_product(2.67, 60) == 160.2
    assert bounded(4.9, 0.1) == Quantity(4.9, 4.85, 4.95)
    assert bounded(2.67, 0.01).scaled(60) == Quantity(160.2, 159.9, 160.5)
    assert bounded(9, 1, ">").scaled(60) == Quantity(540, 540, math.inf, "gt")


@given(st.floats(0, 1e12), st.sampled_from([1.0, 0.1, 0.01]), st.sampled_from(["", *BOUND_WORDS]))
def test_the_interval_holds_the_value(value: float, step: float, words: str) -> None:
    quantity = bounded(value, step, words)
    assert quantity.low <= quantity.value <= quantity.high
    scaled = quantity.scaled(60)
    assert scaled.low <= scaled.value <= scaled.high
    assert scaled.bound == quantity.bound
