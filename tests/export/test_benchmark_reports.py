"""Serving results as Benchmark Reports of llm-d: built from files of two programs, with their evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import BuildOnce, Ledger
from typer.testing import CliRunner

from benchledger.project import Project
from pipelines.cli.main import app

FIXTURES = Path(__file__).parents[1] / "fixtures" / "layouts"
SOURCES = ("vllm_serve_opt.json", "genai_perf_trtllm.json", "llmperf_anyscale_70b.json")
# What version 0.2 of the schema requires of each object, and what it allows.
UNITS = {"ms", "ms/token", "tokens/s", "queries/s"}
LATENCIES = {
    "time_to_first_token",
    "time_per_output_token",
    "inter_token_latency",
    "request_latency",
}
RATES = {"input_token_rate", "output_token_rate", "total_token_rate", "request_rate"}


@pytest.fixture(scope="module")
def served(once: BuildOnce) -> Ledger:
    def build(ledger: Ledger) -> Any:
        for name in SOURCES:
            source = f"acme/{Path(name).stem.replace('_', '-')}"
            ledger.add((FIXTURES / name).read_bytes(), source, "2026-01-31", name)
            mapping = (FIXTURES / name).with_suffix(".mapping.yml")
            ledger.map(source, mapping.read_text("utf-8"))
        return ledger.resolve()

    return once("served", build)


# One model at three rates of requests
SWEEP = """{{"backend": "vllm", "model_id": "facebook/opt-125m", "tokenizer_id": "x", "completed": 9, "num_prompts": 9,
"request_rate": {rate}, "request_throughput": 3.5, "output_throughput": 70, "total_token_throughput": 90,
"mean_ttft_ms": 1{rate}.5, "median_ttft_ms": 11}}"""


@pytest.fixture(scope="module")
def swept(once: BuildOnce) -> Ledger:
    def build(ledger: Ledger) -> Any:
        lines = [SWEEP.format(rate=rate).replace("\n", " ") for rate in (1, 4, 16)]
        ledger.add("\n".join(lines).encode(), "acme/sweep", "2026-01-31", "sweep.jsonl")
        ledger.map("acme/sweep", "constants: {platform: '!H100 SXM'}")
        return ledger.resolve()

    return once("swept", build)


def test_each_request_rate_is_a_report(swept: Ledger) -> None:
    reports = Project(raw=swept.raw, warehouse=swept.warehouse).benchmark_reports()
    found = {}
    for report in map(json.loads, reports.values()):
        [part] = report["scenario"]["stack"]
        rate = part["native"]["config"]["conditions"]["request_rate"]
        found[rate] = report["results"]["request_performance"]["aggregate"]
    assert {rate: one["latency"]["time_to_first_token"] for rate, one in found.items()} == {
        rate: {"units": "ms", "mean": mean, "p50": 11}
        for rate, mean in ((1, 11.5), (4, 14.5), (16, 116.5))
    }
    assert {one["throughput"]["output_token_rate"]["mean"] for one in found.values()} == {70}


@pytest.fixture(scope="module")
def reports(served: Ledger) -> dict[str, dict[str, Any]]:
    project = Project(raw=served.raw, warehouse=served.warehouse)
    return {name: json.loads(text) for name, text in project.benchmark_reports().items()}


def test_each_report_has_what_the_schema_requires(reports: dict[str, dict[str, Any]]) -> None:
    assert len(reports) == 2
    for name, report in reports.items():
        assert {*report} == {"version", "run", "scenario", "results"}
        assert (report["version"], name) == ("0.2", f"{report['run']['uid']}.json")
        [part] = report["scenario"]["stack"]
        assert {*part} == {"metadata", "standardized", "native"}
        assert {"label", "cfg_id"} == {*part["metadata"]}
        assert part["standardized"]["kind"] == "generic"
        assert all(isinstance(part["standardized"][one], str) for one in ("tool", "tool_version"))
        aggregate = report["results"]["request_performance"]["aggregate"]
        assert {*aggregate} == {"latency", "throughput"}
        assert {*aggregate["latency"]} <= LATENCIES
        assert {*aggregate["throughput"]} <= RATES
        for numbers in (*aggregate["latency"].values(), *aggregate["throughput"].values()):
            assert numbers["units"] in UNITS
            assert isinstance(numbers["mean"], float)


def test_a_report_has_the_numbers_with_their_places(reports: dict[str, dict[str, Any]]) -> None:
    [report] = [one for one in reports.values() if "OPT" in json.dumps(one)]
    [part] = report["scenario"]["stack"]
    assert part["standardized"]["model"] == {"name": "OPT 125M"}
    assert part["standardized"]["accelerator"]["model"] == "H100 SXM"
    aggregate = report["results"]["request_performance"]["aggregate"]
    assert aggregate["latency"]["time_to_first_token"] == {
        "units": "ms",
        "mean": 215.53594200008774,
        "p50": 55.68139649994919,
        "p99": 734.4049174101428,
    }
    assert aggregate["latency"]["time_per_output_token"]["units"] == "ms/token"
    # Beside the rate of all tokens it is that of the generated ones.
    assert aggregate["throughput"]["output_token_rate"]["mean"] == 82.89297074037474
    assert aggregate["throughput"]["request_rate"]["units"] == "queries/s"
    evidence = part["native"]["config"]["evidence"]
    assert {"ttft", "throughput"} <= {one["metric"] for one in evidence}
    assert [one["printed"] for one in evidence if one["line"] == 21] == ["82.89297074037474"]


def test_the_command_writes_them_to_a_new_folder(served: Ledger, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    command = ["export", "--to", str(folder), "--as", "benchmark-report"]
    command += ["--warehouse", str(served.warehouse)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert len([*folder.glob("*.json")]) == 2
    again = CliRunner().invoke(app, command)
    assert (again.exit_code, "give a new folder" in again.output) == (2, True)
