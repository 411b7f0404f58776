"""`benchledger trace`: from any identifier back to the printed characters."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import accumulate, pairwise
from typing import Any

import pytest
from conftest import Ledger, PageMaker
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.settings import PROJECT
from pipelines.trace.identifiers import Identifier, find_identifier
from pipelines.trace.printing import print_trace
from pipelines.trace.traces import trace_rows

ID_OF = {
    "result": ("resolved.results", "result_id"),
    "claim": ("resolved.claims", "claim_id"),
    "run": ("resolved.training_runs", "run_id"),
    "configuration": ("resolved.configurations", "configuration_id"),
    "evidence": ("resolved.evidence", "evidence_id"),
}
ROW = {"Throughput (items/sec)": "38,036"}
# What a trace reads beside what documents print.
READ = ("main.result_history", "audit.claim_verdicts")


def run(ledger: Ledger, *arguments: str) -> tuple[int, str, str]:
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    result = CliRunner().invoke(app, ["trace", *arguments, *folders])
    return result.exit_code, result.stdout, result.stderr


def shown(ledger: Ledger, *arguments: str) -> str:
    status, output, errors = run(ledger, *arguments)
    assert (status, errors) == (0, "")
    return output


def traced(ledger: Ledger, *arguments: str) -> Any:
    return json.loads(shown(ledger, *arguments, "--format", "json"))


def marked(text: str) -> list[str]:
    """What stands above the carets of a text; a wide character takes two of its columns."""

    def above(line: str, carets: str) -> str:
        ends = list(accumulate(map(cell_len, line)))
        start = carets.index("^")
        return "".join(c for c, end in zip(line, ends, strict=True) if start < end <= len(carets))

    lines = text.splitlines()
    return [above(line, below) for line, below in pairwise(lines) if re.fullmatch(r" +\^+", below)]


# Every kind of identifier


@pytest.mark.parametrize("kind", ID_OF)
def test_exactly_the_printed_characters_are_marked(part: Ledger, kind: str) -> None:
    table, column = ID_OF[kind]
    rows = part.sql(f"select {column} as id from {table} order by id")[
        :: 1 if kind == "claim" else 60
    ]
    traces = list(
        trace_rows(part.warehouse, part.raw, [Identifier(kind, row["id"]) for row in rows])
    )
    expected = []
    for trace in traces:
        assert (trace["kind"], trace["place"]["note"]) == (kind, None)
        expected += [place["text_printed"] for place in (trace["place"], *trace.get("repeats", ()))]
    pipe, terminal = io.StringIO(), io.StringIO()
    for trace in traces:
        print_trace(trace, Console(file=pipe, width=10_000))
        print_trace(
            trace, Console(file=terminal, force_terminal=True, color_system="standard", width=80)
        )
    assert marked(pipe.getvalue()) == expected
    assert re.findall(r"\x1b\[1;30;43m(.*?)\x1b\[0m", terminal.getvalue()) == expected
    assert "^^" not in terminal.getvalue()


@pytest.mark.parametrize("kind", ID_OF)
def test_an_identifier_its_beginning_and_a_query_give_the_same(part: Ledger, kind: str) -> None:
    table, column = ID_OF[kind]
    ids = [row["id"] for row in part.sql(f"select distinct {column} as id from {table} order by 1")]
    beginnings = Counter(
        one["id"][:8] for t, c in ID_OF.values() for one in part.sql(f"select {c} as id from {t}")
    )
    whole = next(one for one in ids if beginnings[one[:8]] == 1)
    trace = traced(part, whole)
    assert (trace["kind"], trace["id"]) == (kind, whole)
    assert traced(part, whole[:8].upper()) == trace
    assert traced(part, "--query", f"select {column} from {table} where {column} = '{whole}'") == [
        trace
    ]
    document = part.sql(
        f"select * from raw.documents where document_id = '{trace['row']['document_id']}'"
    )[0]
    assert trace["document"]["retrieved_at"] == document["retrieved_at"].isoformat()
    for name in ("path", "source", "title", "url", "edition"):
        assert trace["document"][name] == document[name]


# Results


def test_the_steps_of_a_result_lead_from_the_printed_to_the_stored_value(part: Ledger) -> None:
    rows = part.sql(
        """
        select * from resolved.results
        where unit_printed is not null and extractor not in ('claim_prose', 'mlperf_training')
        """
    )
    by_id = {row["result_id"]: row for row in rows[::7]}
    factors = set()
    for trace in traced(part, "--query", f"select unnest({list(by_id)}) as result_id"):
        row, steps = by_id[trace["id"]], {step["step"]: step for step in trace["steps"]}
        unit = steps["unit"]
        factors.add((unit["from"], unit["to"], unit["factor"]))
        assert steps["printed"]["from"] == row["value_printed"]
        assert float(row["value_printed"].replace(",", "")) * unit["factor"] == pytest.approx(
            row["value"], rel=1e-12
        )
        assert steps["value"]["to"].split()[0] in (f"{row['value']:.0f}", repr(row["value"]))
        assert float(steps["interval"]["to"].split()[0]) == row["value_low"]
        assert steps["bound"]["to"] == row["bound"]
    assert {("mins", "s", 60.0), ("ms", "ms", 1.0), ("images/second", "images/s", 1.0)} <= factors
    # The names
    [row] = part.sql(
        "select result_id from resolved.results where model_printed = 'GPT2' and model = 'GPT2-Large' "
        "and platform_printed = 'Bow Pod16' order by 1 limit 1"
    )
    steps = {step["step"]: step for step in traced(part, row["result_id"])["steps"]}
    assert (steps["model"]["from"], steps["model"]["to"]) == ("GPT2", "GPT2-Large")
    assert "vocabulary/models.yml" in steps["model"]["how"]
    assert "the variant names the model" in steps["model"]["how"]
    assert "vocabulary/platforms.yml, vendor Graphcore, chips 16" in steps["platform"]["how"]


def test_it_tells_what_supersedes_a_result_and_what_it_supersedes(
    ledger: Ledger, page: PageMaker
) -> None:
    new = {"SDK Version": "SDK 3.10", "Throughput (items/sec)": "40,000"}
    ledger.add(page([ROW]), "acme/results", "2023-01-01")
    ledger.add(page([ROW | new]), "acme/results", "2023-02-01")
    ledger.add(
        page([ROW | new | {"Throughput (items/sec)": "41,000"}]), "acme/results", "2023-03-01"
    )
    assert ledger.resolve(*READ).success
    ids = {
        row["value"]: row["result_id"]
        for row in ledger.sql("select value, result_id from resolved.results")
    }

    def history(value: float) -> list[tuple[str, float, str]]:
        found = traced(ledger, ids[value])["history"]
        assert [[r["result_id"] for r in row["results"]] for row in found] == [
            [ids[row["value"]]] for row in found
        ]
        return [(row["relation"], row["value"], row["status"]) for row in found]

    assert history(38036) == [
        ("superseded by", 41000, "current"),
        ("superseded by", 40000, "restated"),
        ("this value", 38036, "superseded"),
    ]
    assert [relation for relation, _, _ in history(41000)] == [
        "this value",
        "restates",
        "supersedes",
    ]
    assert [relation for relation, _, _ in history(40000)] == [
        "restated as",
        "this value",
        "supersedes",
    ]
    text = shown(ledger, ids[38036])
    assert (
        f"superseded by: 41000 images/s, SDK 3.10, current ({ids[41000]} in acme/results/2023-03-01/page.txt"
        in text
    )


# Claims, runs, configurations, evidence


def test_a_claim_shows_its_sides_and_the_configurations_of_its_section(part: Ledger) -> None:
    [claim] = part.sql(
        "select * from resolved.claims where text_printed = '2.6x' and extractor = 'slides'"
    )
    trace = traced(part, claim["claim_id"])
    steps = {step["step"]: step["to"] for step in trace["steps"]}
    assert (steps["value"], steps["interval"], steps["bound"]) == ("2.6 x", "2.55 to 2.65 x", "eq")
    assert trace["sides"]["subject"]["platform"] == claim["subject_platform"] == "IPU-M2000"
    assert trace["sides"]["baseline"]["platform_printed"] == claim["baseline_printed"]
    section = f"document_id = '{claim['document_id']}' and section_line = {claim['section_line']}"
    sides = part.sql(
        f"select configuration_id from resolved.configurations where {section} order by line"
    )
    assert [row["configuration_id"] for row in trace["configurations"]] == [
        row["configuration_id"] for row in sides
    ]
    assert [row["role"] for row in trace["configurations"]] == ["subject", "baseline"]
    assert [place["text_printed"] for place in trace["repeats"]] == ["2.6x"]
    text = shown(part, claim["claim_id"])
    assert all(row["configuration_id"] in text for row in sides)
    assert ("its prose is a paraphrase" in text) == claim["is_paraphrase"]
    assert (f", under {claim['section']}\n" in text) == claim["is_paraphrase"]
    back = traced(part, sides[0]["configuration_id"])
    assert [row["claim_id"] for row in back["claims"]] == [claim["claim_id"]]


def test_a_run_shows_its_epochs(part: Ledger) -> None:
    [run_row] = part.sql(
        "select * from resolved.training_runs where status is null order by line limit 1"
    )
    epochs = part.sql(
        f"select * from resolved.training_epochs where run_id = '{run_row['run_id']}' order by epoch"
    )
    assert traced(part, run_row["run_id"])["epochs"] == epochs
    text = shown(part, run_row["run_id"])
    assert f"{run_row['training_time_s']!r} s" in text
    for row in epochs:
        assert f"epoch {row['epoch']}       7000 steps, {row['epoch_time_s']:.0f} s, " in text


def test_a_score_shows_the_runs_that_it_is_made_of(part: Ledger) -> None:
    [row] = part.sql(
        "select result_id, value from resolved.results where extractor = 'mlperf_training' and model = 'BERT-Large' "
        "and platform = 'IPU-POD64' and division = 'Open'"
    )
    trace = traced(part, row["result_id"])
    assert [run["scored_as"] for run in trace["runs"]] == ["fastest", *["counted"] * 8, "slowest"]
    counted = [run["training_time_s"] for run in trace["runs"] if run["scored_as"] == "counted"]
    assert sum(counted) / 8 == pytest.approx(row["value"])
    text = shown(part, row["result_id"])
    assert "runs          10, fastest first" in text
    assert trace["place"]["file"] == "results/ipu-pod64-POPART-open/bert/result_2.txt, line 11"
    assert trace["place"]["file"] in text


def test_evidence_shows_everything_that_rests_on_it(part: Ledger) -> None:
    kinds = Counter()
    for trace in traced(part, "--query", "select evidence_id from resolved.evidence"):
        assert trace["rests_on_it"], trace["id"]
        kinds.update(row["kind"] for row in trace["rests_on_it"])
    count = "select (select count(*) from {}) as n".format
    assert kinds["result"] == part.sql(count("resolved.results"))[0]["n"]
    assert kinds["price"] >= part.sql(count("resolved.prices"))[0]["n"]
    runs = part.sql(
        "select sum(epochs) filter (where status is null) + count(*) as n from resolved.training_runs"
    )
    assert kinds["run"] == runs[0]["n"]
    claims = part.sql("select sum(1 + len(repeat_evidence_ids)) as n from resolved.claims")
    assert kinds["claim"] == claims[0]["n"]


# Errors


def test_an_ambiguous_or_unknown_identifier_lists_candidates(part: Ledger) -> None:
    ids = [
        row["id"]
        for table, column in ID_OF.values()
        for row in part.sql(f"select {column} as id from {table}")
    ]
    counts = Counter(one[:4] for one in ids)
    several = next((beginning for beginning, count in sorted(counts.items()) if count > 1), None)
    assert several, "no two identifiers of the fixture begin alike"
    status, output, errors = run(part, several)
    assert (status, output) == (1, "")
    assert f"'{several}' matches {counts[several]} identifiers:" in errors
    assert len(re.findall(rf"^  {several}\w{{12}}  \w+: ", errors, re.MULTILINE)) == counts[several]
    # Of an unknown one the near ones are listed.
    [row] = part.sql("select result_id from resolved.results order by 1 limit 1")
    _, _, errors = run(part, row["result_id"][:-1] + "x")
    assert "no result, claim, run, configuration or evidence has the identifier" in errors
    assert errors.splitlines()[1].startswith(f"  {row['result_id']}  result: ")


@pytest.mark.parametrize(
    ("arguments", "expected", "message"),
    [
        (["abc"], 1, "'abc' is too short; give at least 4 characters"),
        (["[/x]no markup"], 1, "'[/x]no markup'"),
        (["%' or 1=1 --"], 1, "see main.current_results.result_id"),
        (
            ["--query", "select 1 as one"],
            1,
            "returns the columns one; to trace rows it needs one of result_id, claim_id",
        ),
        (
            ["--query", "select 'nothing' as result_id"],
            1,
            "there is no result with the identifier 'nothing'",
        ),
        (["--query", "selec"], 1, "syntax error"),
        (["--query", "create table main.t as select 1"], 1, "read-only"),
        ([], 2, "give an identifier, --query or --column"),
        (["--column", "main.sdk_progress.speed"], 1, "did you mean main.sdk_progress.speedup?"),
        (
            ["abcd", "--column", "main.sdk_progress.speedup"],
            2,
            "give an identifier, --query or --column",
        ),
        (
            ["--query", "select 1 as result_id", "--png", "page.png"],
            2,
            "--png shows one place: give an identifier",
        ),
        (["abcd", "--query", "select 1"], 2, "give an identifier, --query or --column"),
    ],
)
def test_errors_say_what_to_do(
    part: Ledger, arguments: list[str], expected: int, message: str
) -> None:
    status, output, errors = run(part, *arguments)
    assert (status, output) == (expected, "")
    assert message in errors


# Stored bytes


def test_when_the_stored_bytes_are_gone_or_changed_it_says_so(with_a_page: Ledger) -> None:
    ledger = with_a_page
    [path] = ledger.raw.rglob("page.txt")
    [row] = ledger.sql("select result_id from resolved.results")
    text = shown(ledger, row["result_id"])
    assert marked(text) == ["38,036"]
    assert re.search(r"^ +\d+  ResNet-50 v1.5$", text, re.MULTILINE), (
        "the row is shown from its first cell"
    )
    path.write_text(path.read_text("utf-8").replace("38,036", "83,036"), "utf-8")
    text = shown(ledger, row["result_id"])
    assert "page.txt changed after the warehouse was built; the document prints '38,036'" in text
    path.unlink()
    text = shown(ledger, row["result_id"])
    assert "the stored document is missing:" in text
    assert marked(text) == []
    assert traced(ledger, row["result_id"])["place"]["lines"] == []


BEFORE = {
    "nothing": "",
    "markup": "[bold]no markup[/] ",
    "tabs": "\ttabs\t",
    "no-break": "no-break\u00a0spaces ",
    "wide": "\u4e2d\u6587 ",
    "long": "x" * 300 + " ",
}


def test_carets_stand_below_the_characters_on_any_line(ledger: Ledger) -> None:
    for name, before in BEFORE.items():
        sentence = (
            f"{before}The IPU-M2000 delivers 2.6x higher throughput than the A100. {'y' * 300}\n"
        )
        ledger.add(sentence, f"acme/{name}", "2023-01-01", name=f"{name}.txt", format="claim_prose")
    assert ledger.resolve(*READ).success
    claims = ledger.sql(
        "select claim_id, source from resolved.claims join raw.documents using (document_id)"
    )
    assert {row["source"] for row in claims} == {f"acme/{name}" for name in BEFORE}
    for row in claims:
        lines = shown(ledger, row["claim_id"]).splitlines()
        [index] = [number for number, line in enumerate(lines) if re.fullmatch(r" +\^+", line)]
        start = lines[index - 1].index("2.6x")
        assert lines[index] == " " * cell_len(lines[index - 1][:start]) + "^^^^"
        assert len(lines[index - 1]) < 120
        assert "\t" not in lines[index - 1]
        assert (row["source"] == "acme/markup") == ("[bold]no markup[/]" in lines[index - 1])


# Cost


def test_it_does_without_dagster_and_pandas(part: Ledger) -> None:
    [row] = part.sql("select result_id from resolved.results limit 1")
    code = (
        "import sys\n"
        "from pipelines.cli.main import app\n"
        "app(sys.argv[1:], standalone_mode=False)\n"
        "print(sorted({'dagster', 'pandas', 'pandera', 'pdfplumber'} & set(sys.modules)), file=sys.stderr)\n"
    )
    folders = ["--raw", str(part.raw), "--warehouse", str(part.warehouse)]
    done = subprocess.run(
        [sys.executable, "-c", code, "trace", row["result_id"], *folders],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout[:6], done.stderr) == ("result", "[]\n")
    assert find_identifier(part.warehouse, row["result_id"]) == Identifier(
        "result", row["result_id"]
    )


def test_a_column_is_followed_down_to_the_printed_page() -> None:
    result = CliRunner().invoke(
        app, ["trace", "--column", "main.sdk_progress.speedup", "--format", "json"]
    )
    way = [(row["depth"], f"{row['table']}.{row['column']}") for row in json.loads(result.stdout)]
    assert way[:4] == [
        (0, "main.sdk_progress.speedup"),
        (1, "main.result_history.value"),
        (2, "resolved.results.value"),
        (3, "extracted.measurements.value"),
    ]
    drawn = CliRunner().invoke(app, ["trace", "--column", "main.sdk_progress.speedup"]).stdout
    assert "printed in the documents" in drawn
    counted = CliRunner().invoke(app, ["trace", "--column", "audit.coverage.lines"]).stdout
    assert "count of audit.line_ledger" in counted
