"""The range of every metric, and numbers that their metric cannot have."""

from __future__ import annotations

from itertools import count

import pytest
from conftest import Ledger

from pipelines.extract.ranges import range_fault, ranges
from pipelines.run import steps
from pipelines.vocabulary.lookup import entries

MAPPING = """constants: {task: inference, platform: '!Acme 1'}
metrics:
  glow: {unit: glow points, higher_is_better: true, range: [0, 1]}
  drift: {unit: drift points, higher_is_better: false}
  stalls: {unit: stall points, higher_is_better: false, kind: performance}
tables:
- columns: {Model: model, Value: value, Metric: metric, Unit: unit, Statistic: statistic}
"""
# The value, its metric and its unit.
REFUSED = [
    "-1 throughput", "0 latency", "-0.00 latency", "0.0 power W", "-3 price", "0 memory GB", "101 accuracy %",
    "1.01 accuracy fraction", "-0.00 accuracy %", "0.9 perplexity", "1.5 glow", "-2 stalls", "0 stalls", "-1 mae",
]  # fmt: skip
READ = [
    "0 accuracy %",
    "100 accuracy %",
    "130 scaling_efficiency %",
    "2 perplexity",
    "1 glow",
    "-2 drift",
    "1.2 word_error_rate",
]
UNITS = {"throughput": "images/s", "latency": "ms", "price": "USD"}


def cells(model: int, line: str) -> str:
    value, metric, *unit = line.split()
    return f"| Net {model} | {value} | {metric} | {unit[0] if unit else UNITS.get(metric, '')} |"


def test_a_number_that_its_metric_cannot_have_costs_itself_alone(ledger: Ledger) -> None:
    head = ["# Acme", "", "| Model | Value | Metric | Unit |", "|---|---|---|---|"]
    ledger.map("acme/results", MAPPING.replace(", Statistic: statistic", ""))
    page = "\n".join([*head, *map(cells, count(1), REFUSED + READ)])
    ledger.add(page, "acme/results", "2026-01-01", name="page.md", format="results_page")
    assert ledger.resolve().success
    rejects = ledger.sql(
        "select line, rule, scope, char_end - char_start as length from audit.rejects order by line"
    )
    assert [(row["line"], row["rule"], row["scope"]) for row in rejects] == [
        (number, "value_out_of_range", "row") for number in range(5, 5 + len(REFUSED))
    ]
    assert [row["length"] for row in rejects] == [len(line.split()[0]) for line in REFUSED]
    stored = ledger.sql("select line from resolved.results order by line")
    assert [row["line"] for row in stored] == [
        *range(5 + len(REFUSED), 5 + len(REFUSED) + len(READ))
    ]


NO_NUMBERS = ["1e-400", "1e400", "NaN", "inf", "-0e-999"]


def test_what_no_number_of_the_machine_is_becomes_no_value(ledger: Ledger) -> None:
    for number, text in enumerate(NO_NUMBERS):
        source = f"acme/results-{number}"
        ledger.map(
            source, "tables: [{columns: {Model: model, Accuracy: {metric: accuracy, unit: '%'}}}]"
        )
        page = f"| Model | Accuracy |\n|---|---|\n| BERT | {text} |\n| ViT | 80 |\n"
        ledger.add(page, source, "2026-01-01", name="page.md", format="results_page")
    assert ledger.resolve().success
    lines = "select line from {} order by path"
    stored = lines.format("resolved.results inner join raw.documents using (document_id)")
    assert [row["line"] for row in ledger.sql(stored)] == [4] * len(NO_NUMBERS)
    refused = ledger.sql(lines.format("audit.rejects"))
    assert [row["line"] for row in refused] == [3] * len(NO_NUMBERS)


def test_prose_and_logs_are_checked_like_tables(ledger: Ledger) -> None:
    ledger.add(
        "On the A100 ResNet-50 training reaches 0 images per second.", "acme/post", "2026-01-01"
    )
    ledger.add(
        "On the A100 ResNet-50 training reaches 9 images per second.", "acme/blog", "2026-01-01"
    )
    assert ledger.resolve().success
    [reject] = ledger.sql("select rule, reason from audit.rejects")
    assert reject == {
        "rule": "value_out_of_range",
        "reason": "'0' is 0 items/s, and values of throughput are above 0",
    }


def test_every_metric_has_a_range() -> None:
    assert [
        item["name"]
        for item in entries("metrics")
        if {item["name"], item["unit"]}.isdisjoint(ranges())
    ] == []
    names = {name for item in entries("metrics") for name in (item["name"], item["unit"])}
    assert ranges().keys() - names == {"items/s/device"}
    assert range_fault("training_loss", "loss", -1) is None


def test_a_derived_row_that_fails_its_contract_costs_itself_and_names_its_document(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "main.current_results"
    queries = steps.table_queries()
    wrong = (
        "case when model = 'ViT' then -1.0::double else 1.0::double end as value_per_accelerator"
    )
    query = f"select * replace ({wrong}) from ({queries[name]})"
    monkeypatch.setattr(steps, "table_queries", lambda: queries | {name: query})
    ledger.map(
        "acme/results",
        "tables: [{columns: {Model: model, Time: {metric: latency, unit: ms}, Chip: platform}}]",
    )
    page = "| Model | Chip | Time |\n|---|---|---|\n| BERT | A100 | 3 |\n| ViT | A100 | 2 |\n"
    ledger.add(page, "acme/results", "2026-01-01", name="page.md", format="results_page")
    outcome = ledger.build()
    assert (outcome.success, outcome.faults) == (True, [])
    assert ledger.sql("select value from main.current_results") == [{"value": 3.0}]
    [reject] = ledger.sql("select path, line, rule, reason from audit.rejects")
    assert (str(reject["path"]).split("/")[-1], reject["line"], reject["rule"]) == (
        "page.md",
        4,
        f"contract:{name}",
    )
    assert "value_per_accelerator: -1.0 is less than 0" in reject["reason"]
