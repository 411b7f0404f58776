from __future__ import annotations

import math

import pytest

from pipelines.values.numbers import FACTOR, read_factor


@pytest.mark.parametrize(
    ("text", "value", "low", "high", "bound"),
    [
        ("2.6x", 2.6, 2.55, 2.65, "eq"),
        ("a 40 X gain", 40, 39.5, 40.5, "eq"),
        ("18×", 18, 17.5, 18.5, "eq"),
        (">60x", 60, 60, math.inf, "gt"),
        ("more than  60x", 60, 60, math.inf, "gt"),
        ("Over 13x faster", 13, 13, math.inf, "gt"),
        ("Up to 3.2X", 3.2, 0, 3.2, "up_to"),
        ("~5x", 5, 4.5, 5.5, "approx"),
    ],
)
def test_factors(text: str, value: float, low: float, high: float, bound: str) -> None:
    match = FACTOR.search(text)
    assert match is not None
    factor = read_factor(match)
    assert factor is not None
    assert (factor.value, factor.low, factor.high, factor.bound) == (value, low, high, bound)


@pytest.mark.parametrize("text", ["32x32", "0x1f", "ResNeXt-101_32x4d", "x2", "2.6", "2,6x", "4.Gx"])
def test_no_factors(text: str) -> None:
    assert FACTOR.search(text) is None


def test_a_factor_of_zero_is_none() -> None:
    match = FACTOR.search("0x higher")
    assert match is not None
    assert read_factor(match) is None


def test_a_bound_is_a_word_of_its_own() -> None:
    match = FACTOR.search("moreover 3x")
    assert match is not None
    assert match["bound"] is None
