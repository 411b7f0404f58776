"""Sentences with a damaged number: it is reported, and no other number takes its place."""

from __future__ import annotations

import pytest

from pipelines.extract import claim_prose
from pipelines.extract.rows import Claim, Measurement, Reject
from pipelines.read.text import read_text
from pipelines.values.numbers import parse_count, parse_number

ROUND = "MLPerf Training v3.1 results\n\n"


def read(sentence: str) -> tuple[list[str], list[Reject]]:
    rows = claim_prose.extract(read_text(f"{ROUND}{sentence}\n".encode(), "0" * 64), ()).rows
    found = [row.cell.text for row in rows if isinstance(row, Measurement | Claim)]
    return found, [row for row in rows if isinstance(row, Reject)]


@pytest.mark.parametrize(
    ("sentence", "value", "damaged"),
    [
        ("BERT took {} minutes on 8 Gaudi2 accelerators.", "13.27", "1S.27"),
        ("BERT took {} minutes on 8 Gaudi2 accelerators.", "13.2", "13.S"),
        ("BERT took {} minutes on 8 Gaudi2 accelerators.", "0.206", "0,206"),
        ("The Bow-Pod16 finished ResNet-50 in {} minutes.", "19.6", "l9.6"),
        ("The Bow-Pod16 finished ResNet-50 in {} minutes.", "0.191", "0,191"),
        ("Gaudi2 trained BERT {} faster than the A100.", "31%", "3x%"),
    ],
)
def test_a_damaged_number_is_reported_and_not_read(sentence: str, value: str, damaged: str) -> None:
    sound, rejects = read(sentence.format(value))
    assert [text.split(" ")[0] for text in sound] == [value]
    assert rejects == []
    found, rejects = read(sentence.format(damaged))
    assert found == []
    assert [reject.rule for reject in rejects] == ["damaged_number"]


def test_the_value_before_a_change_does_not_take_the_place_of_the_damaged_new_one() -> None:
    sentence = "GPT-3 time-to-train on 384 Gaudi2 accelerators improved from 311.9 minutes to {} minutes."
    assert "153.58 minutes" in read(sentence.format("153.58"))[0]
    found, rejects = read(sentence.format("15S.58"))
    assert found == []
    assert rejects


def test_a_group_of_zeros_groups_nothing() -> None:
    assert parse_number("0,191") is None
    assert parse_count("0,191") is None
    assert parse_count("10,191") == 10191
