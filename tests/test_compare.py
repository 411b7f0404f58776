"""Comparing what two commits read: a changed value, a lost row and a changed name are reported, and
nothing else.
"""

from __future__ import annotations

from typing import Any

from compare import Lines, compare_rows, report
from document_rows import DocumentRows

COLUMNS = {"measurements": ["metric", "value", "model_printed"], "rejects": ["rule", "reason"]}


def measurement(line: int, metric: str, value: float, **more: Any) -> dict[str, Any]:
    place = {
        "line": line,
        "char_start": 0,
        "char_end": 3,
        "text_printed": f"cell {line}",
        "extractor": "results_page",
    }
    return place | {"metric": metric, "value": value, "model_printed": "BERT"} | more


def reject(line: int, rule: str) -> dict[str, Any]:
    place = {
        "line": line,
        "char_start": 0,
        "char_end": 0,
        "text_printed": "",
        "extractor": "results_page",
    }
    return place | {"rule": rule, "reason": "why"}


def read(
    *measurements: dict[str, Any], rejects: list[dict[str, Any]] | None = None, **columns: Any
) -> DocumentRows:
    return DocumentRows({"measurements": measurements, "rejects": rejects or []}, COLUMNS | columns)


class NoLines(Lines):
    """Lines of documents that are not there."""

    def of(self, label: str, number: int) -> str:
        return f"line {number}"


def test_a_changed_value_a_lost_row_and_a_changed_name_are_reported() -> None:
    before = read(*(measurement(line, "latency", line + 4.0) for line in (1, 2, 3, 4)))
    now = read(
        measurement(1, "latency", 5.5),
        measurement(3, "latency", 7.0, model_printed="GPT"),
        measurement(4, "ttft", 8.0),
        measurement(5, "latency", 9.0),
    )
    found = compare_rows(before, now)
    assert (found.equal, found.changed) == (0, 3)
    changes = [(change.column, change.before["line"]) for change in found.changes]
    assert changes == [("value", 1), ("model_printed", 3), ("metric", 4)]
    assert [row["line"] for _, row in found.lost] == [2]
    assert [row["line"] for _, row in found.gained] == [5]
    text = "\n".join(report({"page.txt": found}, NoLines([]), shown=3))
    assert "      0        3       1      1  page.txt" in text
    assert (
        "only before: 1 measurements\n  latency 6.0 BERT  [cell 2] page.txt:2\n      line 2" in text
    )
    assert "value: 1 values differ\n  5.0 -> 5.5  [cell 1] page.txt:1\n      line 1" in text
    assert "model_printed: 1 values differ\n  'BERT' -> 'GPT'" in text
    only = "\n".join(report({"page.txt": found}, NoLines([]), shown=3, dimension="value"))
    assert "5.0 -> 5.5" in only
    assert "only before" not in only
    assert "GPT" not in only


def test_rejects_are_matched_by_line_and_rule() -> None:
    before = read(
        rejects=[reject(1, "unread_value"), reject(1, "unread_value"), reject(2, "unknown_heading")]
    )
    now = read(
        rejects=[reject(1, "unread_value") | {"reason": "in other words"}, reject(2, "no_unit")]
    )
    found = compare_rows(before, now)
    assert found.equal == 1
    assert [row["rule"] for _, row in found.lost] == ["unread_value", "unknown_heading"]
    assert [row["rule"] for _, row in found.gained] == ["no_unit"]


def test_conditions_are_compared_by_what_they_say() -> None:
    def with_conditions(first: int, batch_size: str) -> DocumentRows:
        said = {"extractor": "results_page", "dimension": "batch_size", "level": "row", "line": 1}
        other = said | {"dimension": "precision", "number": 1 - first, "value": "FP8"}
        rows = [measurement(1, "latency", 5.0, conditions=[0, 1])]
        columns = COLUMNS | {
            "measurements": ["metric", "conditions"],
            "conditions": ["dimension", "value"],
        }
        conditions = [said | {"number": first, "value": batch_size}, other]
        return DocumentRows({"measurements": rows, "conditions": conditions}, columns)

    before = with_conditions(0, "8")
    assert compare_rows(before, with_conditions(1, "8")).is_equal
    assert [c.column for c in compare_rows(before, with_conditions(1, "16")).changes] == [
        "conditions"
    ]
    in_words = read(measurement(1, "latency", 5.0, conditions="batch size 8"))
    assert compare_rows(in_words, in_words).is_equal


def test_a_reading_that_raised_is_no_equal_one() -> None:
    found = compare_rows(read(), DocumentRows({}, COLUMNS, "Traceback\nKeyError: 'x'"))
    assert not found.is_equal
    assert "now: KeyError: 'x'" in "\n".join(report({"page.txt": found}, Lines([]), shown=3))
