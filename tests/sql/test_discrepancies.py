"""What the relations between printed numbers give on whole documents: all findings, and what holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Ledger

FINDINGS = Path(__file__).parents[1] / "fixtures" / "discrepancies"


@pytest.mark.parametrize("name", ["shipped", "from_originals"])
def test_golden(name: str, request: pytest.FixtureRequest) -> None:
    ledger: Ledger = request.getfixturevalue(name)
    rows = ledger.sql(
        """
        select documents.source, d.line, d.check_name, evidence.text_printed, d.reason
        from audit.discrepancies as d
        inner join raw.documents as documents on d.document_id = documents.document_id
        inner join resolved.evidence as evidence on d.evidence_id = evidence.evidence_id
        order by documents.source, d.line, d.check_name
        """
    )
    found = "".join(
        "{source} line {line}, {text_printed}\n  {check_name}: {reason}\n".format(**row)
        for row in rows
    )
    golden = FINDINGS / f"{name}.txt"
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        golden.write_text(found, "utf-8")
    assert found == golden.read_text("utf-8")


def test_what_holds_is_counted_beside_what_does_not(both: Ledger) -> None:
    rows = both.sql(
        """
        select r.check_name, count(*) filter (where r.holds) as held, count(*) filter (where not r.holds) as failed
        from audit.relations as r
        inner join raw.documents as d on r.document_id = d.document_id
        where d.source like 'graphcore/%' or d.source like 'unknown/%'
        group by r.check_name
        """
    )
    # What drawn charts say of themselves is another matter: only one of the two editions is drawn.
    printed = [row for row in rows if "_against_bar" not in row["check_name"]]
    assert {row["check_name"]: (row["held"], row["failed"]) for row in printed} == {
        "claims_of_one_place": (0, 1),
        "claims_of_two_documents": (9, 0),
        "epoch_time_in_log": (11, 2),
        "latency_of_batch": (61, 2),
        "latency_of_table": (104, 0),
        "listed_submissions": (0, 1),
        "samples_in_log": (12, 1),
        "samples_per_epoch": (27, 0),
        "scaling_efficiency": (35, 0),
        "score_of_the_logs": (10, 2),
        "throughput_times_time": (12, 1),
        "training_time_of_epochs": (10, 3),
    }


def test_a_known_error_is_a_discrepancy_still(both: Ledger) -> None:
    known = "known_error is not null and unit <> 'rows'"
    rows = both.sql(
        f"select check_name, printed, known_error from audit.discrepancies where {known}"
    )
    assert {(row["check_name"], row["printed"], row["known_error"]) for row in rows} == {
        ("samples_in_log", 21547, "throughput_of_16_mk2_ipus"),
        ("throughput_times_time", 21547, "throughput_of_16_mk2_ipus"),
    }


def test_the_columns_of_which_most_is_wrong_are_known_errors(shipped: Ledger) -> None:
    of_columns = (
        "audit.discrepancies inner join raw.documents using (document_id) where unit = 'rows'"
    )
    rows = shipped.sql(f"select source, printed, known_error from {of_columns} order by source")
    assert [[*row.values()] for row in rows] == [
        ["axelera/model-zoo", 2, "axelera_accuracy_left_below_loss"],
        ["hailo/hailo-8-classification", 44, "hailo_8_float_accuracy_is_that_of_the_hardware"],
        ["hailo/hailo-8-object-detection", 52, "hailo_8_float_map_is_that_of_the_hardware"],
    ]
    dropped = (
        "correction_action = 'drop' and result_id in (select result_id from main.result_history)"
    )
    assert shipped.sql(f"select result_id from resolved.results where {dropped}") == []


def test_each_finding_is_one_sentence_with_the_numbers_in_it(both: Ledger) -> None:
    for row in both.sql("select reason from audit.discrepancies"):
        assert "\n" not in row["reason"]
        assert ". " not in row["reason"]
        assert any(character.isdigit() for character in row["reason"])
