"""Numbers as printed: plain ones, counts, batch sizes, factors, releases."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.values.numbers import (
    FACTOR,
    BatchSizes,
    parse_batch_sizes,
    parse_count,
    parse_number,
    parse_sdk,
    read_factor,
    step_of,
)


@pytest.mark.parametrize(
    ("text", "value", "low", "high"),
    [
        ("54,784", 54784, 54783.5, 54784.5), (" 5.51 ", 5.51, 5.505, 5.515), ("4.9", 4.9, 4.85, 4.95),
        ("1,260,000", 1260000, 1259999.5, 1260000.5),
        ("320412900527737600.0000", 320412900527737600, 320412900527737599, 320412900527737601),
        ("1.5e-3", 0.0015, 0.00145, 0.00155), ("\u22125", -5, -5.5, -4.5), ("007", 7, 6.5, 7.5),
    ],
)  # fmt: skip
def test_numbers(text: str, value: float, low: float, high: float) -> None:
    number = parse_number(text)
    assert number is not None
    assert number.value == value
    assert (number.low, number.high) == pytest.approx((low, high), rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "", "5,51", "1,23", "12,34,567", "1.234,5", "5.", "1 234", "6,O44", "1e9999", "nan", "inf", "5%", "0x1f",
        "--5",
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    "text", ["16.16", "-1", "1e3", "1,00", "9223372036854775808", "9" * 5000, "\u0661"]
)
def test_no_counts(text: str) -> None:
    assert parse_count(text) is None


@pytest.mark.parametrize(
    ("plain", "step"), [("22", 1), ("5.51", 0.01), ("1.5e-3", 1e-4), ("2e3", 1000), ("100", 1)]
)
def test_steps(plain: str, step: float) -> None:
    assert step_of(plain) == pytest.approx(step)


def test_a_group_of_zeros_groups_nothing() -> None:
    assert parse_number("0,191") is None
    assert parse_count("0,191") is None
    assert parse_count("10,191") == 10191


@pytest.mark.parametrize(
    ("text", "low", "high", "single"),
    [
        ("65,536", 65536, 65536, 65536), (" 1 ", 1, 1, 1), ("4 through 360", 4, 360, None), ("1-16", 1, 16, None),
        ("1 to 512", 1, 512, None), ("16\u20131,024", 16, 1024, None), ("4,8,12", 4, 12, None),
        ("1, 2, 8+", 1, None, None), ("8 to 8", 8, 8, 8),
    ],
)  # fmt: skip
def test_batch_sizes(text: str, low: int, high: int | None, single: int | None) -> None:
    sizes = parse_batch_sizes(text)
    assert sizes == BatchSizes(low, high)
    assert sizes.single == single


@pytest.mark.parametrize(
    "text",
    [
        "",
        "16.16",
        "16 to 8",
        "SDK 3.1",
        "-1",
        "4,8,x",
        "16 images",
        "6,O44",
        "1.5",
        "1,2," + "9" * 5000,
    ],
)
def test_no_batch_sizes(text: str) -> None:
    assert parse_batch_sizes(text) is None


@pytest.mark.parametrize(
    ("text", "value", "low", "high", "bound"),
    [
        ("2.6x", 2.6, 2.55, 2.65, "eq"), ("a 40 X gain", 40, 39.5, 40.5, "eq"), ("18×", 18, 17.5, 18.5, "eq"),
        (">60x", 60, 60, math.inf, "gt"), ("more than  60x", 60, 60, math.inf, "gt"),
        ("Over 13x faster", 13, 13, math.inf, "gt"), ("Up to 3.2X", 3.2, 0, 3.2, "up_to"),
        ("~5x", 5, 4.5, 5.5, "approx"),
    ],
)  # fmt: skip
def test_factors(text: str, value: float, low: float, high: float, bound: str) -> None:
    match = FACTOR.search(text)
    assert match is not None
    factor = read_factor(match)
    assert factor is not None
    assert (factor.value, factor.low, factor.high, factor.bound) == (value, low, high, bound)


@pytest.mark.parametrize(
    "text", ["32x32", "0x1f", "ResNeXt-101_32x4d", "x2", "2.6", "2,6x", "4.Gx"]
)
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


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("SDK 2.4.0", "2.4.0"), ("Poplar SDK 1.4", "1.4"), ("SDK3.3", "3.3"), (" 2.18.1 ", "2.18.1"), ("v1.2", "1.2"),
        ("SDK 2.18.0rc1", "2.18.0rc1"), ("SDK 3", "3"), ("SDK 3.4-rc1", "3.4-rc1"), ("SDK 3.4b2", "3.4b2"),
        ("SDK 4-beta.2", "4-beta.2"), ("SDK 3.4-rc1-x", None), ("SDK 3.O", None), ("SDK", None), ("PyTorch", None),
        ("6,044", None), ("", None),
    ],
)  # fmt: skip
def test_releases(text: str, version: str | None) -> None:
    assert parse_sdk(text) == version
