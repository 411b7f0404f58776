"""The command `audit`: claims with their verdicts, discrepancies and conflicts, each with its place
and its reason.
"""

from __future__ import annotations

import csv
import io
import json

from conftest import Ledger
from rich.console import Console
from typer.testing import CliRunner, Result

from pipelines.cli.findings import find_all, print_findings
from pipelines.cli.main import app


def audit(ledger: Ledger, *options: str) -> Result:
    return CliRunner().invoke(app, ["audit", "--warehouse", str(ledger.warehouse), *options])


def test_every_claim_discrepancy_and_conflict_is_shown_with_its_place_and_reason(
    both: Ledger,
) -> None:
    shown = audit(both)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    for claim in both.sql("select source, published_on, line, reason from main.claims"):
        at = lines.index(
            f"               {claim['source']}, {claim['published_on']}, line {claim['line']}"
        )
        assert any(claim["reason"] in line for line in lines[at:])
    for row in both.sql(
        "select line, reason from audit.discrepancies union all select null, reason from audit.conflicts"
    ):
        assert any(row["reason"] in line for line in lines)
    assert "\x1b" not in shown.stdout


def test_a_terminal_has_colours_and_a_pipe_has_none(both: Ledger) -> None:
    findings = find_all(both.warehouse)
    terminal, pipe = io.StringIO(), io.StringIO()
    print_findings(
        findings, Console(file=terminal, force_terminal=True, width=100, color_system="standard")
    )
    print_findings(findings, Console(file=pipe, width=10_000))
    assert "\x1b[32mconfirmed" in terminal.getvalue()
    assert "\x1b" not in pipe.getvalue()
    assert all(line == line.rstrip() for line in pipe.getvalue().splitlines())


def test_a_verdict_leaves_nothing_but_its_claims(both: Ledger) -> None:
    rows = json.loads(audit(both, "--verdict", "confirmed", "--format", "json").stdout)
    assert list(rows) == ["claims"]
    assert [row["finding"] for row in rows["claims"]] == ["confirmed"] * 2
    assert audit(both, "--verdict", "wrong").exit_code == 2


def test_a_document_is_named_by_its_path_its_end_or_its_id(both: Ledger) -> None:
    [document] = both.sql(
        "select document_id, path from raw.documents where path like '%mlperf_blog.txt'"
    )
    for name in (document["path"], "mlperf_blog.txt", document["document_id"][:20]):
        rows = json.loads(audit(both, "--document", name, "--format", "json").stdout)
        assert {row["path"] for row in rows["claims"]} == {document["path"]}
        assert len(rows["claims"]) == 5
    unknown = audit(both, "--document", "nowhere.txt")
    assert (unknown.exit_code, unknown.stdout) == (1, "")
    assert "the warehouse has no document 'nowhere.txt'" in unknown.stderr


def test_csv_is_one_table_and_markdown_one_per_kind(both: Ledger) -> None:
    rows = list(csv.DictReader(io.StringIO(audit(both, "--format", "csv").stdout)))
    counted = both.sql(
        "select (select count(*) from main.claims) + (select count(*) from audit.discrepancies) "
        "+ (select count(*) from audit.conflicts) as n"
    )
    assert len(rows) == counted[0]["n"]
    assert {row["kind"] for row in rows} >= {"claim"}
    assert "## Claims and verdicts" in audit(both, "--format", "markdown").stdout
