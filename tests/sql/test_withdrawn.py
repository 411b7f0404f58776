"""What a later snapshot of a result page leaves out: withdrawn, unless a table of it was refused."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from sql.given_rows import Rows, document_of, evidence_of, made_of

KEPT, LEFT_OUT = evidence_of(1), evidence_of(2)
TABLE = {"rule": "schema_drift", "scope": "table", "reason": "no entry claims this table"}
GONE = {"rule": "section_gone", "scope": "note", "reason": "no table matches line 2 of the mapping"}


def sighting(document: int, day: int) -> dict[str, Any]:
    moment = datetime(2023, 1, day, tzinfo=UTC)
    return {
        "source": "acme/results", "document_id": document_of(document), "path": f"{document}.md",
        "snapshot_on": date(2023, 1, day), "snapshot_at": moment,
    }  # fmt: skip


def result(document: int, key: str) -> dict[str, Any]:
    return {
        "result_id": evidence_of(16 * document + int(key, 16)), "document_id": document_of(document), "line": 1,
        "extractor": "results_page", "benchmark_key": key, "model": "BERT", "model_family": "BERT", "platform": "A100",
        "metric": "throughput", "unit": "items/s", "value": 10.0, "value_low": 10.0, "value_high": 10.0,
    }  # fmt: skip


def reject(document: int, says: dict[str, str], **more: str) -> dict[str, Any]:
    return (
        {"document_id": document_of(document), "extractor": "results_page", "line": 1} | says | more
    )


def status(sightings: Rows, results: Rows, rejects: Rows) -> str:
    """How what only the first snapshot prints stands."""
    documents = [
        {"document_id": row["document_id"], "publisher": "Acme", "retrieved_at": row["snapshot_at"]}
        for row in sightings
    ]
    given = {"raw__sightings": sightings, "raw__documents": documents}
    given |= {"resolved__results": results, "extracted__rejects": rejects}
    made = made_of("main.result_history", **given)
    assert {row["status"] for row in made if row["benchmark_key"] == KEPT} == {"current"}
    [found] = [row["status"] for row in made if row["benchmark_key"] == LEFT_OUT]
    return str(found)


def twice(*more: int) -> Rows:
    """What the first document prints, and what it and later ones print."""
    return [result(1, KEPT), result(1, LEFT_OUT), *(result(number, KEPT) for number in (2, *more))]


# A later snapshot of one document, another one, and two documents of the later day.
TWO, THREE = [sighting(1, 1), sighting(2, 2)], [sighting(1, 1), sighting(2, 2), sighting(3, 3)]
PARTED = [*TWO, sighting(3, 2)]


@pytest.mark.parametrize(
    ("sightings", "rejects", "expected"),
    [
        (TWO, [], "withdrawn"),
        # What a refused table may still print is not withdrawn.
        (TWO, [reject(2, TABLE)], "current"),
        (TWO, [reject(2, GONE)], "current"),
        # Rows that are refused, notes, other formats, and what an earlier snapshot refused.
        (
            TWO,
            [reject(2, TABLE, scope="row"), reject(2, TABLE, extractor="slides"), reject(1, TABLE)],
            "withdrawn",
        ),
        # A whole snapshot without it has withdrawn it.
        (THREE, [reject(2, TABLE)], "withdrawn"),
        (THREE, [reject(3, TABLE)], "withdrawn"),
        # A section is gone where no document of the day has it.
        (PARTED, [reject(2, GONE)], "withdrawn"),
        (PARTED, [reject(2, GONE), reject(3, GONE)], "current"),
    ],
)
def test_what_a_later_snapshot_leaves_out(sightings: Rows, rejects: Rows, expected: str) -> None:
    assert status(sightings, twice(*range(3, len(sightings) + 1)), rejects) == expected
