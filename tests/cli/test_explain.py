"""`benchledger rejects --explain`: by rule, with a count, an example and advice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
from conftest import Ledger
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.validate.rules import rules
from pipelines.warehouse.reader import FILE_NAME


def explained(ledger: Ledger) -> dict[str, dict[str, Any]]:
    result = CliRunner().invoke(
        app, ["rejects", "--explain", "--format", "json", "--warehouse", str(ledger.warehouse)]
    )
    assert result.exit_code == 0, result.output
    return {row["rule"]: row for row in json.loads(result.stdout)}


def test_rejects_are_counted_by_rule_with_the_first_as_example(hostile: Ledger) -> None:
    rows = explained(hostile)
    counts = hostile.sql(
        "select rule, count(*) as n from audit.rejects group by rule order by n desc, rule"
    )
    assert {rule: row["rejects"] for rule, row in rows.items()} == {
        row["rule"]: row["n"] for row in counts
    }
    assert list(rows) == ["unread_value", "unknown_format"], "the most frequent first"
    for rule, row in rows.items():
        first, *_ = hostile.sql(
            f"select * from audit.rejects where rule = '{rule}' order by path, line"
        )
        assert row["example"] == f"{first['path']}, line {first['line']}"
        assert row["advice"] == rules()[rule]
    assert "Net" in rows["unread_value"]["text"]
    # Of a whole document the reason is shown.
    assert rows["unknown_format"]["text"].startswith("no source format recognises the document")


def test_a_line_without_text_is_explained_by_the_reason(hostile: Ledger, tmp_path: Path) -> None:
    ledger = hostile.copy_to(tmp_path)
    with duckdb.connect(str(ledger.warehouse / FILE_NAME)) as connection:
        connection.execute("""update audit.rejects set scope = 'note', row_json = '[""]'""")
    reasons = {row["reason"][:40] for row in ledger.sql("select reason from audit.rejects")}
    assert {row["text"][:40] for row in explained(ledger).values()} <= reasons


def test_without_rejects_there_is_nothing_to_explain(shipped: Ledger) -> None:
    assert explained(shipped) == {}
