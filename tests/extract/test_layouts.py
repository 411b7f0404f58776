"""Files that known programs write, read without tables in the mapping of their source."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest
from makers.mapped import Read, read, table

from pipelines.extract import results_page
from pipelines.extract.rows import Reject
from pipelines.extract.tables.draft import draft, printed_in
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.layouts import layouts
from pipelines.extract.tables.preview import preview
from pipelines.read.files import open_file

SERVED = """{"backend": "openai", "model_id": "acme/llama", "tokenizer_id": "x", "completed": 9,
"request_rate": 2.5, "max_concurrency": null, "request_throughput": 3.5, "output_throughput": 70,
"mean_ttft_ms": 12.5, "p99.9_ttft_ms": 20, "ttfts": [1, 2, 3, 4, 5, 6, 7, 8, 9]}
"""
# Files of programs, of what is not read often a part: `genai_perf_gpt2_vllm.json`
# lacks percentiles of lengths and of rates of a request, and a few settings.
_FOLDER = Path(__file__).parents[1] / "fixtures" / "layouts"
FIXTURES = sorted(
    path for path in _FOLDER.iterdir() if not path.name.endswith((".expected.csv", ".mapping.yml"))
)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_golden(path: Path) -> None:
    mapping = path.with_name(f"{path.stem}.mapping.yml")
    entries = load_entries(mapping) if mapping.exists() else None
    document = open_file(path, "0" * 64)
    found = Read(results_page.extract(document, (), entries))
    for row in found.rows:
        assert document.line(row.cell.line).text[row.cell.start : row.cell.end] == row.cell.text
    expected = path.with_name(f"{path.name}.expected.csv")
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        expected.write_text(as_csv(found), "utf-8")
    assert as_csv(found) == expected.read_text("utf-8")


def as_csv(found: Read) -> str:
    """The numbers with their conditions, and the rejects, from top to bottom."""
    rows = []
    for number, row in enumerate(found.measurements):
        conditions = found.conditions(number)
        del conditions["unit"]
        what = [row.metric, row.statistic, f"{row.value:.12g}", row.unit, row.item]
        said = [f"{name} {conditions[name]}" for name in sorted(conditions)]
        rows.append([row.cell.line, row.cell.start, row.cell.text, *what, "; ".join(said)])
    for row in found.rows:
        if isinstance(row, Reject):
            blank = [None] * 4
            rows.append(
                [row.cell.line, row.cell.start, row.cell.text, row.rule, *blank, row.reason]
            )
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ["line", "start", "text", "metric", "statistic", "value", "unit", "item", "conditions"]
    )
    writer.writerows(sorted(rows, key=lambda row: row[:2]))
    return file.getvalue()


def test_what_a_source_states_holds_for_a_layout(tmp_path: Path) -> None:
    mapping = "constants: {platform: '!H100', model: '!BERT'}\nnames: {model: {acme/llama: '!Llama 2 7B'}}"
    found = read(tmp_path, SERVED, mapping, "x.json", adds_subjects=False)
    # What the file prints comes before a constant of the source.
    assert found.values("metric", "statistic", "model_printed", "framework_printed") == [
        (3.5, "request_throughput", None, "Llama 2 7B", None),
        (70, "throughput", None, "Llama 2 7B", None),
        (12.5, "ttft", "mean", "Llama 2 7B", None),
        (20, "ttft", "p99.9", "Llama 2 7B", None),
    ]
    assert found.conditions()["request_rate"] == "2.5"


def test_a_result_without_a_platform_is_refused(tmp_path: Path) -> None:
    found = read(tmp_path, SERVED, None, "x.json")
    assert ([rule for rule, *_ in found.refused], found.measurements) == (["no_subject"], [])
    found = read(tmp_path, SERVED, "constants: {platform: H100}", "x.json", adds_subjects=False)
    assert [rule for rule, *_ in found.refused] == ["not_printed"]


def test_a_source_with_tables_is_read_by_these_alone(tmp_path: Path) -> None:
    mapping = (
        "tables:\n- {records: 'a[]', columns: {model: model, ms: {metric: latency, unit: ms}}}"
    )
    found = read(tmp_path, SERVED, mapping, "x.json", adds_subjects=False)
    assert [rule for rule, *_ in found.refused] == ["no_mapping", "section_gone"]


def test_a_file_that_lacks_a_heading_is_of_no_layout(tmp_path: Path) -> None:
    found = read(tmp_path, SERVED.replace("tokenizer_id", "tokenizer"), None, "x.json")
    assert [rule for rule, *_ in found.refused] == ["no_mapping"]


def test_a_unit_in_records_is_that_of_its_own_object(tmp_path: Path) -> None:
    page = (
        '{"unit": "s", "a": {"ms": 3, "unit": "ms"}, "b": {"ms": 4, "unit": "s"}, "model": "BERT"}'
    )
    mapping = (
        "tables:\n- {others: ignore, columns: {model: model, a.ms: {metric: latency, unit: ms},"
        " b.ms: {metric: ttft, unit: ms}}}"
    )
    found = read(tmp_path, page.replace('"unit": "s", ', "", 1), mapping, "x.json")
    assert (found.values("metric"), [text for *_, text in found.refused]) == (
        [(3, "latency")],
        ["s"],
    )
    # That of the object around all numbers is theirs, too.
    assert read(tmp_path, page, mapping, "y.json").measurements == []


def test_where_llama_bench_ran_is_known_for_one_gpu_and_for_a_processor(tmp_path: Path) -> None:
    [first] = [path for path in FIXTURES if path.name == "llama_bench_b580.json"]
    text = first.read_text("utf-8")
    gpu, processor = (
        '"Intel(R) Arc(tm) B580 Graphics (BMG G21)"',
        "AMD Ryzen 5 7500F 6-Core Processor",
    )
    for written, instead in (
        (gpu, '"NVIDIA A100, NVIDIA A100"'),
        ('"n_gpu_layers": -1', '"n_gpu_layers": 0'),
        ('"devices": "auto"', '"devices": "none"'),
        ('"Vulkan"', '"Vulkan,RPC"'),
    ):
        found = read(tmp_path, text.replace(written, instead), None, "x.json")
        assert [rule for rule, *_ in found.refused] == ["no_subject"] * 2
    without = text.replace('"Vulkan"', '"CPU"').replace(gpu, '""')
    found = read(tmp_path, without, None, "x.json")
    assert found.values("platform_printed") == [(13462.443199, processor), (370.659695, processor)]


def test_llama_bench_of_prompt_and_generation_together(tmp_path: Path) -> None:
    page = table(
        "model | size | params | backend | ngl | test | t/s",
        "llama 7B all F32 | 1 GiB | 7 B | CUDA | 99 | pp512+tg128 | 300.5 ± 0.5",
    )
    found = read(tmp_path, page, "constants: {platform: '!H100'}", adds_subjects=False)
    assert found.values("metric", "model_printed", "precision") == [
        (300.5, "total_token_throughput", "llama 7B", "FP32")
    ]


@pytest.mark.parametrize(
    ("model", "rate", "read_as"),
    [
        ("bitnet 3B TQ2_0 - 2.06 bpw ternary", "1,234.50 ± 3.0", (1234.5, "bitnet 3B", "TQ2_0")),
        ("llama 7B IQ2_XS - 2.3125 bpw", "1.2e+02 ± 3", (120, "llama 7B", "IQ2_XS")),
    ],
)
def test_numbers_and_types_of_llama_bench(
    tmp_path: Path, model: str, rate: str, read_as: tuple[float, str, str]
) -> None:
    row = f"{model} | 1 GiB | 7 B | CUDA | 99 | tg128 | {rate}"
    page = table("model | size | params | backend | ngl | test | t/s", row)
    found = read(tmp_path, page, "constants: {platform: '!H100'}", adds_subjects=False)
    [(value, name)] = found.values("model_printed")
    assert (value, name, found.conditions()["quantization"]) == read_as


def test_a_runner_of_inferencex_is_its_gpu(tmp_path: Path) -> None:
    [path] = [path for path in FIXTURES if path.name == "inferencex_mi355x.json"]
    text = path.read_text("utf-8")
    found = read(tmp_path, text.replace('"hw": "mi355x"', '"hw": "gb200-nv"'), None, "x.json")
    assert {platform for _, platform in found.values("platform_printed")} == {"GB200"}


def test_the_preview_names_the_layout_and_the_draft_leaves_it_out(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(SERVED, "utf-8")
    document = open_file(tmp_path / "x.json", "0" * 64)
    [shown], _ = preview(document, (), ())
    assert (shown.layout, len(shown.numbers)) == ("vllm_serve.yml", 0)
    assert printed_in(document, ()) == []
    assert "platform: '?'" in draft([], "acme/results")


@pytest.mark.parametrize(
    ("page", "numbers"),
    [
        (
            '{"elapsed_time": 102.67, "num_requests": 1000, "total_num_tokens": 413816,'
            ' "requests_per_second": 9.74, "tokens_per_second": 4030.55}',
            [(9.74, "request_throughput", None), (4030.55, "total_token_throughput", None)],
        ),
        (
            '{"avg_latency": 1.5207, "latencies": [1.5207, 1.5311], "percentiles": {"10": 1.51, "25": 1.515,'
            ' "50": 1.52, "75": 1.525, "90": 1.53, "99": 1.5311}}',
            [
                (1520.7, "latency", "mean"),
                (1510, "latency", "p10"),
                (1515, "latency", "p25"),
                (1520, "latency", "p50"),
                (1525, "latency", "p75"),
                (1530, "latency", "p90"),
                (1531.1, "latency", "p99"),
            ],
        ),
    ],
)
def test_other_benchmarks_of_vllm(
    tmp_path: Path, page: str, numbers: list[tuple[float, str, str | None]]
) -> None:
    mapping = "constants: {platform: '!H100', model: '!Llama 2 7B', batch_size: '!8'}"
    found = read(tmp_path, page, mapping, "x.json", adds_subjects=False)
    assert found.values("metric", "statistic") == numbers
    assert (found.refused, found.conditions()["framework"]) == ([], "vLLM")


def test_what_the_objects_of_another_list_do_not_share_is_not_stated(tmp_path: Path) -> None:
    page = """{"stack": [{"gpu": "H100", "tool": "vllm"}, {"gpu": "A100"}, {"tool": "vllm"}],
"model": "BERT", "ms": 3}"""
    mapping = """columns: {'stack[].gpu': platform, 'stack[].tool': framework, 'stack[].no': dataset, 'other[].x': nodes}
tables:
- {records: ., columns: {model: model, ms: {metric: latency, unit: ms}}}
- {records: 'stack[]', skip: true}
"""
    found = read(tmp_path, page, mapping, "x.json", adds_subjects=False)
    assert [rule for rule, *_ in found.refused] == ["no_subject"]
    found = read(tmp_path, page.replace("A100", "H100"), mapping, "x.json", adds_subjects=False)
    assert found.values("platform_printed", "framework_printed") == [(3, "H100", "vllm")]
    assert found.places()["platform"] == (1, "H100")


@pytest.mark.parametrize(
    ("name", "written", "instead", "given"),
    [
        (
            "sglang_serving_sharegpt.jsonl",
            '"sharegpt", ',
            '"random", ',
            {"max_input_length": "1024"},
        ),
        (
            "sglang_serving_sharegpt.jsonl",
            '"sharegpt", "request_rate": 5.0, "max_concurrency": 256, "sharegpt_output_len": null,'
            ' "random_input_len": 1024, "random_output_len": 1024, "random_range_ratio": 0.0',
            '"random", "random_input_len": 1024, "random_output_len": 1024, "random_range_ratio": 1.0',
            {"input_length": "1024", "output_length": "1024"},
        ),
        ("llmperf_together_7b.json", "{", "{", {"input_length": "550", "output_length": "150"}),
        (
            "llmperf_together_7b.json",
            '"stddev_input_tokens": 0',
            '"stddev_input_tokens": 150',
            {"mean_input_length": "550", "output_length": "150"},
        ),
        ("genai_perf_trtllm.json", "{", "{", {"mean_input_length": "200"}),
        (
            "genai_perf_trtllm.json",
            'tokens_stddev": 20',
            'tokens_stddev": 0',
            {"input_length": "200"},
        ),
        ("trtllm_bench_gb10.json", "{", "{", {"mean_input_length": "64.0"}),
        (
            "benchmark_report_v0.2.yaml",
            "{",
            "{",
            {"input_length": "2148", "mean_output_length": "1000"},
        ),
    ],
)
def test_a_length_of_random_requests_is_no_exact_length(
    tmp_path: Path,
    name: str,
    written: str,
    instead: str,
    given: dict[str, str],
) -> None:
    [path] = [path for path in FIXTURES if path.name == name]
    text = path.read_text("utf-8")
    text = text.replace(written, instead)
    mapping = "constants: {platform: '!H100', model: '!BERT'}"
    found = read(tmp_path, text, mapping, name, adds_subjects=False)
    lengths = {key: said for key, said in found.conditions().items() if "length" in key}
    assert given.items() <= lengths.items()
    for key in ("input_length", "output_length"):
        assert key in given or key not in lengths


def test_one_text_at_two_places_of_a_file_is_one_statement(tmp_path: Path) -> None:
    page = '{"a": {"model": "BERT"}, "b": {"model": "BERT"}, "ms": 3}'
    mapping = (
        "tables:\n- {columns: {a.model: model, b.model: model, ms: {metric: latency, unit: ms}}}"
    )
    found = read(tmp_path, page, mapping, "x.json")
    assert found.values("model_printed") == [(3, "BERT")]
    found = read(tmp_path, page.replace("BERT", "ViT", 1), mapping, "x.json")
    assert [rule for rule, *_ in found.refused] == ["stated_twice"]


def test_the_one_gpu_of_optimum_benchmark_is_the_platform_and_of_several_a_mapping_says_it(
    tmp_path: Path,
) -> None:
    page = """{"config": {"backend": {"model": "gpt2", "device": "cuda"}, "scenario": {"name": "inference"},
"launcher": {"name": "process"}, "environment": {"cpu": "EPYC", "gpu": ["A100"], "gpu_count": 1}},
"report": {"decode": {"throughput": {"unit": "tokens/s", "value": 62.5}}}}"""
    found = read(tmp_path, page, None, "x.json")
    assert found.values("platform_printed") == [(62.5, "A100")]
    for other in ("A100", "T400"):
        several = page.replace('["A100"], "gpu_count": 1', f'["A100", "{other}"], "gpu_count": 2')
        found = read(tmp_path, several, None, "x.json")
        assert [rule for rule, *_ in found.refused] == ["no_subject"]
        found = read(
            tmp_path, several, "constants: {platform: A100}", "x.json", adds_subjects=False
        )
        assert found.values("platform_printed") == [(62.5, "A100")]


def test_every_layout_says_where_its_program_is_and_what_it_does_not_read() -> None:
    for name in layouts():
        text = (Path(results_page.__file__).parent / "layouts" / name).read_text("utf-8")
        comment = "\n".join(line for line in text.splitlines() if line.startswith("#"))
        assert "https://" in comment
        assert "Not read:" in comment
        assert any(path.name.startswith(Path(name).stem) for path in FIXTURES)


@pytest.mark.parametrize(
    ("accelerator", "count", "platform"),
    [
        ("N/A", "0", "INTEL(R) XEON(R) PLATINUM 8480+"),
        ("-", "-", "INTEL(R) XEON(R) PLATINUM 8480+"),
        ("None", "N/A", "INTEL(R) XEON(R) PLATINUM 8480+"),
        ("", "0", "INTEL(R) XEON(R) PLATINUM 8480+"),
        ("", "", "INTEL(R) XEON(R) PLATINUM 8480+"),
        ("NVIDIA H200", "8", "NVIDIA H200"),
    ],
)
def test_the_platform_of_a_system_without_accelerators_is_its_processor(
    tmp_path: Path, accelerator: str, count: str, platform: str
) -> None:
    headings, first, *_ = (_FOLDER / "mlperf_summary_v4.1.csv").read_text("utf-8").splitlines()
    page = first.replace("Intel(R) Xeon(R) Platinum 8480+", "INTEL(R) XEON(R) PLATINUM 8480+")
    page = page.replace('"NVIDIA H200-SXM-141GB","8"', f'"{accelerator}","{count}"')
    found = read(tmp_path, f"{headings}\n{page}\n", None, "summary.csv", adds_subjects=False)
    named = accelerator == platform
    assert found.values("platform_printed", "accelerator_count") == [
        (57174.1, platform, 8 if named else None)
    ]
    assert ("host_processor" in found.conditions()) is named
    assert found.refused == []


def test_a_processor_that_is_not_named_is_no_platform(tmp_path: Path) -> None:
    text = (_FOLDER / "mlperf_summary_v4.1.csv").read_text("utf-8")
    page = text.replace("Intel(R) Xeon(R) Platinum 8480+", "N/A")
    found = read(tmp_path, page, None, "summary.csv", adds_subjects=False)
    assert len(found.measurements) == 5
    assert "host_processor" not in found.conditions()
    page = page.replace("NVIDIA H200-SXM-141GB", "N/A")
    found = read(tmp_path, page, None, "other.csv", adds_subjects=False)
    assert ({rule for rule, *_ in found.refused}, found.measurements) == ({"no_subject"}, [])
