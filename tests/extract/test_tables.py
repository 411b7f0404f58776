"""What tables may not be read as: each rule that refuses or tells apart, with the smallest page that needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.extract.results_page import extract
from pipelines.extract.rows import Measurement, Reject
from pipelines.read.files import open_file


def read(page: str, tmp_path: Path) -> tuple[list[Measurement], list[str]]:
    path = tmp_path / "page.md"
    path.write_text(page, "utf-8")
    rows = extract(open_file(path, "0" * 64), frozenset()).rows
    measurements = [row for row in rows if isinstance(row, Measurement)]
    return measurements, [row.rule for row in rows if isinstance(row, Reject)]


def table(*rows: str) -> str:
    first, *others = (f"| {row} |" for row in rows)
    return "\n".join([first, "|" + "---|" * (first.count("|") - 1), *others, ""])


REFUSED = [
    ("two columns of one quantity", "repeated_heading", table("Model | FPS | FPS", "BERT | 120 | 130")),
    (
        "a unit of another kind of quantity",
        "unread_value",
        table("Model | Latency (img/s)", "BERT | 120"),
    ),
    ("no unit anywhere", "unread_value", table("Model | Latency", "BERT | 12.5")),
    ("a cut row", "row_does_not_fit", table("Model | Batch Size | FPS", "BERT | 8 | 120", "8 | 130 | 4 | 5")),
    ("a name and nothing behind it", "row_does_not_fit", table("Model | FPS", "BERT | 120", "ViT")),
    ("only values are left", "row_does_not_fit", table("Model | FPS | Latency (ms)", "BERT | 120 | 8.3", "140 | 7.1")),
    ("nobody's numbers", "no_subject_column", table("Attempt | FPS", "1 | 120", "2 | 130")),
    ("an expectation", "not_stated", "# Expected performance\n\n" + table("Model | FPS", "BERT | 120")),
    ("part of a quality's name", "unknown_heading", table("Model | FPS | F1 10", "BERT | 120 | 88.5")),
    ("a sum of two quantities", "unknown_heading", table("Model | FPS | TTFT + TPOT (ms)", "BERT | 120 | 30")),
]


@pytest.mark.parametrize(("rule", "page"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(rule: str, page: str, tmp_path: Path) -> None:
    assert rule in read(page, tmp_path)[1]


def test_settings_are_no_results(tmp_path: Path) -> None:
    settings = table(
        "Parameters | 128 sequence | 512 sequence", "Learning rate | 0.02 | 0.01", "Optimizer | LAMB | LAMB"
    )
    measured, _ = read(f"We measured an F1 score of 90.5 on SQuAD with BERT.\n\n{settings}", tmp_path)
    assert measured == []


def test_a_row_of_counts_is_no_result(tmp_path: Path) -> None:
    turned = table("Number of nodes | 1 DGX-2 | 4 DGX-2", "Number of V100 GPUs | 16 | 64", "Time | 33 min | 9 min")
    measured, _ = read(f"We measured an F1 score of 90.5 on SQuAD with BERT.\n\n{turned}", tmp_path)
    # The times are of something; nothing says what of, and it is no score.
    assert [(row.cell.text, row.metric) for row in measured] == [("33 min", "duration"), ("9 min", "duration")]


def test_an_unknown_chip_blocks_the_one_of_the_page(tmp_path: Path) -> None:
    page = "# Inference on H100\n\n## Results of Foo 9000\n\n" + table("Model | FPS", "BERT | 120")
    assert [row.platform_printed for row in read(page, tmp_path)[0]] == [None]


def test_two_answers_give_none(tmp_path: Path) -> None:
    page = "Measured on H100 and on A100 with FP16.\n\n" + table("Model | FPS", "BERT | 120")
    (row,) = read(page, tmp_path)[0]
    assert (row.platform_printed, row.precision) == (None, "FP16")


def test_what_rows_name_is_not_lent_to_a_silent_row(tmp_path: Path) -> None:
    page = table(
        " | Tokens per second",
        "**OpenNMT-py model** | ",
        "CTranslate2 3.6.0 | 658.8",
        "- int16 | 733.0",
        "TensorRT 9.0 | 99",
    )
    measured, _ = read(f"# Translation with BERT on H100\n\n{page}", tmp_path)
    assert {row.value: row.framework_printed for row in measured} == {
        658.8: "CTranslate2 3.6.0", 733.0: None, 99.0: "TensorRT 9.0",
    }  # fmt: skip


def test_a_version_of_other_software_is_not_the_frameworks(tmp_path: Path) -> None:
    page = table("Model | Framework | X-LINUX-AI version | FPS", "BERT | ONNX Runtime | v5.1.0 | 120")
    assert [row.framework_printed for row in read(page, tmp_path)[0]] == ["ONNX Runtime"]


def test_a_legend_lends_nothing(tmp_path: Path) -> None:
    page = "_PT = PyTorch 1.12 Eager_\n\n" + table("Model | PT FPS | AIT FPS", "BERT | 120 | 240")
    assert {row.framework_printed for row in read(page, tmp_path)[0]} == {None}


@pytest.mark.parametrize(
    ("heading", "metric"),
    [
        ("mAPval 50-95", "mean_average_precision"),
        ("mAP pose 50", "keypoint_average_precision_50"),
        ("Accuracy Top-5 (%)", "top_5_accuracy"),
        ("Inference time (ms)", "latency"),
        ("Inference latency (TTFT) (ms)", "ttft"),
        ("Forward (ms)", "forward_time"),
    ],
)
def test_metrics(heading: str, metric: str, tmp_path: Path) -> None:
    measured, _ = read(table(f"Model | {heading}", "BERT | 45.5"), tmp_path)
    assert [row.metric for row in measured] == [metric]


def test_splits_and_words_tell_columns_apart(tmp_path: Path) -> None:
    page = table("Model | mAPval 50-95 | mAPtest 50-95 | mAPval 50-95 (e2e)", "YOLO11n | 39.5 | 39.1 | 38.9")
    measured, rules = read(page, tmp_path)
    assert (len({row.attributes for row in measured}), rules) == (3, [])


def test_the_title_in_front_of_a_page_names_what_is_measured(tmp_path: Path) -> None:
    page = "---\ntitle: Inference Time\nposition: 3\n---\n\n## Vision\n\n" + table("Model | H100 [ms]", "BERT | 12")
    (row,) = read(page, tmp_path)[0]
    assert (row.metric, row.task, row.value) == ("latency", "inference", 12.0)


def test_models_are_found_by_their_names(tmp_path: Path) -> None:
    page = table("Topology | 1st latency (ms)", "opt-125m-gptq | 146", "llama-2-7b-chat | 210")
    assert [row.model_printed for row in read(page, tmp_path)[0]] == ["opt-125m-gptq", "llama-2-7b-chat"]


def test_a_fuller_name_further_out_says_which_one(tmp_path: Path) -> None:
    page = "# Benchmark on A100\n\nAll results were measured on A100-80GB.\n\n## Results\n\n" + table(
        "Model | FPS", "BERT | 9"
    )
    assert [row.platform_printed for row in read(page, tmp_path)[0]] == ["A100-80GB"]


def test_a_turned_table_that_names_its_models_twice_is_none(tmp_path: Path) -> None:
    page = table(
        "Model | Stage | RK3588 (w8a8) | RK3576 (w4a16)", "Qwen2-VL-2B | Decode | 16.6 tokens/s | 14.57 tokens/s",
        "Qwen2.5-VL-3B | Decode | 11.2 tokens/s | 9.1 tokens/s",
    )  # fmt: skip
    measured, _ = read(page, tmp_path)
    assert {(row.model_printed, row.platform_printed) for row in measured} >= {("Qwen2-VL-2B", "RK3588")}


def test_totals_of_a_run_are_no_lengths(tmp_path: Path) -> None:
    page = table(
        "Model | Total Input Tokens | Total Generated Tokens | Median TTFT (ms)", "Llama 3.1 8B | 201995 | 1200 | 635"
    )
    (row,) = read(f"## On H100 (input length = 1024, output length = 6)\n\n{page}", tmp_path)[0]
    assert (row.metric, row.attributes) == ("ttft_p50", "Input Length 1024, Output Length 6")


def test_requests_sent_are_no_result(tmp_path: Path) -> None:
    page = table("RPS | Engine | Median TTFT (ms)", "4 | vLLM | 31.98", "8 | vLLM | 35.68")
    measured, _ = read(f"## Llama 3.1 8B on H100\n\n{page}", tmp_path)
    assert [(row.metric, row.attributes) for row in measured] == [
        ("ttft_p50", "Request Rate 4"), ("ttft_p50", "Request Rate 8"),
    ]  # fmt: skip


def test_each_value_has_the_unit_before_it(tmp_path: Path) -> None:
    page = table(
        "Model | Metric | Server Performance | Metric | Offline Performance",
        "resnet | Queries/s | 240 | Samples/s | 242",
        "bert | Queries/s | 19 | Samples/s | 23",
    )
    measured, _ = read(f"## Inference on H100\n\n{page}", tmp_path)
    assert {row.cell.text: row.item for row in measured} == {
        "240": "queries",
        "242": "samples",
        "19": "queries",
        "23": "samples",
    }


def test_a_label_beats_the_sentence(tmp_path: Path) -> None:
    page = table(" | Gaudi2 (BS=4) | A100 (BS=1)", "Latency (s/img) | 1.19 | 2.63")
    measured, _ = read(f"Stable Diffusion was run with batch size 8.\n\n{page}", tmp_path)
    assert {row.platform_printed: row.batch_size for row in measured} == {"Gaudi2": 4, "A100": 1}


def test_the_column_called_model_names_the_model(tmp_path: Path) -> None:
    page = table("Architecture | Model | Frame Rate (FPS)", "CNN | FasterNet_T2 | 226.15", "CNN | RepVGG_B1g4 | 113.35")
    assert [row.model_printed for row in read(page, tmp_path)[0]] == ["FasterNet_T2", "RepVGG_B1g4"]


def test_a_score_may_have_the_sign_of_a_percentage(tmp_path: Path) -> None:
    measured, rules = read(table("Model | mAP@0.5:0.95 (NPU[INT8])", "YOLO11n | 46.30%"), tmp_path)
    assert ([(row.metric, row.value) for row in measured], rules) == ([("mean_average_precision", 46.3)], [])


def test_a_long_table_stands_upright(tmp_path: Path) -> None:
    rows = [f"Inception v{n} | {n}24x{n}24 | {n}.27 | {n}60 ms" for n in range(1, 20)]
    measured, _ = read(table("Model | Size | FPS (npu only) | Time (npu only)", *rows), tmp_path)
    assert {row.metric for row in measured} == {"throughput", "duration"}


def test_a_quantization_says_that_the_precision_around_is_not_its_own(tmp_path: Path) -> None:
    page = table("Model | Quantization | FPS", "BERT | BF16 | 47", "BERT | GPTQ-Int4 | 50", "BERT | AWQ | 37")
    measured, _ = read(f"The results of BF16 models were measured on H100.\n\n{page}", tmp_path)
    assert {row.value: row.precision for row in measured} == {47.0: "BF16", 50.0: None, 37.0: None}


@pytest.mark.parametrize(
    ("sentence", "dataset"),
    [
        ("Throughput: how fast the words are generated.", None),
        ("The step time was measured with uniform random actions.", None),
        ("Results of 20K random input tokens.", "random"),
        ("Measured with synthetic data.", "synthetic data"),
    ],
)
def test_words_of_everyday_are_no_dataset(sentence: str, dataset: str | None, tmp_path: Path) -> None:
    (row,) = read(f"{sentence}\n\n{table('Model | FPS', 'BERT | 120')}", tmp_path)[0]
    assert row.dataset_printed == dataset


def test_a_second_model_beside_the_column_model_is_another_condition(tmp_path: Path) -> None:
    page = table(
        "GPU | Model | Draft | Throughput (tokens/s)",
        "L40 | Llama3.1-70B-Instruct-AWQ | Llama3.2-1B-Instruct | 37.0",
        "L40 | Llama3.3-70B-Instruct-AWQ | Llama3.2-3B-Instruct | 36.3",
    )
    measured, _ = read(page, tmp_path)
    assert [(row.model_printed, row.attributes) for row in measured] == [
        ("Llama3.1-70B-Instruct-AWQ", "Draft Llama3.2-1B-Instruct"),
        ("Llama3.3-70B-Instruct-AWQ", "Draft Llama3.2-3B-Instruct"),
    ]


def test_a_table_of_systems_does_not_lie_on_its_side(tmp_path: Path) -> None:
    page = table("System | Cartpole | Franka reach", "stable (Torch managers) | 2.008 | 5.039", "eager | 0.816 | 4.928")
    measured, _ = read(f"## Step time [ms]\n\n{page}", tmp_path)
    assert {row.platform_printed for row in measured} <= {None}


def test_headings_of_one_form_name_one_kind_of_thing(tmp_path: Path) -> None:
    parts = [
        f"### {chip} Results\n\n{table('Model | FPS', f'BERT | {n}')}"
        for n, chip in enumerate(("A6000", "4090", "Orin"))
    ]
    page = "# Speed\n\nWe benchmark on A6000 (server-class GPU) and others.\n\n" + "\n".join(parts)
    assert [row.platform_printed for row in read(page, tmp_path)[0]] == ["A6000", "4090", None]


def test_a_word_in_place_of_many_values_is_none(tmp_path: Path) -> None:
    rows = [f"T4 | ResNet{n} | {n}.5 | NT | NT" for n in (18, 34, 101)]
    page = table("GPU | Model | bs=1 | bs=2 | bs=4", "T4 | ResNet50 | 45.5 | 85.1 | 164.5", *rows)
    measured, _ = read(f"## Model latency in ms\n\n{page}", tmp_path)
    assert {(row.value, row.batch_size) for row in measured} >= {(45.5, 1), (85.1, 2), (164.5, 4), (18.5, 1)}


@pytest.mark.parametrize(
    ("entries", "platform"),
    [("- GPU: NVIDIA L40S\n- Engine: vLLM 0.9.0", "NVIDIA L40S"), ("- GPU: NVIDIA L40S", None)],
)
def test_a_list_of_what_was_run_holds_for_the_parts_behind_it(
    entries: str, platform: str | None, tmp_path: Path
) -> None:
    page = f"# Findings\n\n## Context\n\n{entries}\n\n## Scaling\n\n{table('Model | FPS', 'BERT | 120')}"
    assert [row.platform_printed for row in read(page, tmp_path)[0]] == [platform]


def test_times_without_a_name_are_durations(tmp_path: Path) -> None:
    # A unit in the cell, in the heading, above the table; and a word below which nobody knows what is measured.
    pages = [
        table("GPU | vgg16 eval | vgg16 train", "Titan V | 31.3ms | 108.8ms"),
        table("Model | CPU-INTEL (ms) | GPU-JETSON (ms)", "YuNet | 0.72 | 12.18"),
        "Execution, in milliseconds:\n\n" + table("Batch size | PyTorch | DeepSpeed", "1 | 2.93 | 1.17"),
        table("Metric | Value", "Status | done", "Total Time | 4.40 seconds", "Model | BERT"),
    ]
    measured = [read(f"# BERT on H100\n\n{page}", tmp_path)[0] for page in pages]
    assert [[row.value for row in rows] for rows in measured] == [[31.3, 108.8], [0.72, 12.18], [2.93, 1.17], [4400.0]]
    assert {row.metric for rows in measured for row in rows} == {"duration"}
    assert [row.task for row in measured[0]] == ["inference", "training"]
    assert "CPU-INTEL" in (measured[1][0].attributes or "")


def test_letters_behind_numbers_are_no_times(tmp_path: Path) -> None:
    page = table("Model | Parallelism | Params | FPS", "BERT | 2D | 1.66 M | 120", "ViT | 1D | 3 m | 140")
    assert [row.metric for row in read(page, tmp_path)[0]] == ["throughput", "throughput"]


def test_numbers_of_an_unnamed_system_are_kept_with_their_settings(tmp_path: Path) -> None:
    measured, rules = read(table("Batch Size | FPS", "8 | 120", "16 | 130"), tmp_path)
    assert [(row.batch_size, row.value, row.model_printed, row.platform_printed) for row in measured] == [
        (8, 120.0, None, None), (16, 130.0, None, None),
    ]  # fmt: skip
    assert rules == []


def test_a_row_of_words_below_the_headings_is_one_more_of_them(tmp_path: Path) -> None:
    page = table(
        "AI model | Inference time | Inference time", " | (CPU only@V2H) | (CPU+DRP@V2H)", "ResNet18-v1 | 4451ms | 2ms"
    )
    measured, rules = read(page, tmp_path)
    assert ([row.value for row in measured], rules) == ([4451.0, 2.0], [])


def test_numbers_below_different_headings_are_not_repeated(tmp_path: Path) -> None:
    measured, rules = read(table("Model | Latency CPU (ms) | Latency GPU (ms)", "ResNet18 | 20 | 35"), tmp_path)
    assert ([row.value for row in measured], rules) == ([20.0, 35.0], [])


def test_formats_above_columns_tell_them_apart(tmp_path: Path) -> None:
    page = table("Model | Type | mAP FP32 | mAP INT8 | Latency (ms)", "yolov3 | INT8 | 0.439 | 0.386 | 66.3")
    assert [row.precision for row in read(page, tmp_path)[0]] == ["FP32", "INT8", "INT8"]


def test_a_framework_is_of_the_version_that_a_sentence_says(tmp_path: Path) -> None:
    page = "# BERT on H100\n\nThe tested lmdeploy version is `v0.1.0a1`.\n\n"
    lent = read(page + table("Batch | FPS", "8 | 120"), tmp_path)[0]
    of_rows = read(page + table("Framework | FPS", "vLLM | 120", "LMDeploy | 130"), tmp_path)[0]
    assert [row.framework_printed for row in (*lent, *of_rows)] == ["lmdeploy v0.1.0a1", "vLLM", "LMDeploy"]


@pytest.mark.parametrize(
    ("above", "model", "platform"),
    [
        ("**1. Standard BERT batch size = 1:**", "BERT", None),
        ("## BERT-Base on RTX 9999", "BERT-Base", None),
        ("*Performance on NPU KDP520:*", None, "KDP520"),
        # A format is no chip, and a kind of chip no system.
        ("*Performance on NPU FP16:*", None, None),
        ("# Mobile NPU - Performance Report", None, None),
        ("The environment of the evaluation is:\n\n-  NVIDIA A100 80GB\n-  CUDA 12.1", None, "NVIDIA A100 80GB"),
        ("Measured on a single A100,\non an instance of type `a2-highgpu-1g`.", None, "A100"),
    ],
)
def test_words_above(above: str, model: str | None, platform: str | None, tmp_path: Path) -> None:
    (row,) = read(f"{above}\n\n" + table("Batch Size | FPS", "8 | 120"), tmp_path)[0]
    assert (row.model_printed, row.platform_printed) == (model, platform)


def test_a_heading_that_is_a_number_names_a_chip_beside_chips(tmp_path: Path) -> None:
    measured = table("Model | FPS", "BERT | 120")
    page = f"On V100 results are alike.\n\n## Titan V\n\n{measured}\n\n## 1080 Ti\n\n{measured}"
    assert [row.platform_printed for row in read(page, tmp_path)[0]] == ["Titan V", "1080 Ti"]


def test_a_statistic_may_stand_in_a_row(tmp_path: Path) -> None:
    page = table("Metric | Generation Speed (tok/s) | TTFT (ms)", "Average | 15.59 | 295.31", "Median | 16.0 | 253.6")
    metrics = [row.metric for row in read(f"# Qwen3-0.6B on H100\n\n{page}", tmp_path)[0]]
    assert metrics == ["throughput", "ttft", "throughput_p50", "ttft_p50"]


def test_links_to_files_are_no_data(tmp_path: Path) -> None:
    page = table("Model | FPS | Data", "BERT | 120 | [JSON](a.json)", "ViT | 130 | [JSON](b.json)")
    assert [row.dataset_printed for row in read(page, tmp_path)[0]] == [None, None]


def test_words_that_nobody_knows_beside_known_ones_head_values_too(tmp_path: Path) -> None:
    page = "Average speed in tokens/s.\n\n" + table("GPU | 7B_q4_0 | 7B_full | 70B_full", "H100 | 118 | 45 | 7")
    assert [row.value for row in read(page, tmp_path)[0]] == [118.0, 45.0, 7.0]
    page = "Step time [ms]:\n\n" + table("Framework | Cartpole | Franka reach", "PyTorch | 2.0 | 5.0", "JAX | 1.5 | 4")
    assert [(row.metric, row.value) for row in read(page, tmp_path)[0]] == [
        ("step_time", 2.0), ("step_time", 5.0), ("step_time", 1.5), ("step_time", 4.0),
    ]  # fmt: skip


def test_tests_of_llama_bench_are_no_pipelines(tmp_path: Path) -> None:
    page = "Average speed in tokens/s.\n\n" + table("GPU | Model | tg 512 | pp 512", "H100 | Llama 3 8B | 72 | 2402")
    measured, _ = read(page, tmp_path)
    assert [row.metric for row in measured] == ["throughput", "prefill_throughput"]
    assert not any("PP" in (row.attributes or "") for row in measured)


def test_a_system_without_a_chip_is_software(tmp_path: Path) -> None:
    page = table("System | Batch Size | FPS", "stable (managers) | 8 | 120", "runtime, graph | 8 | 130")
    assert [row.platform_printed for row in read(page, tmp_path)[0]] == [None, None]
