"""A mapping laid on damaged tables of shipped pages and fixtures: no number is read wrongly."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import damages
import pytest
from conftest import CORPUS

SOURCES = {snapshot.rpartition("/")[0] for snapshot in CORPUS}
PAGES = [pytest.param(*pair, id=pair[0].stem) for pair in damages.pages(SOURCES)]


@pytest.mark.parametrize(("page", "mapping"), PAGES)
def test_damage_makes_no_number_wrong(page: Path, mapping: Path) -> None:
    outcomes = damages.run(page, mapping, 1)
    assert {
        kind: found["wrong"]
        for kind, found in outcomes.items()
        if found["wrong"] and kind not in damages.UNTOLD
    } == {}
    # Something is damaged, or the page has no tables but those that its mapping finds.
    found = sum(outcomes.values(), Counter())
    assert found["refused"] or not found
