from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.values.numbers import parse_count, parse_number, step_of


@pytest.mark.parametrize(
    ("text", "value", "low", "high"),
    [
        ("54,784", 54784, 54783.5, 54784.5),
        (" 5.51 ", 5.51, 5.505, 5.515),
        ("4.9", 4.9, 4.85, 4.95),
        ("1,260,000", 1260000, 1259999.5, 1260000.5),
        ("320412900527737600.0000", 320412900527737600, 320412900527737599, 320412900527737601),
        ("1.5e-3", 0.0015, 0.00145, 0.00155),
        ("\u22125", -5, -5.5, -4.5),
        ("007", 7, 6.5, 7.5),
    ],
)
def test_numbers(text: str, value: float, low: float, high: float) -> None:
    number = parse_number(text)
    assert number is not None
    assert number.value == value
    assert (number.low, number.high) == pytest.approx((low, high), rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5,51",
        "1,23",
        "12,34,567",
        "1.234,5",
        "5.",
        "1 234",
        "6,O44",
        "1e9999",
        "nan",
        "inf",
        "5%",
        "0x1f",
        "--5",
    ],
)
def test_no_numbers(text: str) -> None:
    assert parse_number(text) is None


@given(st.integers(0, 10**15))
def test_a_grouped_count_is_read_back(count: int) -> None:
    assert parse_count(f"{count:,}") == parse_count(str(count)) == count
    number = parse_number(f"{count:,}")
    assert number is not None
    assert number.value == count


@given(st.decimals(0, 10**6, places=3))
def test_the_printed_digits_lie_within_the_interval(value: object) -> None:
    number = parse_number(str(value))
    assert number is not None
    assert number.low <= number.value <= number.high
    assert math.isclose(number.high - number.low, 0.001, rel_tol=1e-6)


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_none(text: str) -> None:
    number = parse_number(text)
    assert number is None or math.isfinite(number.value)
    count = parse_count(text)
    assert count is None or number is not None


@pytest.mark.parametrize("text", ["16.16", "-1", "1e3", "1,00", "9223372036854775808", "9" * 5000, "\u0661"])
def test_no_counts(text: str) -> None:
    assert parse_count(text) is None


@pytest.mark.parametrize(("plain", "step"), [("22", 1), ("5.51", 0.01), ("1.5e-3", 1e-4), ("2e3", 1000), ("100", 1)])
def test_steps(plain: str, step: float) -> None:
    assert step_of(plain) == pytest.approx(step)


def test_a_group_of_zeros_groups_nothing() -> None:
    assert parse_number("0,191") is None
    assert parse_count("0,191") is None
    assert parse_count("10,191") == 10191
