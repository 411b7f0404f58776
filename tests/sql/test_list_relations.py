"""A list of submission identifiers names those of the table."""

from __future__ import annotations

import pytest
from given_rows import Rows, document_of, evidence_of, made_of

IDS = ["2.0-2045", "2.0-2047", "2.0-2049", "2.0-2050"]
SUITE = "MLPerf Training v2.0"


def relations(listed: list[str], tabled: list[str], suite: str | None = SUITE) -> Rows:
    submissions = [
        {"document_id": document_of(1), "line": 5 + 2 * (number > 1), "evidence_id": evidence_of(number),
         "submission_id": name, "suite": suite}
        for number, name in enumerate(listed)
    ]  # fmt: skip
    results = [
        {"document_id": document_of(1), "line": 20 + number, "evidence_id": evidence_of(20 + number),
         "submission_id": name, "suite": SUITE, "metric": "time_to_train"}
        for number, name in enumerate(tabled)
    ]  # fmt: skip
    return made_of("internal.list_relations", resolved__submissions=submissions, resolved__results=results)


def test_a_complete_list_holds_in_any_order_and_with_more() -> None:
    [relation] = relations([*reversed(IDS), "2.0-9999"], IDS)
    assert (relation["holds"], relation["printed"]) == (True, 4)


def test_missing_identifiers_are_found_and_named() -> None:
    [relation] = relations(IDS[:3], [*IDS, "2.0-2125"])
    assert (relation["holds"], relation["printed"], relation["expected_low"], relation["line"]) == (False, 3, 5, 5)
    assert relation["inputs"] == [evidence_of(number) for number in range(20, 25)]
    assert relation["reason"] == (
        "the list in lines 5 and 7 has 3 of the 5 MLPerf Training v2.0 identifiers of the table, not 2.0-2050, 2.0-2125"
    )


@pytest.mark.parametrize(
    ("listed", "tabled", "suite"),
    [
        pytest.param(IDS[:1], IDS[:2], SUITE, id="one identifier is no list"),
        pytest.param(IDS[:2], [*IDS, "2.0-1", "2.0-2"], SUITE, id="a list of its own submissions"),
        pytest.param(IDS[:3], IDS, "MLPerf Inference v2.0", id="another suite"),
        pytest.param(IDS, [], SUITE, id="no table"),
        pytest.param([], IDS, SUITE, id="no list"),
    ],
)
def test_nothing_is_said_of(listed: list[str], tabled: list[str], suite: str) -> None:
    assert relations(listed, tabled, suite) == []
