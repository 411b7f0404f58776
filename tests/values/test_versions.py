from __future__ import annotations

import pytest

from pipelines.values.numbers import parse_sdk


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("SDK 2.4.0", "2.4.0"),
        ("Poplar SDK 1.4", "1.4"),
        ("SDK3.3", "3.3"),
        (" 2.18.1 ", "2.18.1"),
        ("v1.2", "1.2"),
        ("SDK 2.18.0rc1", "2.18.0rc1"),
        ("SDK 3", "3"),
        ("SDK 3.4-rc1", "3.4-rc1"),
        ("SDK 3.4b2", "3.4b2"),
        ("SDK 4-beta.2", "4-beta.2"),
        ("SDK 3.4-rc1-x", None),
        ("SDK 3.O", None),
        ("SDK", None),
        ("PyTorch", None),
        ("6,044", None),
        ("", None),
    ],
)
def test_releases(text: str, version: str | None) -> None:
    assert parse_sdk(text) == version
