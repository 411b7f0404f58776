"""Known errors of sources: entries are checked, hit what they name and nothing else, and never hide
what is printed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger, PageMaker, Rows

from pipelines.ingest.store import sha256_of
from pipelines.run.up_to_date import distrust
from pipelines.settings import PROJECT
from pipelines.validate import corrections
from pipelines.validate.corrections import CorrectionError, known_errors

SHIPPED = "throughput_of_16_mk2_ipus"
THE_LOG = "unknown/mk2-a100-training-log"
LOG = PROJECT / "raw" / THE_LOG / "2026-11-20" / "training_log.txt"
MAPPING = PROJECT / "raw" / THE_LOG / "mapping.yml"
WRONG, RIGHT = {"Throughput (items/sec)": "99,999"}, {"Throughput (items/sec)": "38,036"}
ENTRY: dict[str, Any] = {
    "name": "misprint",
    "known_in": ["acme/results"],
    "metric": "throughput",
    "row": {"model_printed": "ResNet-50 v1.5", "platform_printed": "Bow Pod16"},
    "expect": {"throughput": "99,999"},
    "action": "flag",
    "reason": "The page of the next day says 38,036.",
}
OVERRIDE = {"action": "override", "value": 38036.0, "unit": "items/s"}


@dataclass
class Entries:
    """The list of known errors of one test."""

    path: Path

    def write(self, *changes: dict[str, Any]) -> None:
        entries = [
            {key: value for key, value in (ENTRY | change).items() if value is not None}
            for change in changes or ({},)
        ]
        # As JSON: a dump of YAML writes an alias where two entries share a part.
        self.path.write_text(json.dumps(entries), "utf-8")


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entries:
    path = tmp_path / "corrections.yml"
    monkeypatch.setattr(corrections, "CORRECTIONS_FILE", path)
    return Entries(path)


def result(ledger: Ledger, where: str = "true") -> Rows:
    return ledger.sql(
        "select value, value_low, value_high, bound, value_printed, value_uncorrected, correction, correction_action "
        f"from resolved.results where {where} order by value"
    )


def built(ledger: Ledger) -> Ledger:
    # The list of a test stands elsewhere than the project's, which is part of the code.
    distrust(ledger.warehouse)
    outcome = ledger.resolve("audit.conflicts", "main.result_history")
    assert outcome.success, outcome.faults
    return ledger


def fault(ledger: Ledger) -> str:
    outcome = ledger.build()
    assert not outcome.success
    return "; ".join(outcome.faults)


# The entry that the project ships


def test_the_16_ipu_row_of_the_log_is_flagged_in_both_editions(both: Ledger) -> None:
    columns = "platform_printed, accelerator_count, value_printed, value, value_uncorrected, correction_action, line"
    [flagged] = both.sql(f"select {columns} from resolved.results where correction = '{SHIPPED}'")
    assert [*flagged.values()] == ["Mk2-IPU", 16, "21,547", 21547.0, None, "flag", 231]
    [listed] = both.sql(
        f"select correction_reason as reason from resolved.results where correction = '{SHIPPED}'"
    )
    assert "105,580" in listed["reason"]
    [current] = both.sql(
        f"select correction, value from main.current_results where correction = '{SHIPPED}'"
    )
    assert current == {"correction": SHIPPED, "value": 21547.0}


MENDED = [("21,547", "14,106"), ("4.9\t21,547", "3.2\t21,547")]


def test_the_same_row_is_flagged_under_any_other_source_and_no_other_number(ledger: Ledger) -> None:
    text = LOG.read_text("utf-8")
    for number, (before, after) in enumerate((*MENDED, ("", ""))):
        assert before in text
        ledger.map(f"someone/copy-{number}-of-the-log", MAPPING.read_text("utf-8"))
        ledger.add(text.replace(before, after), f"someone/copy-{number}-of-the-log")
    built(ledger)
    assert ledger.sql("select count(distinct document_id) as n from resolved.results") == [
        {"n": len(MENDED) + 1}
    ]
    flagged = "select line, source from resolved.results join raw.documents using (document_id) where correction is not null"
    assert ledger.sql(flagged) == [
        {"line": 231, "source": f"someone/copy-{len(MENDED)}-of-the-log"}
    ]


def test_a_mended_source_stops_the_build_with_the_name_of_the_entry(ledger: Ledger) -> None:
    ledger.map(THE_LOG, MAPPING.read_text("utf-8"))
    ledger.add(LOG.read_text("utf-8").replace(*MENDED[0]), THE_LOG, name="mended.txt")
    message = fault(ledger)
    assert SHIPPED in message
    assert "mended.txt" in message
    assert "expects epoch_time 4.9, throughput 21,547" in message


# What an entry does


# What each entry is about, so that all can stand in one list.
ABOUT = {"flag": "Bow Pod16", "override": "Bow Pod64", "drop": "Bow Pod256"}


def test_identity_and_evidence_stay_as_they_are(
    ledger: Ledger, page: PageMaker, entries: Entries
) -> None:
    for action, platform in ABOUT.items():
        rows = [row | {"Platform": platform} for row in (WRONG, RIGHT | {"Model": "ViT"})]
        ledger.add(page(rows), f"acme/{action}", "2023-01-01")
    columns = "result_id, evidence_id, benchmark_key, value_printed, line"
    query = f"select platform, {columns} from resolved.results order by platform, line"
    entries.path.write_text("[]", "utf-8")
    before = built(ledger).sql(query)
    assert len(before) == 2 * len(ABOUT)
    entries.write(
        *(
            (OVERRIDE if action == "override" else {"action": action})
            | {
                "name": action,
                "known_in": [f"acme/{action}"],
                "row": ENTRY["row"] | {"platform_printed": platform},
            }
            for action, platform in ABOUT.items()
        )
    )
    assert built(ledger).sql(query) == before
    corrected = (
        "select correction, correction_action from resolved.results where correction is not null"
    )
    assert ledger.sql(f"{corrected} order by 1") == [
        {"correction": action, "correction_action": action} for action in sorted(ABOUT)
    ]
    for platform in ABOUT.values():
        [right] = result(ledger, f"correction is null and platform = '{platform}'")
        assert right["value_printed"] == "38,036"


def test_an_override_stands_beside_the_printed_value(
    ledger: Ledger, page: PageMaker, entries: Entries
) -> None:
    entries.write(OVERRIDE | {"value_low": 38000.0})
    ledger.add(page([WRONG]), "acme/results", "2023-01-01")
    built(ledger)
    [found] = result(ledger)
    assert [*found.values()] == [
        38036.0,
        38000.0,
        38036.0,
        "eq",
        "99,999",
        99999.0,
        "misprint",
        "override",
    ]
    assert ledger.sql("select value, correction from main.current_results") == [
        {"value": 38036.0, "correction": "misprint"}
    ]
    assert ledger.sql("select value from main.result_history") == [{"value": 38036.0}]


def test_a_dropped_row_stays_among_the_results_and_in_no_mart(
    ledger: Ledger, page: PageMaker, entries: Entries
) -> None:
    ledger.add(page([WRONG]), "acme/results", "2023-01-01")
    ledger.add(page([RIGHT]), "acme/other", "2023-01-01", name="b.txt")
    entries.write({"action": "drop"})
    built(ledger)
    assert [row["correction_action"] for row in result(ledger)] == [None, "drop"]
    assert ledger.sql("from audit.conflicts") == []
    assert ledger.sql("select value, status, documents from main.result_history") == [
        {"value": 38036.0, "status": "current", "documents": 1}
    ]
    assert ledger.sql("select value, documents from main.current_results") == [
        {"value": 38036.0, "documents": 1}
    ]


# What an entry names


def test_a_sha256_names_one_snapshot_of_a_source_that_was_mended(
    ledger: Ledger, page: PageMaker, entries: Entries
) -> None:
    wrong = ledger.add(page([WRONG]), "acme/results", "2023-01-01")
    ledger.add(page([RIGHT]), "acme/results", "2023-02-01", name="b.txt")
    entries.write({"known_in": [sha256_of(wrong)]})
    built(ledger)
    assert [row["correction"] for row in result(ledger)] == [None, "misprint"]


# Of Hailo's page of 2025-09-02: `float mAP` repeats the hardware accuracies of the snapshot before.
COLUMNS = """| Network Name | float mAP | Hardware mAP | FPS (Batch Size=1) |
|---|---|---|---|
| cas_vit_m | 81.01 | 80.81 | 47 |
| cas_vit_s | 79.65 | 79.37 | 71 |
| deit_base | 79.9 | 78.86 | 28 |
"""
OF_COLUMNS = """constants: {platform: '!Hailo-8', task: inference}
tables:
- columns:
    Network Name: model
    float mAP: {metric: accuracy, unit: '%', arithmetic: float}
    Hardware mAP: {metric: accuracy, unit: '%', arithmetic: hardware}
    FPS (Batch Size=1): {metric: throughput, unit: frames/s}
"""


def test_an_entry_without_a_printed_number_covers_a_column_of_one_snapshot(
    ledger: Ledger, entries: Entries
) -> None:
    ledger.map("hailo/zoo", OF_COLUMNS)
    ledger.add(
        COLUMNS.replace("81.01", "81.2"),
        "hailo/zoo",
        "2025-04-04",
        name="a.md",
        format="results_page",
    )
    wrong = ledger.add(COLUMNS, "hailo/zoo", "2025-09-02", name="b.md", format="results_page")
    column = {
        "metric": "accuracy",
        "row": {"other_conditions": "arithmetic float"},
        "action": "drop",
        "expect": None,
    }
    entries.write(column | {"known_in": [sha256_of(wrong)]})
    built(ledger)
    listed = ledger.sql(
        "select value_printed from resolved.results where correction is not null order by 1 desc"
    )
    assert [row["value_printed"] for row in listed] == ["81.01", "79.9", "79.65"]
    standing = (
        "select value from main.result_history join resolved.results using (result_id, value)"
    )
    assert ledger.sql(f"{standing} where correction is not null") == []
    assert ledger.sql("select count(*) as n from main.result_history where value = 80.81") == [
        {"n": 1}
    ]


def test_an_entry_whose_document_is_not_stored_is_no_fault_and_a_line_tells_rows_apart(
    ledger: Ledger, page: PageMaker, entries: Entries
) -> None:
    text = page([WRONG, WRONG | {"Batch Size": "8"}])
    last = max(number for number, line in enumerate(text.splitlines(), start=1) if line == "99,999")
    entries.write({"row": {"line": last}}, {"name": "elsewhere", "known_in": ["someone/else"]})
    ledger.add(text, "acme/results", "2023-01-01")
    built(ledger)
    assert ledger.sql(
        "select line, batch_size, correction from resolved.results where correction is not null"
    ) == [{"line": last, "batch_size": 8, "correction": "misprint"}]


@pytest.mark.parametrize(
    ("changes", "row", "named"),
    [
        ([OVERRIDE | {"unit": "ms"}], WRONG, ("misprint",)),
        ([{}], RIGHT | {"Model": "ViT"}, ("misprint", "acme/results")),
        ([{}, {"name": "the_same_again"}], WRONG, ("misprint, the_same_again",)),
    ],
)
def test_entries_that_stop_a_build(
    ledger: Ledger,
    page: PageMaker,
    entries: Entries,
    changes: list[dict[str, Any]],
    row: dict[str, Any],
    named: Any,
) -> None:
    entries.write(*changes)
    ledger.add(page([row]), "acme/results", "2023-01-01")
    message = fault(ledger)
    assert [words for words in named if words not in message] == []


# How an entry is written


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"row": {"colour": "red"}}, "row.colour: Extra inputs are not permitted"),
        ({"row": {}}, "`row` must have at least one field"),
        ({"action": "mend"}, "action: Input should be 'flag', 'override' or 'drop'"),
        ({"reason": "wrong"}, "reason"),
        ({"reason": None}, "reason: Field required"),
        ({"expect": {"throughput": 99.9}}, "expect.throughput: Input should be a valid string"),
        ({"expect": {"latency": "5"}}, "`expect` must include the printed throughput"),
        ({"action": "override"}, "an override needs the corrected `value`"),
        (
            {"expect": None},
            "an entry without `expect` flags or drops numbers of documents named by their sha256",
        ),
        (
            OVERRIDE | {"expect": None, "known_in": ["0" * 64]},
            "an entry without `expect` flags or drops",
        ),
        ({"value": 1.0}, "only an override has `value`"),
        (OVERRIDE | {"value_high": 5.0}, "`value` 38036 is outside 38036..5"),
        ({"known_in": ["acme"]}, "known_in.0: String should match pattern"),
        ({"known_in": None}, "must list a source or a sha256"),
        ({"name": "Two Words"}, "name: String should match pattern"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_name_and_field(
    entries: Entries, change: dict[str, Any], named: str
) -> None:
    entries.write(change)
    with pytest.raises(CorrectionError) as refused:
        known_errors()
    message = str(refused.value)
    assert message.startswith(f"corrections.yml: entry {change.get('name', 'misprint')}: ")
    assert named in message


def test_a_list_may_be_empty_and_is_yaml(entries: Entries) -> None:
    entries.path.write_text("# none\n", "utf-8")
    assert known_errors() == []
    entries.path.write_text("- name: [", "utf-8")
    with pytest.raises(CorrectionError, match="no YAML"):
        known_errors()
    entries.write({}, {"anywhere": True})
    with pytest.raises(CorrectionError, match="two entries have the name misprint"):
        known_errors()
