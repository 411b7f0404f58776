from __future__ import annotations

import pytest

from pipelines.extract.vector_charts.tick_labels import number_tokens, parse_label, parse_multiplier
from pipelines.read.page import Word


def word(text: str, x0: float, bottom: float = 100, size: float = 10, angle: int = 0) -> Word:
    width = 0.5 * size * len(text)
    return Word(text, x0, bottom - size, x0 + width, bottom, size, "", None, angle, ())


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0", 0, ""),
        ("1,000", 1000, ""),
        ("2.5M", 2.5e6, ""),
        ("1k", 1000, ""),
        ("40%", 40, "%"),
        ("$1.2B", 1.2e9, "$"),
        ("−25", -25, ""),
        ("1e+06", 1e6, ""),
        ("10^3", 1000, ""),
        ("10^−2", 0.01, ""),
        ("2×10^5", 2e5, ""),
        ("10³", 1000, ""),
        ("2.6x", 2.6, "x"),
        ("250 ms", 250, "ms"),
        ("1 000 000", 1e6, ""),
    ],
)
def test_a_label_gives_its_value_and_unit(text: str, value: float, unit: str) -> None:
    assert parse_label(text) == (pytest.approx(value), unit)


@pytest.mark.parametrize("text", ["A100", "", "-", "1.2.3", "ResNet-50", "10:30", "2020-12-01", "0 200 400"])
def test_what_is_no_single_number_gives_nothing(text: str) -> None:
    assert parse_label(text) is None


def test_the_decimal_comma_is_read_where_the_axis_has_one() -> None:
    assert parse_label("1.000,5", ",") == (1000.5, "")
    assert parse_label("2,5", ",") == (2.5, "")
    assert parse_label("2,5") is None


def test_a_factor_for_a_whole_axis() -> None:
    assert parse_multiplier("1e6") == 1e6
    assert parse_multiplier("×10^3") == 1000
    assert parse_multiplier("600") is None


def test_a_raised_exponent_is_put_behind_its_ten() -> None:
    # 10 with a small, raised 3; not the number 103.
    [token] = number_tokens([word("10", 50), word("3", 60, bottom=95, size=7)])
    assert token.text == "10^3"
    assert parse_label(token.text) == (1000, "")


def test_neighbouring_ticks_stay_apart() -> None:
    words = [word("0", 50), word("200", 90), word("400", 140)]
    assert [token.text for token in number_tokens(words)] == ["0", "200", "400"]


def test_a_unit_set_apart_belongs_to_its_number() -> None:
    assert [token.text for token in number_tokens([word("40", 50), word("%", 62)])] == ["40%"]
