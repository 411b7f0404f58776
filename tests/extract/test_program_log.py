from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Ledger

from pipelines.extract import program_log
from pipelines.extract.conditions import Stated, reads_again
from pipelines.extract.contract import detect_format
from pipelines.extract.logs import programs
from pipelines.extract.logs.programs import Program, content
from pipelines.extract.logs.settings import Settings, names
from pipelines.extract.reading import StoredDocument, read_document
from pipelines.extract.rows import Condition, Epoch, Measurement, Reject, Row, Run
from pipelines.read.document import Document, Line
from pipelines.read.log_lines import said_on
from pipelines.read.text import read_text
from pipelines.validate.evidence.places import Opened, Place
from pipelines.validate.evidence.readings import read_epoch, read_result, read_run

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "program_log").glob("*.txt"))
COLUMNS = [
    "kind", "line", "text", "metric", "value", "unit", "item", "task", "model_printed", "platform_printed",
    "framework_printed", "accelerator_count", "batch_size", "precision", "attributes", "section", "rule", "scope",
    "run_line", "epochs", "epochs_planned", "training_time_s", "epoch", "steps", "epoch_time_s", "loss", "loss_is_nan",
    "reason", "value_low", "value_high", "conditions",
]  # fmt: skip


def document_of(text: str) -> Document:
    return read_text(text.encode(), "0" * 64)


READINGS = {Measurement: read_result, Run: read_run, Epoch: read_epoch}


def rows_of(text: str) -> list[Row]:
    """The rows of a log; each is read again at its place."""
    document = document_of(text)
    rows = program_log.extract(document, frozenset()).rows
    conditions = {row.number: row for row in rows if isinstance(row, Condition)}
    for row in rows:
        cell = row.cell
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text, cell
        if isinstance(row, Condition):
            assert row.level == "vocabulary" or reads_again(Stated(row.dimension, row.value, cell, row.level)), row
            continue
        if reading := READINGS.get(type(row)):
            place = Place(Opened(document), document.line(cell.line), cell.start, cell.end)
            said = [conditions[number] for number in getattr(row, "conditions", ())]
            statistic = {each.dimension: each.value for each in said}.get("statistic")
            stored = asdict(row) | {"value_printed": cell.text, "statistic": statistic, "extractor": "program_log"}
            assert reading(place, stored) is None, cell
    return rows


def as_csv(text: str) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writeheader()
    rows = rows_of(text)
    conditions = {row.number: row for row in rows if isinstance(row, Condition)}
    for row in sorted(rows, key=lambda row: (row.cell.line, row.cell.start)):
        if isinstance(row, Condition):
            continue
        said = [conditions[number] for number in row.conditions] if isinstance(row, Measurement) else []
        stated = [f"{each.dimension} {each.value} ({each.level} {each.cell.line})" for each in said]
        place = {"kind": type(row).__name__, "line": row.cell.line, "text": row.cell.text}
        writer.writerow(asdict(row) | place | {"conditions": ", ".join(sorted(stated))})
    return out.getvalue()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture(path: Path) -> None:
    expected = path.with_suffix(".expected.csv")
    found = as_csv(path.read_text("utf-8"))
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_log_is_recognised_and_every_line_of_it_is_accounted_for(path: Path) -> None:
    assert detect_format(document_of(path.read_text("utf-8"))) == "program_log"
    reading = read_document(StoredDocument("0" * 64, path, None))
    assert reading.found_by == {"program_log"}
    assert {role for role, _ in reading.accounting.roles} <= {"blank", "log", "condition", "measurement", "unparsed"}
    assert {rule for _, rule in reading.accounting.statuses if rule == "unread_number"} == set()


def values_of(text: str) -> Counter[tuple[object, ...]]:
    """What the rows of a log say, wherever they stand."""
    found: Counter[tuple[object, ...]] = Counter()
    for row in rows_of(text):
        if isinstance(row, Measurement):
            found["measured", row.metric, row.value, row.task, row.item, row.attributes, row.model_printed] += 1
        elif isinstance(row, Epoch):
            found["epoch", row.epoch, row.epoch_time_s, row.loss] += 1
        elif isinstance(row, Run):
            found["run", row.training_time_s, row.epochs, row.batch_size] += 1
        elif isinstance(row, Reject):
            found["reject", row.rule] += 1
    return found


PREFIXES = {
    "rank": "[rank0]: {}",
    "label": "0: {}",
    "logger": "INFO 11-20 12:00:00 [bench.py:12] {}",
    "time": "2024-05-01 12:00:00,123 - INFO - {}",
    "colour": "\x1b[32m{}\x1b[0m",
    "actor": "(EngineCore_0 pid=1234) {}",
    "mpi": "[1,0]<stdout>:{}",
    "nothing_but_blanks_behind": "{}   ",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize(
    "path", [path for path in FIXTURES if path.stem not in ("ranks", "torchtitan_steps")], ids=lambda path: path.stem
)
def test_what_launchers_and_loggers_put_before_a_line_changes_nothing(path: Path, prefix: str) -> None:
    text = path.read_text("utf-8")
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
    assert values_of(text)["measured", "ttft", float(number), "inference", None, None, None] == 1
    for place, digit in enumerate(number):
        if digit.isdigit():
            damaged = f"{number[:place]}o{number[place + 1 :]}"
            found = values_of(text.replace(number, damaged))
            assert found["reject", "log_value_unreadable"] == 1, damaged
            assert sum(found.values()) == 2


PAGE = """Serving results

{heading}

============ Serving Benchmark Result ============
Successful requests:                     200
Request throughput (req/s):              3.02
Output token throughput (tok/s):         611.40
Mean TTFT (ms):                          208.11
==================================================

The server was started again before each of the runs, and its cache was empty at the start.
We asked it with the prompts of the first data set, and took the mean of three of the runs.
All of the requests were sent at once, and the answers were as long as they wanted to be.
None of the machines had anything else to do while the benchmark was running on the server.
"""


@pytest.mark.parametrize(("heading", "is_log"), [("Mixtral 8x7B on 2x H100", False), ("Runs", True)])
def test_a_summary_below_the_name_of_a_model_is_left_to_a_mapping(heading: str, is_log: bool, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text(PAGE.format(heading=heading), "utf-8")
    rows = read_document(StoredDocument("0" * 64, path, None)).rows.get("measurements", [])
    expected = [("request_throughput", 3.02, None), ("throughput", 611.4, None), ("ttft", 208.11, None)]
    assert [(row["metric"], row["value"], row["model_printed"]) for row in rows] == (expected if is_log else [])


@pytest.mark.parametrize(
    "line",
    [
        "Epoch: [0][  10/5005]\tTime  0.312 ( 0.447)\tData  0.001 ( 0.050)\tLoss 6.9e+00 (7.0e+00)",
        "{'loss': 2.26, 'grad_norm': 0.8, 'learning_rate': 5e-05, 'epoch': 0.02}",
        "{'loss': '2.26', 'learning_rate': '5e-05', 'epoch': '0.02'}",
        "2017-03-28 14:51:04.380095: step 660, loss = 2.85 (729.8 examples/sec; 0.175 sec/batch)",
        ':::MLLOG {"namespace": "", "time_ms": 1620000000000, "event_type": "POINT_IN_TIME", "key": "seed"}',
    ],
)
def test_steps_without_a_known_speed_give_no_row_and_are_accounted_for(line: str, tmp_path: Path) -> None:
    path = tmp_path / "steps.log"
    path.write_text(f"{line}\n" * 3, "utf-8")
    reading = read_document(StoredDocument("0" * 64, path, None))
    assert set(reading.rows) == {"rejects"}
    assert [row["rule"] for row in reading.rows["rejects"]] == ["log_without_summary"]
    assert set(reading.accounting.roles[1:]) == {("log", "log_step")}
    assert set(reading.accounting.statuses) == {("ignored", "log_step")}


PROGRAMS = [program for program in content().programs if program.example]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: f"{program.name} {program.mark}")
def test_each_program_has_an_example(program: Program) -> None:
    rows = rows_of(program.example["log"].rstrip("\n") + "\n")
    measured = (row for row in rows if isinstance(row, Measurement))
    said = [f"{row.metric} {row.value:.15g} {row.unit} {row.item or ''}".strip() for row in measured]
    assert sorted(said) == sorted(program.example["gives"])
    assert len(PROGRAMS) == len(content().programs)


PHRASES = [phrase for _, phrase in names().phrases]


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: next(iter(phrase["example"])))
def test_each_phrase_has_an_example(phrase: dict[str, Any]) -> None:
    for text, stated in phrase["example"].items():
        settings = Settings()
        settings.read(said_on(Line(1, text)))
        said = {name: each.value for name, each in settings.stated(phrase.get("task")).items()}
        assert said.items() >= stated.items()


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        (
            "python ./vllm/benchmark_serving.py --backend vllm --model deepseek-ai/DeepSeek-R1 --dataset-name mmlu",
            {"framework": "vllm", "model": "DeepSeek-R1", "dataset": "mmlu"},
        ),
        (
            "vllm bench serve --model Qwen/Qwen3-0.6B --dataset-name random",
            {"framework": "vllm", "model": "Qwen3-0.6B"},
        ),
        ("python bench.py --dataset-name hf --dataset-path lmarena-ai/arena-bench", {"dataset": "arena-bench"}),
        ("python bench.py --dataset ./ShareGPT_V3.json", {"dataset": "ShareGPT_V3"}),
        ("$ hailortcli benchmark yolov5m.hef", {"model": "yolov5m"}),
        ("perf_analyzer -m resnet50 --concurrency-range 1", {"model": "resnet50"}),
        ("python -m vllm.entrypoints.api_server --port 1", {"framework": "vllm"}),
        ("docker run --network host --gpus all -m 16g image", {}),
        ("onnxruntime_perf_test -m times -r 100 net.onnx", {"framework": "onnxruntime"}),
    ],
)
def test_what_a_command_names(line: str, stated: dict[str, str]) -> None:
    settings = Settings()
    settings.read(said_on(Line(1, line)))
    assert {name: each.value for name, each in settings.stated(None).items()} == stated


def test_a_command_goes_on_behind_a_backslash() -> None:
    settings = Settings()
    for line in ("python3 bench.py \\", '  --model "Qwen/Qwen2-VL-7B" \\', '  --backend "vllm-chat"', "--model other"):
        settings.read(said_on(Line(1, line)))
    stated = {name: each.value for name, each in settings.stated(None).items()}
    assert stated == {"model": "Qwen2-VL-7B", "framework": "vllm"}


def test_each_line_of_progress_has_an_example() -> None:
    path = Path(programs.__file__).with_name("programs.yml")
    for entry in yaml.safe_load(path.read_text("utf-8"))["progress"]:
        examples = entry["example"] if isinstance(entry["example"], list) else [entry["example"]]
        assert all(re.match(entry["pattern"], example, re.IGNORECASE) for example in examples), entry


def steps(*times: float) -> str:
    return "\n".join(f"iter {number}: loss 2.1, time {time:.2f}ms" for number, time in enumerate(times))


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
    assert said["statistic"] == "median"
    assert said["steps"] == str(count)
    assert said.get("warm_up_steps") == (None if warm_up is None else str(warm_up))


def test_a_run_that_begins_again_is_another_run() -> None:
    rows = rows_of(f"{steps(500.1, 500.2, 500.3)}\n{steps(300.1, 300.2, 300.3)}")
    assert [row.value for row in rows if isinstance(row, Measurement)] == [500.2, 300.2]


def test_too_few_steps_are_a_reject_and_unparsed(tmp_path: Path) -> None:
    path = tmp_path / "steps.log"
    path.write_text(steps(500.1, 500.2, 500.3).replace("500.30", "5o0.30"), "utf-8")
    reading = read_document(StoredDocument("0" * 64, path, None))
    assert [row["rule"] for row in reading.rows["rejects"]] == ["log_value_unreadable", "log_steps_too_few"]
    assert {status for status, _ in reading.accounting.statuses} <= {"unparsed", "condition"}


def test_steps_without_a_unit_are_one_reject() -> None:
    lines = [f"iter {number}: loss 2.1, time {0.5 + number / 100:.2f}, mfu 16.68%" for number in range(40)]
    rows = rows_of("\n".join(lines))
    assert [row.metric for row in rows if isinstance(row, Measurement)] == ["model_flops_utilization"]
    assert [(row.rule, row.cell.text) for row in rows if isinstance(row, Reject)] == [("log_steps_too_few", "0.50")]


def test_the_speed_of_one_process_of_an_unknown_program_is_not_that_of_the_run() -> None:
    lines = [f"[rank{n % 2}]: step: {n}, loss: 2.1, throughput: {40 + n}.5 samples/sec" for n in range(8)]
    assert [row for row in rows_of("\n".join(lines)) if isinstance(row, Measurement)] == []
    rows = rows_of("\n".join(line.partition(" ")[2] for line in lines))
    assert [(row.metric, row.value) for row in rows if isinstance(row, Measurement)] == [("throughput", 43.5)]


def test_a_rate_that_no_rule_reads_is_no_message(tmp_path: Path) -> None:
    path = tmp_path / "messages.log"
    lines = ["started", "served at 99.5 tokens/s by 3 workers", "stopped", "ended"]
    path.write_text("\n".join(f"2024-05-01 12:00:0{n} [INFO] {line}" for n, line in enumerate(lines)), "utf-8")
    reading = read_document(StoredDocument("0" * 64, path, None))
    found = dict(zip(reading.accounting.texts, reading.accounting.statuses, strict=True))
    assert found["99.5"] == ("unparsed", "log_line_unread")


def test_the_model_of_a_command_holds_for_a_run_with_epochs() -> None:
    command = "python train.py --arch resnet50 --gpu-type A100 --nproc-per-node 8"
    rows = rows_of(f"{command}\nEpoch 1/2: loss 0.5, time 11.2s\nEpoch 2/2: loss 0.4, time 10.9s\n")
    [run] = [row for row in rows if isinstance(row, Run)]
    assert (run.model_printed, run.accelerator_printed, run.accelerator_count) == ("resnet50", "A100", 8)


def test_the_wall_clock_of_a_container_is_no_time_to_train() -> None:
    rows = rows_of("STARTING TIMING RUN AT 2021-05-18 09:51:37 PM\nRESULT,bert,251,1468,root,2021-05-18 09:51:37 PM\n")
    assert [(row.metric, row.value) for row in rows if isinstance(row, Measurement)] == [("training_time", 1468)]


def test_a_steady_state_stands_in_the_warehouse_with_its_steps(ledger: Ledger) -> None:
    log = next(path for path in FIXTURES if path.stem == "torchtitan_steps").read_text("utf-8")
    ledger.add(log, "acme/training", "2025-03-12", name="torchtitan.log")
    assert ledger.build().success
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
    said = ledger.sql("select distinct dimension, text_printed, level from resolved.result_conditions")
    assert {"dimension": "model", "text_printed": "llama3 8B", "level": "page"} in said


def test_a_summary_of_an_unknown_program_is_a_log(tmp_path: Path) -> None:
    path = tmp_path / "summary.txt"
    lines = [
        "Load time: 18507.00 ms",
        "TTFT: 20.88 ± 0.47 ms",
        "TPOT: 20.88 ± 0.47 ms",
        "Throughput : 47.89 ± 1.07 tokens/s",
    ]
    path.write_text("\n".join(lines), "utf-8")
    reading = read_document(StoredDocument("0" * 64, path, None))
    assert reading.found_by == {"program_log"}
    rows = [(row["metric"], row["value"]) for row in reading.rows["measurements"]]
    assert rows == [("ttft", 20.88), ("tpot", 20.88), ("throughput", 47.89)]
    found = dict(zip(reading.accounting.texts, reading.accounting.statuses, strict=True))
    assert {found[text][0] for text in ("18507.00", "0.47", "1.07")} == {"unparsed"}


def test_what_a_logger_says_above_a_summary_is_no_heading_of_it(tmp_path: Path) -> None:
    path = tmp_path / "harness.txt"
    said = "2022-12-06 16:51:39,279 INFO MainThread - __main__ main: Results: results/resnet50_v1.onnx/inline"
    summary = "MLPerf Results Summary\nScenario : Offline\nSamples per second: 33.6903\nResult is : VALID\n"
    path.write_text(f"{said}\n{said}\n{summary}", "utf-8")
    [row] = read_document(StoredDocument("0" * 64, path, None)).rows["measurements"]
    assert (row["extractor"], row["value"], row["task"], row["model_printed"]) == (
        "program_log",
        33.6903,
        "inference",
        None,
    )


def test_steps_that_begin_anew_with_each_epoch_are_one_run() -> None:
    lines = [f"Epoch [{n // 4}][{n % 4 * 50}/200]\tlr: 0.01, time: 0.5{n}, loss: 0.4" for n in range(4, 12)]
    [row] = [row for row in rows_of("\n".join(lines)) if isinstance(row, Measurement)]
    assert (row.metric, row.value) == ("step_time", 550)


def test_numbers_beside_those_of_a_summary_on_one_line_are_unparsed(tmp_path: Path) -> None:
    path = tmp_path / "llama.txt"
    runs = "602 runs   (   39.17 ms per token,    25.53 tokens per second)"
    line = f"llama_perf_context_print:        eval time =   23582.66 ms /   {runs}"
    path.write_text(line, "utf-8")
    accounting = read_document(StoredDocument("0" * 64, path, None)).accounting
    statuses = dict(zip(accounting.texts, (status for status, _ in accounting.statuses), strict=True))
    assert statuses == {"23582.66": "unparsed", "602": "unparsed", "39.17": "extracted", "25.53": "extracted"}


def test_a_value_at_the_end_of_a_log_without_an_end_of_line_may_be_cut() -> None:
    summary = "============ Serving Benchmark Result ============\nMean TPOT (ms):   14.60\nMean TTFT (ms):   154.82\n"
    assert values_of(summary)["measured", "ttft", 154.82, "inference", None, None, None] == 1
    found = values_of(summary[:-1])
    assert found["reject", "log_value_unreadable"] == 1
    assert found["measured", "tpot", 14.6, "inference", None, None, None] == 1
    # What stands behind a value shows that it is whole.
    [row] = [
        row
        for row in rows_of("step_time: 12.5 ms\nInfer benchmark of resnet50 done. 3456.78 samples/sec, 74.05 ms/step")
        if isinstance(row, Measurement) and row.metric == "latency"
    ]
    assert row.value == 74.05
