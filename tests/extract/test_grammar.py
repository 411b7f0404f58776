"""The words of a sentence: each pattern's real examples."""

from __future__ import annotations

import re

import pytest

from pipelines.extract.grammar import CONTENT, GRAMMAR
from pipelines.extract.mentions import entries

EXAMPLES = [
    (entry["name"], text, matched)
    for entry in CONTENT["patterns"]
    for text, matched in entry["examples"].items()
]


@pytest.mark.parametrize(
    ("name", "text", "matched"), EXAMPLES, ids=[f"{n}: {t}" for n, t, _ in EXAMPLES]
)
def test_examples(name: str, text: str, matched: str) -> None:
    found = GRAMMAR[name].search(text)
    assert found is not None
    assert found[0] == matched


def test_every_part_is_used() -> None:
    used = [entry["pattern"] for entry in (*CONTENT["patterns"], *entries())]
    patterns = " ".join([*used, *CONTENT["parts"].values()])
    assert set(CONTENT["parts"]) <= set(re.findall(r"\{([a-z]+)\}", patterns))
