from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Ledger
from makers.golden import check_golden

from pipelines.extract import program_log
from pipelines.extract.conditions import Stated, missing_subject, reads_again
from pipelines.extract.contract import detect_format
from pipelines.extract.logs.arguments import Arguments
from pipelines.extract.logs.programs import (
    LinePattern,
    ProgramEntry,
    ProgramsError,
    matches_of,
    programs,
)
from pipelines.extract.reading import StoredDocument, read_document
from pipelines.extract.rows import Condition, Measurement, Reject, Row
from pipelines.extract.tables.entries import MappingFile
from pipelines.read.document import Document, Line
from pipelines.read.files import open_file
from pipelines.read.log_lines import said_on
from pipelines.read.text import read_text
from pipelines.validate.evidence.places import Opened, Place
from pipelines.validate.evidence.readings import read_condition, read_result

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "program_log").glob("*.txt"))
COLUMNS = [
    "kind", "line", "text", "metric", "statistic", "value", "unit", "item", "task", "model_printed", "platform_printed",
    "framework_printed", "accelerator_count", "batch_size", "precision", "section", "rule", "reason",
    "value_low", "value_high", "conditions",
]  # fmt: skip


def document_of(text: str) -> Document:
    return read_text(text.encode(), "0" * 64)


# The mapping of a source that names neither a model nor a platform
UNNAMED = "constants: {model: '!unnamed', platform: '!unnamed'}"


def stored(path: Path, mapping: str = UNNAMED, format: str | None = None) -> StoredDocument:
    """A document of a source with a mapping."""
    file = path.parent / "mapping.yml"
    file.write_text(mapping, "utf-8")
    return StoredDocument(
        "0" * 64,
        path,
        format,
        mapping=MappingFile(file, hashlib.sha256(mapping.encode()).hexdigest()),
    )


def rows_of(text: str) -> list[Row]:
    """The rows of a log; each is read again at its place."""
    document = document_of(text)
    rows = program_log.extract(document, frozenset()).rows
    for row in rows:
        cell = row.cell
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text, cell
        if isinstance(row, Condition):
            assert not row.is_printed or reads_again(
                Stated(row.dimension, row.value, cell, row.level)
            ), row
            said = {
                "dimension": row.dimension,
                "value": row.value,
                "name_printed": None,
                "value_printed": None,
            }
            place = Place(Opened(document), document.line(cell.line), cell.start, cell.end)
            assert row.level == "vocabulary" or read_condition(place, said) is None, row
        elif isinstance(row, Measurement):
            place = Place(Opened(document), document.line(cell.line), cell.start, cell.end)
            stored = asdict(row) | {"value_printed": cell.text, "extractor": "program_log"}
            assert read_result(place, stored) is None, cell
    return rows


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture(path: Path) -> None:
    rows = rows_of(path.read_text("utf-8"))
    conditions = {row.number: row for row in rows if isinstance(row, Condition)}
    shown = sorted(
        (row for row in rows if not isinstance(row, Condition)),
        key=lambda row: (row.cell.line, row.cell.start),
    )
    more = {}
    for at, row in enumerate(shown):
        said = (
            [conditions[number] for number in row.conditions]
            if isinstance(row, Measurement)
            else []
        )
        stated = sorted(
            f"{each.dimension} {each.value} ({each.level} {each.cell.line})" for each in said
        )
        more[at] = {"conditions": ", ".join(stated)}
    check_golden(path, COLUMNS, shown, more)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_log_is_recognised_and_every_line_of_it_is_accounted_for(path: Path) -> None:
    assert detect_format(document_of(path.read_text("utf-8"))) == "program_log"
    reading = read_document(StoredDocument("0" * 64, path, None))
    assert reading.found_by == {"program_log"}
    assert {role for role, _ in reading.accounting.roles} <= {
        "blank",
        "log",
        "condition",
        "measurement",
        "unparsed",
    }
    assert "unread_number" not in {rule for _, rule in reading.accounting.statuses}


def values_of(text: str) -> Counter[tuple[object, ...]]:
    """What the rows of a log say, wherever they are."""
    found: Counter[tuple[object, ...]] = Counter()
    for row in rows_of(text):
        if isinstance(row, Measurement):
            found["measured", row.metric, row.value, row.task, row.item, row.model_printed] += 1
        elif isinstance(row, Reject):
            found["reject", row.rule] += 1
    return found


def results_of(text: str) -> list[str]:
    """The results of a log: metric, statistic, value, unit and what is counted."""
    measured = (row for row in rows_of(text.rstrip("\n") + "\n") if isinstance(row, Measurement))
    said = (
        [row.metric, row.statistic, f"{row.value:.15g}", row.unit, row.item] for row in measured
    )
    return [" ".join(filter(None, words)) for words in said]


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank0]: {}",
        "0: {}",
        "INFO 11-20 12:00:00 [bench.py:12] {}",
        "2024-05-01 12:00:00,123 - INFO - {}",
        "\x1b[32m{}\x1b[0m",
        "(EngineCore_0 pid=1234) {}",
        "[1,0]<stdout>:{}",
        "{}   ",
    ],
)
@pytest.mark.parametrize("name", ["loadgen", "megatron_steps", "llama_cpp"])
def test_what_launchers_and_loggers_put_before_a_line_changes_nothing(
    name: str, prefix: str
) -> None:
    text = next(path for path in FIXTURES if path.stem == name).read_text("utf-8")
    lines = (prefix.format(line) if line.strip() else line for line in text.split("\n"))
    assert values_of("\n".join(lines)) == values_of(text)


@pytest.mark.parametrize(
    "noise",
    [
        " 45%|████▌     | 45/100 [00:10<00:12,  4.4it/s]",
        "2024-05-01 12:00:00 [WARNING] memory 12.3 GiB",
        'INFO:     127.0.0.1:5000 - "POST /v1/completions HTTP/1.1" 200 OK',
    ],
)
def test_lines_of_others_within_a_summary_change_nothing(noise: str) -> None:
    text = next(path for path in FIXTURES if path.stem == "vllm_serving").read_text("utf-8")
    lines = text.split("\n")
    assert values_of("\n".join([*lines[:20], noise, *lines[20:]])) == values_of(text)


@pytest.mark.parametrize("number", ["154.82", "3.75", "18734.08"])
def test_a_letter_within_a_number_is_a_reject(number: str) -> None:
    text = f"=== Serving Benchmark Result ===\nMean TTFT (ms): {number}\nMean TPOT (ms): 14.60\n"
    assert values_of(text)["measured", "ttft", float(number), "inference", None, None] == 1
    for place, digit in enumerate(number[1:], start=1):
        if digit.isdigit():
            damaged = f"{number[:place]}o{number[place + 1 :]}"
            found = values_of(text.replace(number, damaged))
            assert found["reject", "log_value_unreadable"] == 1, damaged
            assert sum(found.values()) == 2


@pytest.mark.parametrize("entry", programs().entries, ids=lambda entry: entry.name)
def test_each_entry_reads_its_example_and_names_its_source(
    entry: ProgramEntry, tmp_path: Path
) -> None:
    assert entry.source.startswith("https://")
    assert sorted(results_of(entry.example["log"])) == sorted(entry.example["gives"])
    # As a file, where lines of steps with commas look like a table
    (tmp_path / "log.txt").write_text(entry.example["log"].rstrip("\n") + "\n", "utf-8")
    assert detect_format(open_file(tmp_path / "log.txt", "0" * 64)) == "program_log"


PUBLISHED = yaml.safe_load((FIXTURES[0].parent / "published_lines.yml").read_text("utf-8"))


@pytest.mark.parametrize("lines", PUBLISHED, ids=lambda lines: lines["program"])
def test_lines_of_a_log_that_others_have_published(lines: dict[str, Any]) -> None:
    assert sorted(results_of(lines["log"])) == sorted(lines["gives"])


@pytest.mark.parametrize("pattern", ["{speed tok/s}", "{ttft tok/s}"])
def test_a_placeholder_names_a_metric_and_a_unit_of_it(pattern: str) -> None:
    with pytest.raises(ProgramsError):
        LinePattern(programs().entries[0], "lines", pattern)


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        (
            "python ./vllm/benchmark_serving.py --backend vllm --model deepseek-ai/DeepSeek-R1 --dtype float16",
            {"framework": "vllm", "model": "DeepSeek-R1", "precision": "FP16"},
        ),
        ("vllm bench serve --model deepseek-ai/DeepSeek-V3.2-Exp", {"model": "DeepSeek-V3.2-Exp"}),
        ("llama-bench --model models/Llama-3.2-1B.gguf", {"model": "Llama-3.2-1B"}),
        ("Namespace(backend='openai', model='Qwen/Qwen3-0.6B', batch_size=None)", {"model": "Qwen3-0.6B"}),
        ("bench.py --model a --model-name b --batch-size 8", {"batch_size": "8"}),
        ("bench.py --dataset-name mine --gpu-type cuda", {}),
        ("docker run --network host --gpus all -m 16g image", {}),
        ("INFO use --max-concurrency 8 for more", {}),
    ],
)  # fmt: skip
def test_what_a_command_states(line: str, stated: dict[str, str]) -> None:
    arguments = Arguments({})
    arguments.read(said_on(Line(1, line)))
    assert {name: each.value for name, each in arguments.in_force().stated.items()} == stated


def test_a_command_goes_on_behind_a_backslash_and_the_next_one_begins_anew() -> None:
    arguments = Arguments({})
    for line in (
        "bench.py \\",
        '  --model "Qwen/Qwen2-VL-7B" \\',
        '  --backend "vllm"',
        "--model other",
    ):
        arguments.read(said_on(Line(1, line)))
    said = {name: each.value for name, each in arguments.in_force().stated.items()}
    assert said == {"model": "Qwen2-VL-7B", "framework": "vllm"}
    arguments.read(said_on(Line(5, "bench.py --batch-size 8")))
    assert [*arguments.in_force().stated] == ["batch_size"]


SUMMARY = (
    "============ Serving Benchmark Result ============\nRequest throughput (req/s): {}\n======\n"
)


@pytest.mark.parametrize("heading", ["## Without a cache", "\nWithout a cache\n"])
def test_a_setting_does_not_cross_a_heading(heading: str) -> None:
    command = "bench.py --model Qwen/Qwen3-0.6B\n"
    text = f"{command}{SUMMARY.format(3.02)}{heading}\n{SUMMARY.format(4.5)}"
    models = {row.value: row.model_printed for row in rows_of(text) if isinstance(row, Measurement)}
    assert models == {3.02: "Qwen3-0.6B", 4.5: None}


def test_a_setting_below_the_results_of_a_summary_is_of_the_next_one() -> None:
    run = "Model: {}\n=== Performance summary ===\nThroughput: {} qps\n"
    rows = [
        row
        for row in rows_of(run.format("a.onnx", 3.02) + run.format("b.onnx", 4.5))
        if isinstance(row, Measurement)
    ]
    assert [(row.value, row.model_printed) for row in rows] == [(3.02, "a"), (4.5, "b")]


def test_summaries_that_only_a_word_tells_apart_are_refused() -> None:
    text = f"with the cache\n{SUMMARY.format(3.02)}without it\n{SUMMARY.format(4.5)}"
    rejects = [row for row in rows_of(text) if isinstance(row, Reject)]
    assert values_of(text) == {("reject", "ambiguous"): 2}
    assert all("`with the cache`, `without it`" in row.reason for row in rejects)
    # What is printed again is one result.
    assert results_of(f"{SUMMARY.format(3.02)}again\n{SUMMARY.format(3.02)}") == [
        "request_throughput 3.02 items/s requests"
    ]
    swept = "".join(
        f"Request concurrency: {n}\n  Client:\n    Throughput: {n}81.4 infer/sec\n" for n in (1, 2)
    )
    assert len(results_of(swept)) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(
            "other.txt",
            "Avg latency: 0.0123 seconds\nTTFT: 20.88 ms\n",
            id="a program that no entry names",
        ),
        pytest.param(
            "page.md",
            f"# Serving results\n\n{SUMMARY.format(3.02)}\nThe server was started again before each of the runs.\n",
            id="a summary on a page is left to a mapping",
        ),
    ],
)
def test_what_is_no_log_is_not_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    reading = read_document(StoredDocument("0" * 64, tmp_path / name, None))
    assert set(reading.rows) <= {"rejects"}
    assert {status for status, _ in reading.accounting.statuses} == {"unparsed"}


def steps(*times: float) -> str:
    return "\n".join(
        f"iter {number}: loss 2.1, time {time:.2f}ms" for number, time in enumerate(times)
    )


@pytest.mark.parametrize(
    ("times", "value", "low", "high", "count", "warm_up"),
    [
        # Of an even number of steps the lower of the two in the middle is printed.
        ((500.1, 502.3, 501.2, 503.4), 501.2, 500.925, 502.575, 4, None),
        # Slow steps at the beginning are left out, a slow one later is not.
        ((9000.0, 800.0, *(500.1, 500.2, 500.3) * 4, 700.0), 500.2, 500.1, 500.3, 13, 2),
        # A fast step at the beginning is no warm-up.
        ((100.0, 500.1, 500.2, 500.3), 500.1, 400.075, 500.225, 4, None),
    ],
)
def test_a_steady_state(
    times: tuple[float, ...], value: float, low: float, high: float, count: int, warm_up: int | None
) -> None:
    rows = rows_of(steps(*times))
    [row] = [row for row in rows if isinstance(row, Measurement)]
    assert (row.metric, row.value, row.value_low, row.value_high) == ("step_time", value, low, high)
    said = {row.dimension: row.value for row in rows if isinstance(row, Condition)}
    assert (said["statistic"], said["steps"]) == ("median", str(count))
    assert said.get("warm_up_steps") == (None if warm_up is None else str(warm_up))


def test_steps_that_begin_again_are_another_run_which_nothing_tells_apart() -> None:
    for others in ((300.1, 300.2, 300.3), (500.2, 500.3, 500.4)):
        found = values_of(f"{steps(500.1, 500.2, 500.3)}\n{steps(*others)}\n")
        assert found == {("reject", "ambiguous"): 2}


def test_a_command_with_other_settings_begins_another_run() -> None:
    """Also where the numbers of the steps go on: a run that was resumed."""
    first, second = (
        steps(500.1, 500.2, 500.3),
        steps(500.1, 500.2, 500.3, 300.1, 300.2, 300.3).splitlines()[3:],
    )
    rows = rows_of(
        "\n".join(["--batch-size 4", first, "--batch-size 8", *second, ""]).replace(
            "--", "python train.py --"
        )
    )
    found = {
        (row.value, row.batch_size)
        for row in rows
        if isinstance(row, Measurement) and row.metric == "step_time"
    }
    assert {batch_size for _, batch_size in found} == {4, 8}


def test_too_few_steps_are_a_reject_and_unparsed(tmp_path: Path) -> None:
    path = tmp_path / "steps.log"
    path.write_text(steps(500.1, 500.2, 500.3).replace("500.30", "5o0.30"), "utf-8")
    reading = read_document(StoredDocument("0" * 64, path, "program_log"))
    assert [row["rule"] for row in reading.rows["rejects"]] == [
        "log_value_unreadable",
        "log_steps_too_few",
    ]
    assert {status for status, _ in reading.accounting.statuses} <= {"unparsed", "condition"}


def test_a_steady_state_is_in_the_warehouse_with_its_steps(ledger: Ledger) -> None:
    log = next(path for path in FIXTURES if path.stem == "torchtitan_steps").read_text("utf-8")
    ledger.add(log, "acme/training", "2025-03-12", name="torchtitan.log")
    assert ledger.resolve().success
    rows = ledger.sql(
        """
        select metric, statistic, value, value_low, value_high, unit, platform, other_conditions
        from resolved.results order by metric
        """
    )
    counted = "steps 5, warm up steps 1"
    assert [tuple(row.values()) for row in rows] == [
        ("model_flops_utilization", "median", 32.27, 32.26, 32.3, "%", "H100", counted),
        ("tflops_per_device", "median", 319.13, 319.01, 319.42, "TFLOPS/device", "H100", counted),
        ("throughput_per_device", "median", 5511.0, 5509.0, 5516.0, "tokens/s", "H100", counted),
    ]
    said = ledger.sql(
        "select distinct dimension, text_printed, level from resolved.result_conditions"
    )
    assert {"dimension": "model", "text_printed": "llama3 8B", "level": "page"} in said


def test_numbers_beside_those_of_a_summary_on_one_line_are_unparsed(tmp_path: Path) -> None:
    path = tmp_path / "llama.txt"
    runs = "602 runs   (   39.17 ms per token,    25.53 tokens per second)"
    path.write_text(
        f"llama_perf_context_print:        eval time =   23582.66 ms /   {runs}", "utf-8"
    )
    accounting = read_document(stored(path)).accounting
    statuses = dict(
        zip(accounting.texts, (status for status, _ in accounting.statuses), strict=True)
    )
    assert statuses == {
        "23582.66": "unparsed",
        "602": "unparsed",
        "39.17": "extracted",
        "25.53": "extracted",
    }


def test_a_value_at_the_end_of_a_log_without_an_end_of_line_may_be_cut() -> None:
    summary = "============ Serving Benchmark Result ============\nMean TPOT (ms):   14.60\nMean TTFT (ms):   154.82\n"
    assert values_of(summary)["measured", "ttft", 154.82, "inference", None, None] == 1
    found = values_of(summary[:-1])
    assert found["reject", "log_value_unreadable"] == 1
    assert found["measured", "tpot", 14.6, "inference", None, None] == 1


@pytest.mark.parametrize(
    ("stated", "kind", "missing"),
    [
        ({"model", "platform"}, "performance", []),
        ({"model"}, "performance", ["platform"]),
        ((), "performance", ["model", "platform"]),
        ({"model"}, "quality", []),
        ({"platform"}, "size", ["model"]),
    ],
)
def test_a_performance_needs_a_model_and_a_platform(
    stated: set[str], kind: str, missing: list[str]
) -> None:
    reason = missing_subject(stated, kind)
    assert (reason is None) == (not missing)
    assert reason is None or ", ".join(f"{name}: ..." for name in missing) in reason


# The result of each run by the rules of MLPerf. `Server` is counted as scheduled up to v4.0 and as
# completed later, in tokens where there are any; an estimate of the early stopping replaces the
# observed percentile.
OFFICIAL = {
    "loadgen": "throughput 479.087 tokens",
    "loadgen_multistream": "latency p99 37.768479",
    "loadgen_multistream_streams": "streams 262",
    "loadgen_server_inferred": "throughput 6070.26 tokens",
    "loadgen_server_scheduled": "throughput 1100582.05 samples",
    "loadgen_server_tokens": "throughput 24593.77 tokens",
    "loadgen_single_stream": "latency p90 4145.572039",
    "loadgen_single_stream_old": "latency p90 1.258096",
    "loadgen_single_stream_tokens": "latency p90 3545.895439",
}


def conditions_of(rows: list[Row]) -> list[tuple[str, dict[str, str]]]:
    """The results of a log, each with its conditions."""
    conditions = {row.number: row for row in rows if isinstance(row, Condition)}
    found = []
    for row in rows:
        if isinstance(row, Measurement):
            said = {
                conditions[number].dimension: conditions[number].value for number in row.conditions
            }
            words = (row.metric, row.statistic, f"{row.value:.15g}", row.item)
            found.append((" ".join(filter(None, words)), said))
    return found


@pytest.mark.parametrize("name", OFFICIAL)
def test_one_number_of_a_run_of_mlperf_counts(name: str) -> None:
    text = next(path for path in FIXTURES if path.stem == name).read_text("utf-8")
    rows = rows_of(text)
    assert not [row.reason for row in rows if isinstance(row, Reject)]
    counting = [
        (result, said)
        for result, said in conditions_of(rows)
        if said.get("result_status") == "official"
    ]
    assert [result for result, _ in counting] == [OFFICIAL[name]]
    # It is the plain result of its metric, and no other one of the run has its conditions.
    assert "measured_as" not in counting[0][1]
    results = [row for row in rows if isinstance(row, Measurement)]
    named = [
        (row.metric, row.statistic, said.get("measured_as"))
        for row, (_, said) in zip(results, conditions_of(rows), strict=True)
    ]
    assert len(set(named)) == len(named)


def test_what_counts_of_a_server_is_above_the_verdict() -> None:
    """In old logs the rate as scheduled, in new ones the rate as completed."""
    text = "MLPerf Results Summary\nScenario : Server\n{}Result is : VALID\nAdditional Stats\n{}"
    rates = (
        "Scheduled samples per second : 10050.00\n",
        "Completed samples per second    : 9990.00\n",
    )
    for one, other in (rates, rates[::-1]):
        first, second = conditions_of(rows_of(text.format(one, other)))
        assert first[1]["result_status"] == "official"
        assert second[1]["measured_as"] == other.split()[0]
        assert (first[0], second[0]) == tuple(
            f"throughput {line.split()[-1][:-3]} samples" for line in (one, other)
        )


def test_no_number_of_an_unknown_scenario_counts() -> None:
    text = next(path for path in FIXTURES if path.stem == "loadgen_server_inferred").read_text(
        "utf-8"
    )
    found = conditions_of(rows_of(text.replace("Scenario : Server", "Scenario : ConstantStream")))
    assert len(found) == 12
    assert not [result for result, said in found if "result_status" in said]


@pytest.mark.parametrize(
    ("line", "other", "reason"),
    [
        ("Result is : VALID\n", "Result is : INVALID\n", "prints `Result is : INVALID`"),
        ("Result is : VALID\n", "", "does not report that this result is valid"),
        ("Mode     : PerformanceOnly", "Mode     : AccuracyOnly", "prints `Mode : AccuracyOnly`"),
    ],
)
def test_a_run_of_mlperf_that_is_not_valid_has_no_results(
    line: str, other: str, reason: str
) -> None:
    text = next(path for path in FIXTURES if path.stem == "loadgen_server_tokens").read_text(
        "utf-8"
    )
    assert text.count(line) == 1
    rows = rows_of(text.replace(line, other))
    rejects = [row for row in rows if isinstance(row, Reject)]
    assert not [row for row in rows if isinstance(row, Measurement)]
    assert {row.rule for row in rejects} == {"log_result_invalid"}
    assert all(reason in row.reason for row in rejects)


def test_a_number_of_a_run_of_mlperf_that_no_line_reads_is_a_reject() -> None:
    """Also where most of the numbers are new: the first words of the log say what it is."""
    text = "====\nMLPerf Results Summary\n====\nScenario : Offline\nSamples per second: 33.6903\nResult is : VALID\n"
    new = [f"Frames of kind {number} : 1{number}.5" for number in range(30)]
    document = document_of(text + "\n".join([*new, ""]))
    assert detect_format(document) == "program_log"
    rejects = [
        row for row in program_log.extract(document, frozenset()).rows if isinstance(row, Reject)
    ]
    assert [(row.rule, row.cell.text) for row in rejects] == [
        ("log_line_unread", line) for line in new
    ]


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("2.5e+06", 2.5e6),
        ("1e-05", 1e-5),
        ("1,234.5", 1234.5),
        ("2.12E+06", 2.12e6),
        ("33", 33.0),
        ("-33", None),
    ],
)
def test_numbers_in_the_notations_of_programs(printed: str, value: float | None) -> None:
    text = f"MLPerf Results Summary\nScenario : Offline\nSamples per second: {printed}\nResult is : VALID\n"
    rows = rows_of(text)
    assert [row.value for row in rows if isinstance(row, Measurement)] == (
        [] if value is None else [value]
    )
    assert [row.rule for row in rows if isinstance(row, Reject)] == ["log_value_unreadable"] * (
        value is None
    )


def test_runs_of_mlperf_are_results_of_the_model_and_the_platform_that_a_mapping_states(
    ledger: Ledger,
) -> None:
    text = next(path for path in FIXTURES if path.stem == "loadgen_server_tokens").read_text(
        "utf-8"
    )
    ledger.add(text, "acme/unnamed", "2025-03-12", name="mlperf_log_summary.txt")
    ledger.add(
        text.replace("24593.77", "34593.77"),
        "acme/unnamed",
        "2025-04-12",
        name="mlperf_log_summary.txt",
    )
    text = text.replace("24593.77", "24594.5")
    mapping = "constants: {model: '!Llama 2 70B', platform: '!MI300X', accelerator_count: '!8'}\n"
    ledger.add(text, "acme/mlperf", "2025-03-12", name="mlperf_log_summary.txt")
    ledger.map("acme/mlperf", mapping)
    derived = ("audit.conflicts", "audit.discrepancies", "audit.unresolved_names")
    assert ledger.resolve(*derived).success
    [reject] = ledger.sql("select distinct rule, reason from audit.rejects")
    assert reject["rule"] == "no_subject"
    assert "add `constants: {model: ..., platform: ...}` to the `mapping.yml`" in reject["reason"]
    rows = ledger.sql(
        """
        select metric, statistic, value, unit, other_conditions
        from resolved.results
        where model = 'Llama 2 70B' and platform = 'MI300X' and scenario = 'Server'
            and (statistic is null or statistic = 'p97')
        order by all
        """
    )
    assert [tuple(row.values()) for row in rows] == [
        ("latency", "p97", 107516.926392, "ms", None),
        ("throughput", None, 81.68, "samples/s", "measured as Completed"),
        ("throughput", None, 83.9, "samples/s", "measured as Scheduled"),
        ("throughput", None, 24594.5, "tokens/s", "result status official"),
        ("tpot", "p97", 175.094669, "ms", None),
        ("ttft", "p97", 1683.89962, "ms", None),
    ]
    assert (
        len(
            {
                row["benchmark_key"]
                for row in ledger.sql("select benchmark_key from resolved.results")
            }
        )
        == 30
    )
    assert ledger.sql("select * from audit.conflicts") == []
    assert ledger.sql("select * from audit.discrepancies") == []
    assert ledger.sql("select * from audit.unresolved_names where kind = 'metrics'") == []


@pytest.mark.parametrize(
    ("line", "is_bar"),
    [
        ("|   batch size   |   Throughput Avg   |   Latency 90%   |   Latency 95%   |", False),
        ("|Model|Utilization at 90%|90%||5 [ms]|", False),
        ("│ GPU load │ 95% │ 120.3 │", False),
        ("Mean latency 12.1 ms, 95% [11.2, 13.4]", False),
        ("100% │█████│ 10/10", True),
        (" 45% [====>     ] 1,234", True),
        (" 45%|████▌     | 45/100 [00:10<00:12,  4.4it/s]", True),
        ("  0%|          | 0/1.2k [00:00<?, ?it/s]", True),
        ("100%|##########| 45/45 [00:10<00:00,  4.4it/s]", True),
        ("Loading: 100% ━━━━━━━━ 10/10", True),
        ("[====>     ] 45%", True),
        ("45% [====>     ]", True),
    ],
)
def test_a_percentage_in_a_table_is_no_progress_bar(line: str, is_bar: bool) -> None:
    patterns = matches_of(said_on(Line(1, line)).cell.text)
    assert any(pattern.entry.name == "a progress bar" for pattern, _ in patterns) == is_bar
