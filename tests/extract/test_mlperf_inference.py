"""Submissions to MLPerf Inference: the results that the rules count, and what describes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger
from makers.golden import check_golden

from pipelines.extract import mlperf_inference, mlperf_training
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.ingest.snapshots import add_document
from pipelines.read.document import Document
from pipelines.read.files import open_file

FIXTURES = [
    path
    for path in sorted((Path(__file__).parents[1] / "fixtures" / "mlperf_inference").iterdir())
    if path.is_dir()
]
COLUMNS = [
    "kind", "line", "text", "section", "metric", "statistic", "value", "unit", "item", "model_printed", "platform_printed",
    "accelerator_count", "division", "rule", "reason",
]  # fmt: skip
SYSTEM = {
    "division": "closed",
    "submitter": "Acme",
    "status": "available",
    "system_name": "Acme Z8 (8x H200-SXM-141GB, TensorRT)",
    "accelerator_model_name": "NVIDIA H200-SXM-141GB",
    "accelerators_per_node": 8,
    "number_of_nodes": 1,
    "host_processor_model_name": "AMD EPYC 9654",
    "framework": "TensorRT 10.11, CUDA 12.9",
}


def summary(scenario: str, *stated: str, valid: str = "VALID") -> str:
    head = ["SUT name : LWIS_Server", f"Scenario : {scenario}", "Mode     : PerformanceOnly"]
    return "\n".join(
        [
            "MLPerf Results Summary",
            *head,
            *stated,
            f"Result is : {valid}",
            "  Min queries satisfied : Yes",
            "",
        ]
    )


def submission(
    folder: Path,
    *texts: str,
    scenario: str = "Offline",
    model: str = "llama2-70b-99",
    system: dict[str, Any] | None = None,
) -> Path:
    root = folder / "Acme"
    (root / "systems").mkdir(parents=True)
    (root / "systems" / "z8.json").write_text(json.dumps(SYSTEM | (system or {}), indent=2))
    for number, text in enumerate(texts, start=1):
        run = root / "results" / "z8" / model / scenario / "performance" / f"run_{number}"
        run.mkdir(parents=True)
        (run / "mlperf_log_summary.txt").write_text(text)
    return root


def with_accuracy(root: Path, *printed: str) -> Path:
    """A submission whose every scenario has a run of accuracy that prints some lines."""
    for scenario in root.glob("results/*/*/*"):
        (scenario / "accuracy").mkdir()
        text = "\n".join(["Saving predictions...", *printed, f"hash={'0' * 64}", ""])
        (scenario / "accuracy" / "accuracy.txt").write_text(text)
    return root


def with_test(root: Path, place: str, *printed: str) -> Path:
    """A submission with the file of one test of compliance."""
    file = root / place
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(["reference score = 21.5153", *printed, ""]))
    return root


def read(folder: Path) -> Document:
    return open_file(folder, "0" * 64)


def rows_of(folder: Path) -> list[Any]:
    extraction = mlperf_inference.extract(read(folder), frozenset())
    for row in extraction.rows:
        if row.cell.line:
            line = read(folder).line(row.cell.line)
            assert line.text[row.cell.start : row.cell.end] == row.cell.text
    return extraction.rows


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_fixture(path: Path) -> None:
    rows = [row for row in rows_of(path) if not isinstance(row, Condition)]
    check_golden(path, COLUMNS, sorted(rows, key=lambda row: (row.cell.line, row.cell.start)))


@pytest.mark.parametrize(
    ("folder", "text", "expected"),
    [
        (
            "Offline",
            summary("Offline", "Samples per second: 17.3997", "Tokens per second: 5118.4"),
            ("throughput", None, 5118.4, "tokens"),
        ),
        (
            "Offline",
            summary("Offline", "Samples per second: 17.3997"),
            ("throughput", None, 17.3997, "samples"),
        ),
        (
            "Server",
            summary("Server", "Scheduled samples per second : 25996.05"),
            ("throughput", None, 25996.05, "queries"),
        ),
        (
            "Interactive",
            summary(
                "Server", "Completed samples per second : 3.1", "Completed tokens per second: 900.5"
            ),
            ("throughput", None, 900.5, "tokens"),
        ),
        (
            "SingleStream",
            summary(
                "SingleStream",
                "90.0th percentile latency (ns) : 7620314",
                "Early Stopping Result:",
                " * Early stopping 90.0th percentile estimate: 7621345",
            ),
            ("latency", "p90", 7.621345, None),
        ),
        # Before early stopping there was the percentile alone.
        (
            "singlestream",
            summary("Single Stream", "90th percentile latency (ns) : 7620314"),
            ("latency", "p90", 7.620314, None),
        ),
        # The estimate of the first token is not that of the answer.
        (
            "SingleStream",
            summary(
                "SingleStream",
                "90.0th percentile latency (ns) : 3573157070",
                "TTFT Early Stopping Result:",
                " * Early stopping 90.0th percentile estimate: 313185436",
            ),
            ("latency", "p90", 3573.15707, None),
        ),
        # The result of a scenario that is inferred from a run of another.
        (
            "offline",
            summary("SingleStream", "QPS w/o loadgen overhead : 0.29"),
            ("throughput", None, 0.29, "samples"),
        ),
    ],
)
def test_the_result_is_the_one_that_the_rules_count(
    tmp_path: Path, folder: str, text: str, expected: tuple[Any, ...]
) -> None:
    rows = rows_of(submission(tmp_path, text, scenario=folder))
    [row] = [row for row in rows if isinstance(row, Measurement)]
    assert (row.metric, row.statistic, pytest.approx(row.value), row.item) == expected
    assert not [row for row in rows if isinstance(row, Reject)]


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        (
            "Scheduled samples per second : 2277.95",
            "Completed samples per second : 2276.55",
            2277.95,
        ),
        ("Completed samples per second : 87.97", "Scheduled samples per second : 88.21", 87.97),
    ],
)
def test_the_rate_of_a_server_is_the_one_above_the_additional_statistics(
    tmp_path: Path, above: str, below: str, expected: float
) -> None:
    text = f"{summary('Server', above)}\nAdditional Stats\n{below}\n"
    rows = rows_of(submission(tmp_path, text, scenario="Server", model="bert-99.9"))
    [row] = [row for row in rows if isinstance(row, Measurement)]
    assert (row.value, row.item) == (expected, "queries")


@pytest.mark.parametrize(
    ("scenario", "model", "expected"),
    [
        ("Offline", "gptj-99", (6985.51, "tokens")),
        ("Server", "gptj-99.9", (6070.26, "tokens")),
        # Of other models they are not the result.
        ("Offline", "llama2-7b", (101.239, "samples")),
        ("Server", "llama2-7b", (87.97, "queries")),
    ],
)
def test_inferred_tokens_count_for_gptj_alone(
    tmp_path: Path, scenario: str, model: str, expected: tuple[float, str]
) -> None:
    printed = {
        "Offline": ("Samples per second: 101.239", "Tokens per second (inferred): 6985.51"),
        "Server": (
            "Completed samples per second    : 87.97",
            "Completed tokens per second (inferred): 6070.26",
        ),
    }
    text = summary(scenario, *printed[scenario])
    rows = rows_of(submission(tmp_path, text, scenario=scenario, model=model))
    [row] = [row for row in rows if isinstance(row, Measurement)]
    assert (row.value, row.item) == expected


@pytest.mark.parametrize("word", ["None", "n/a", "NA", "null", "No", "Not Applicable", "-", "todo"])
def test_what_a_description_leaves_open_is_not_stated(tmp_path: Path, word: str) -> None:
    system = {
        "system_name": "1-node-SPR",
        "accelerator_model_name": word,
        "accelerators_per_node": 0,
        "other_software_stack": word,
    }
    text = summary("Offline", "Samples per second: 17.4")
    rows = rows_of(submission(tmp_path, text, system=system))
    [row] = [row for row in rows if isinstance(row, Measurement)]
    assert (row.platform_printed, row.accelerator_count) == ("AMD EPYC 9654", None)
    stated = {row.dimension for row in rows if isinstance(row, Condition)}
    assert not stated & {"accelerator_model", "other_software"}


@pytest.mark.parametrize(
    ("folder", "texts", "rule"),
    [
        (
            "Offline",
            [summary("Offline", "Samples per second: 17.4", valid="INVALID")],
            "log_result_invalid",
        ),
        (
            "Server",
            [summary("Server", "Scheduled samples per second : 5.5")] * 5,
            "wrong_number_of_runs",
        ),
        # Eight times the latency of a single stream: no summary prints it.
        (
            "multistream",
            [summary("SingleStream", "99.0th percentile latency (ns) : 7620314")],
            "log_line_unread",
        ),
        ("Offline", [summary("Offline", "Samples per second: many")], "log_line_unread"),
        ("Offline", [""], "log_result_invalid"),
    ],
)
def test_without_a_result_the_reason_is_said(
    tmp_path: Path, folder: str, texts: list[str], rule: str
) -> None:
    rows = rows_of(submission(tmp_path, *texts, scenario=folder))
    assert [row.rule for row in rows if isinstance(row, Reject)] == [rule]
    assert not [row for row in rows if isinstance(row, Measurement)]


def test_the_description_of_the_system_gives_the_conditions(tmp_path: Path) -> None:
    rows = rows_of(submission(tmp_path, summary("Offline", "Tokens per second: 5118.4")))
    stated = {row.dimension: row.value for row in rows if isinstance(row, Condition)}
    [row] = [row for row in rows if isinstance(row, Measurement)]
    assert (row.platform_printed, row.accelerator_count) == ("NVIDIA H200-SXM-141GB", 8)
    assert (row.division, row.suite, row.task) == ("Closed", "MLPerf Inference", "inference")
    assert row.model_printed == "llama2-70b"
    assert {
        "submitter": "Acme",
        "accuracy_target": "99",
        "system_id": "z8",
        "scenario": "Offline",
        "availability": "available",
    }.items() <= stated.items()
    assert stated["system"] == SYSTEM["system_name"]


def test_a_submission_is_added_and_its_results_have_the_round_of_the_source(
    ledger: Ledger, tmp_path: Path
) -> None:
    text = summary(
        "Server", "Completed samples per second : 3.1", "Completed tokens per second: 900.5"
    )
    folder = submission(tmp_path, text, scenario="Server")
    stored = add_document(folder, "mlcommons/inference-v5.1", ledger.raw)
    assert stored.entry.format == "mlperf_inference"
    assert ledger.resolve().success
    [row] = ledger.sql(
        """
        select suite, model, platform, vendor, chip, accelerator_count, division, scenario, value, unit
        from resolved.results
        """
    )
    assert tuple(row.values()) == (
        *(
            "MLPerf Inference v5.1",
            "Llama 2 70B",
            "H200 SXM",
            "NVIDIA",
            "H200 SXM",
            8,
            "Closed",
            "Server",
        ),
        *(900.5, "tokens/s"),
    )
    assert ledger.sql("select * from audit.rejects") == []


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("accuracy=76.078%, good=38039, total=50000", ("accuracy", 76.078, "%", "%")),
        (
            "AUC=80.166%, accuracy=96.605%, good=86110748, total=89137319",
            ("auc", 80.166, "AUC", "%"),
        ),
        ("AUC=80.23785974349185", ("auc", 80.23785974349185, "AUC", "AUC")),
        ("mAP=37.358%", ("mean_average_precision", 37.358, "mAP", "%")),
        (
            "Accuracy: mean = 0.86112, kidney = 0.9346, tumor = 0.7877",
            ("dice", 0.86112, "DICE", "DICE"),
        ),
        (
            "Word Error Rate: 7.452253714852645%, accuracy=92.54774628514735%",
            ("word_error_rate", 7.452253714852645, "WER", "%"),
        ),
        (
            '{"exact_match": 83.68968779564806, "f1": 90.87896194883707}',
            ("f1", 90.87896194883707, "F1", "F1"),
        ),
        (
            "{'rouge1': 43.1017, 'rouge2': 20.1125, 'rougeL': 29.9751, 'rougeLsum': 40.2446}",
            ("rouge_l", 29.9751, "ROUGE", "ROUGE"),
        ),
        (
            "{'rouge1': '38.732', 'rougeL': '24.4547', 'gen_num': 13368}",
            ("rouge_l", 24.4547, "ROUGE", "ROUGE"),
        ),
        (
            "{'rougeL': 21.17, 'exact_match': 87.22, 'gen_num': 8313}",
            ("rouge_l", 21.17, "ROUGE", "ROUGE"),
        ),
    ],
)
def test_the_score_of_the_run_of_accuracy_is_a_result_of_the_same_system(
    tmp_path: Path, printed: str, expected: tuple[Any, ...]
) -> None:
    root = submission(tmp_path, summary("Offline", "Samples per second: 17.4"))
    rows = rows_of(with_accuracy(root, printed, printed))
    speed, score = [row for row in rows if isinstance(row, Measurement)]
    assert (score.metric, score.value, score.unit, score.unit_printed) == expected
    assert score.section == "results/z8/llama2-70b-99/Offline/accuracy/accuracy.txt"
    for name in ("model_printed", "platform_printed", "division", "accelerator_count"):
        assert getattr(score, name) == getattr(speed, name) is not None
    assert not [row for row in rows if isinstance(row, Reject)]


@pytest.mark.parametrize(
    "printed",
    [
        # No metric of the vocabulary
        ["Accuracy Results: {'FID_SCORE': 23.667217941120498, 'CLIP_SCORE': 31.788790368437766}"],
        # Two runs in one file
        ["mAP=37.358%", "mAP=37.330%"],
        # A share, where per cent are printed
        ["accuracy=0.76078, good=38039, total=50000"],
        ["AUC=8.01e+01"],
        ["validation: accuracy=76.078%"],
        [],
    ],
)
def test_a_run_of_accuracy_without_one_known_score_is_a_reject(
    tmp_path: Path, printed: list[str]
) -> None:
    root = submission(tmp_path, summary("Offline", "Samples per second: 17.4"))
    rows = rows_of(with_accuracy(root, *printed))
    assert [row.metric for row in rows if isinstance(row, Measurement)] == ["throughput"]
    [reject] = [row for row in rows if isinstance(row, Reject)]
    assert (reject.rule, reject.cell.text) == (
        "log_line_unread",
        "results/z8/llama2-70b-99/Offline/accuracy/accuracy.txt",
    )


def test_accuracy_is_stored_and_has_the_model_and_the_system_of_its_submission(
    ledger: Ledger, tmp_path: Path
) -> None:
    text = summary("Offline", "Samples per second: 17.4")
    folder = with_accuracy(
        submission(tmp_path, text, model="resnet50"), "accuracy=76.078%, good=38039, total=50000"
    )
    place = "compliance/z8/resnet50/Offline/TEST01/verify_performance.txt"
    add_document(with_test(folder, place, "TEST PASS"), "mlcommons/inference-v5.1", ledger.raw)
    assert ledger.resolve().success
    rows = ledger.sql(
        "select metric, value, model, chip, scenario, division from resolved.results order by metric"
    )
    of_row = ("ResNet-50 v1.5", "H200 SXM", "Offline", "Closed")
    assert [tuple(row.values()) for row in rows] == [
        ("accuracy", 76.078, *of_row),
        ("throughput", 17.4, *of_row),
    ]
    tests = ledger.sql(
        """
        select r.metric, c.value
        from resolved.result_conditions as c join resolved.results as r using (result_id)
        where c.dimension = 'compliance_performance'
        """
    )
    assert [tuple(row.values()) for row in tests] == [("throughput", "PASS")]
    assert ledger.sql("select * from audit.rejects") == []


OF_TESTS = "llama2-70b-99/Offline"


@pytest.mark.parametrize(
    ("place", "printed", "expected"),
    [
        (
            f"compliance/z8/{OF_TESTS}/TEST01/verify_performance.txt",
            "TEST PASS",
            ("compliance_performance", "PASS"),
        ),
        (
            f"compliance/z8/{OF_TESTS}/TEST01/verify_accuracy.txt",
            "TEST PASS",
            ("compliance_accuracy", "PASS"),
        ),
        (
            f"compliance/z8/{OF_TESTS}/TEST04-A/verify_performance.txt",
            "TEST PASS",
            ("compliance_caching", "PASS"),
        ),
        (
            f"results/z8/{OF_TESTS}/TEST04/verify_performance.txt",
            "TEST PASS",
            ("compliance_caching", "PASS"),
        ),
        (
            f"compliance/z8/{OF_TESTS}/TEST05/verify_performance.txt",
            "TEST FAIL: Test score invalid",
            ("compliance_seeds", "FAIL"),
        ),
    ],
)
def test_a_test_of_compliance_is_a_condition_of_the_performance_alone(
    tmp_path: Path, place: str, printed: str, expected: tuple[str, str]
) -> None:
    root = submission(tmp_path, summary("Offline", "Samples per second: 17.4"))
    rows = rows_of(with_test(with_accuracy(root, "mAP=37.358%"), place, printed))
    [test] = [
        row
        for row in rows
        if isinstance(row, Condition) and row.dimension.startswith("compliance_")
    ]
    assert (test.dimension, test.value, test.cell.text) == (*expected, expected[1])
    speed, score = [row for row in rows if isinstance(row, Measurement)]
    assert test.number in speed.conditions
    assert test.number not in score.conditions
    assert not [row for row in rows if isinstance(row, Reject)]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        # The rules then compare the scores of two runs: no failure.
        ("verify_accuracy.txt", ["TEST FAIL"]),
        ("verify_performance.txt", []),
        ("verify_performance.txt", ["TEST PASS", "TEST FAIL"]),
    ],
)
def test_without_one_verdict_that_counts_a_test_is_a_reject(
    tmp_path: Path, name: str, printed: list[str]
) -> None:
    root = submission(tmp_path, summary("Offline", "Samples per second: 17.4"))
    place = f"compliance/z8/{OF_TESTS}/TEST01/{name}"
    rows = rows_of(with_test(root, place, *printed))
    assert [row.cell.text for row in rows if isinstance(row, Reject)] == [place]
    stated = {row.dimension for row in rows if isinstance(row, Condition)}
    assert not [name for name in stated if name.startswith("compliance_")]


def test_a_test_of_another_scenario_is_no_condition(tmp_path: Path) -> None:
    root = submission(tmp_path, summary("Offline", "Samples per second: 17.4"))
    place = "compliance/z8/llama2-70b-99/Server/TEST01/verify_performance.txt"
    rows = rows_of(with_test(root, place, "TEST PASS"))
    assert not [
        row
        for row in rows
        if isinstance(row, Condition) and row.dimension.startswith("compliance_")
    ]


def test_logs_of_training_and_of_inference_are_told_apart(tmp_path: Path) -> None:
    document = read(submission(tmp_path, summary("Offline", "Samples per second: 17.4")))
    assert mlperf_inference.recognise(document) == 1
    assert mlperf_training.extract(document, frozenset()).rows == []
