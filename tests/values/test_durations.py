from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.values.durations import parse_clock, parse_duration, unit_seconds


@pytest.mark.parametrize(
    ("text", "seconds", "half_step"),
    [
        ("23h 43m", 85380, 30), ("11h 50m", 42600, 30), ("8h39m", 31140, 30), ("1d 2h", 93600, 1800),
        ("19.64 min", 1178.4, 0.3), ("153.58 mins", 9214.8, 0.3), ("1.21 hours", 4356, 18),
        ("1 hour, 30 minutes", 5400, 30), ("453s", 453, 0.5), ("704us", 0.000704, 5e-7), ("704 µs", 0.000704, 5e-7),
        ("5 sec.", 5, 0.5), ("1,234 ms", 1.234, 0.0005),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float, half_step: float) -> None:
    duration = parse_duration(text)
    assert duration is not None
    assert duration.value == pytest.approx(seconds, rel=1e-12)
    assert (duration.low, duration.high) == pytest.approx(
        (seconds - half_step, seconds + half_step), rel=1e-9
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12",
        "23h 43",
        "43m 23h",
        "5m 5m",
        "5 x",
        "h",
        "5,5 s",
        "2.4.0 s",
        "5 m wide",
        "5 min 3",
        "23hm",
        "1:02:03",
    ],
)
def test_no_durations(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(("text", "low", "high"), [("3 hours", 0, 10800), ("9 minutes", 0, 540)])
def test_a_bound_before_a_duration(text: str, low: float, high: float) -> None:
    duration = parse_duration(text, "less than")
    assert duration is not None
    assert (duration.low, duration.high, duration.bound) == (low, high, "lt")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1:02:03", 3723), ("12:34", 754), ("0:05", 5), ("100:00:01.5", 360001.5), ("12:60", None), ("1:60:00", None),
     ("1:2", None), ("12", None), ("1:02:03:04", None), ("9" * 5000 + ":00:00", None)],
)  # fmt: skip
def test_clocks(text: str, seconds: float | None) -> None:
    clock = parse_clock(text)
    assert (clock.value if clock else None) == seconds


@given(st.integers(0, 999), st.integers(0, 59), st.integers(0, 59))
def test_hours_minutes_and_seconds_add_up(hours: int, minutes: int, seconds: int) -> None:
    expected = 3600 * hours + 60 * minutes + seconds
    for text in (
        f"{hours}h {minutes}m {seconds}s",
        f"{hours} hours {minutes} min {seconds} seconds",
    ):
        duration = parse_duration(text)
        assert duration is not None
        assert duration.value == expected
    clock = parse_clock(f"{hours}:{minutes:02}:{seconds:02}")
    assert clock is not None
    assert clock.value == expected


@given(st.text(alphabet="0123456789.,: hmsdinu", max_size=14))
def test_any_text_is_a_duration_or_none(text: str) -> None:
    duration = parse_duration(text)
    assert duration is None or duration.low <= duration.value <= duration.high


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [
        ("ms", 0.001), ("mins", 60), ("Minutes", 60), ("secs", 1), ("hr.", 3600), ("days", 86400), ("images", None),
        ("", None),
    ],
)  # fmt: skip
def test_units(unit: str, seconds: float | None) -> None:
    assert unit_seconds(unit) == seconds
