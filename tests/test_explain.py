"""`benchledger rejects --explain`: by rule, with a count, an example and advice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import BuildOnce, Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.validate.rules import rules

CUT = {"Throughput (items/sec)": "4 (see note)"}
GOOD = {"Throughput (items/sec)": "38,036"}


@pytest.fixture(scope="module")
def with_rejects(once: BuildOnce, page: PageMaker) -> Ledger:
    """Values that are not read in two documents, and a document that is no text; no test changes it."""

    def build(ledger: Ledger) -> Any:
        for number in (1, 2):
            text = page([GOOD, CUT, GOOD | {"Batch Size": "8"}])
            ledger.add("About this page\n\n" * number + text, f"acme/p{number}", "2023-01-01", name=f"{number}.txt")
        folder = ledger.raw / "acme" / "garbage" / "2023-01-01"
        folder.mkdir(parents=True)
        (folder / "a.bin").write_bytes(bytes(range(256)) * 8)
        return ledger.build()

    return once("with_rejects", build)


def explained(ledger: Ledger) -> dict[str, dict[str, Any]]:
    result = CliRunner().invoke(app, ["rejects", "--explain", "--format", "json", "--warehouse", str(ledger.warehouse)])
    assert result.exit_code == 0, result.output
    return {row["rule"]: row for row in json.loads(result.stdout)}


def test_rejects_are_counted_by_rule_with_the_first_as_example(with_rejects: Ledger) -> None:
    rows = explained(with_rejects)
    counts = with_rejects.sql("select rule, count(*) as n from audit.rejects group by rule")
    assert {rule: row["rejects"] for rule, row in rows.items()} == {row["rule"]: row["n"] for row in counts}
    assert set(rows) == {"unread_value", "binary_content"}
    assert rows["unread_value"]["rejects"] > 1
    assert list(rows) == ["unread_value", "binary_content"], "the most frequent first"
    [first] = with_rejects.sql(
        "select path, line, row_json from audit.rejects where rule = 'unread_value' order by path, line limit 1"
    )
    row = rows["unread_value"]
    assert row["example"] == f"{first['path']}, line {first['line']}"
    assert "see note" in row["text"]
    assert row["advice"] == rules()["unread_value"]
    # Of a whole document the reason is shown.
    assert rows["binary_content"]["example"] == "acme/garbage/2023-01-01/a.bin, line 1"
    assert "binary" in rows["binary_content"]["text"]


def test_without_rejects_there_is_nothing_to_explain(shipped: Ledger) -> None:
    assert explained(shipped) == {}
