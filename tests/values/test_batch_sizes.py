from __future__ import annotations

import pytest

from pipelines.values.numbers import BatchSizes, parse_batch_sizes


@pytest.mark.parametrize(
    ("text", "low", "high", "single"),
    [
        ("65,536", 65536, 65536, 65536),
        (" 1 ", 1, 1, 1),
        ("4 through 360", 4, 360, None),
        ("1-16", 1, 16, None),
        ("1 to 512", 1, 512, None),
        ("16\u20131,024", 16, 1024, None),
        ("4,8,12", 4, 12, None),
        ("1, 2, 8+", 1, None, None),
        ("8 to 8", 8, 8, 8),
    ],
)
def test_batch_sizes(text: str, low: int, high: int | None, single: int | None) -> None:
    sizes = parse_batch_sizes(text)
    assert sizes == BatchSizes(low, high)
    assert sizes.single == single


@pytest.mark.parametrize(
    "text", ["", "16.16", "16 to 8", "SDK 3.1", "-1", "4,8,x", "16 images", "6,O44", "1.5", "1,2," + "9" * 5000]
)
def test_no_batch_sizes(text: str) -> None:
    assert parse_batch_sizes(text) is None
