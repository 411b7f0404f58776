"""Output of programs in pages, behind prefixes, of servers and clients, and what only looks like a
table.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger

from pipelines.extract import logs, program_log
from pipelines.extract.reading import Reading, StoredDocument, read_document
from pipelines.extract.tables.entries import MappingFile
from pipelines.read.files import open_file
from pipelines.yaml_files import load_yaml

UNNAMED = "constants: {model: '!unnamed', platform: '!unnamed'}"
SUMMARY = """\
============ Serving Benchmark Result ============
Successful requests:                     100
Maximum request concurrency:             16
Request throughput (req/s):              {rate}
Mean TTFT (ms):                          60.00
=================================================="""


def read(folder: Path, name: str, text: str, mapping: str | None = UNNAMED) -> Reading:
    """A document of a source with a mapping."""
    file, page = folder / "mapping.yml", folder / name
    page.write_text(text, "utf-8")
    file.write_text(mapping or "", "utf-8")
    listed = MappingFile(file, hashlib.sha256(file.read_bytes()).hexdigest()) if mapping else None
    return read_document(StoredDocument("0" * 64, page, None, mapping=listed))


def results(reading: Reading) -> list[tuple[Any, ...]]:
    return [
        (row["metric"], row["statistic"], row["value"])
        for row in reading.rows.get("measurements", [])
    ]


def conditions(reading: Reading, metric: str = "request_throughput") -> list[dict[str, str]]:
    """The conditions of each result of a metric."""
    known = {row["number"]: row for row in reading.rows["conditions"]}
    stated = [row["conditions"] for row in reading.rows["measurements"] if row["metric"] == metric]
    return [{known[one]["dimension"]: known[one]["value"] for one in numbers} for numbers in stated]


def rules(reading: Reading) -> list[tuple[str, int]]:
    return [(row["rule"], row["line"]) for row in reading.rows.get("rejects", [])]


def indented(text: str, before: str = "    ") -> str:
    return "\n".join(before + line for line in text.split("\n"))


OUTPUT = SUMMARY.format(rate=2.5)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("page.md", f"# Results\n\n```text\n{OUTPUT}\n```\n"),
        ("page.md", f"# Results\n\n1. Run it:\n\n   ```\n{indented(OUTPUT, '   ')}\n   ```\n"),
        ("page.md", f"# Results\n\nRun it:\n\n{indented(OUTPUT)}\n"),
        ("page.md", f"# Results\n\n{indented(OUTPUT, '> ')}\n\nEnd.\n"),
        ("page.md", f"# Results\n\n> ```\n{indented(OUTPUT, '> ')}\n> ```\n"),
        ("page.rst", f"Results\n=======\n\nRun it::\n\n{indented(OUTPUT)}\n"),
        ("page.rst", f"Results\n=======\n\n.. code-block:: console\n\n{indented(OUTPUT)}\n"),
        (
            "page.html",
            f"<html><body><h1>Results</h1><pre><code>{OUTPUT}</code></pre></body></html>",
        ),
        ("log.txt", indented(OUTPUT, "[worker :0] ")),
        ("log.txt", indented(OUTPUT, "bench  | ")),
        ("log.txt", indented(OUTPUT, "vllm-1  | ")),
        ("log.txt", indented(OUTPUT, "trainer> ")),
        ("page.md", f"# Results\n\n```\n{indented(OUTPUT, 'node01: ')}\n```\n"),
    ],
)
def test_output_is_read_whatever_is_around_it(tmp_path: Path, name: str, page: str) -> None:
    reading = read(tmp_path, name, page)
    assert results(reading) == [("request_throughput", None, 2.5), ("ttft", "mean", 60.0)]
    assert [said["concurrency"] for said in conditions(reading)] == ["16"]
    assert "unread_number" not in {rule for _, rule in reading.accounting.statuses}


def test_a_page_with_output_and_a_table_gives_both(tmp_path: Path) -> None:
    table = "| GPU | Memory (GB) |\n|---|---|\n| A100 | 80 |\n"
    columns = "{GPU: platform, Memory (GB): {metric: memory, unit: GB}}"
    mapping = f"{UNNAMED[:-1]}, task: inference}}\ntables:\n- columns: {columns}\n"
    reading = read(tmp_path, "page.md", f"# Results\n\n```text\n{OUTPUT}\n```\n\n{table}", mapping)
    assert sorted(value for _, _, value in results(reading)) == [2.5, 60.0, 80.0]


DECORATION = load_yaml(Path(logs.__file__).with_name("programs.yml"))["decoration"]


@pytest.mark.parametrize("entry", DECORATION, ids=lambda entry: entry["name"])
@pytest.mark.parametrize("page", ["{}\n", "# Run\n\n```\n$ run\n{}\n```\n\nThat is all.\n"])
def test_decoration_is_no_table_and_no_result(
    tmp_path: Path, entry: dict[str, Any], page: str
) -> None:
    name = "page.md" if page.startswith("#") else "log.txt"
    reading = read(tmp_path, name, page.format(entry["example"]["log"]), None)
    assert not {"no_mapping", "claimed_twice"} & {rule for rule, _ in rules(reading)}
    assert not results(reading)


@pytest.mark.parametrize(
    "table",
    [
        "| model | size | params | backend | test | t/s |\n| llama 7B | 3.6 GiB | 6.7 B | CUDA | pp512 | 5201.1 |",
        "--enforce-eager            1523.2\n--enable-chunked-prefill   1810.4",
    ],
)
def test_a_table_below_decoration_is_no_decoration(tmp_path: Path, table: str) -> None:
    monitor = next(entry for entry in DECORATION if entry["name"] == "a monitor of devices")[
        "example"
    ]["log"]
    text = f"# Run\n\n```\n{monitor}{table}\n```\n"
    (tmp_path / "page.md").write_text(text, "utf-8")
    lines = program_log.extract(open_file(tmp_path / "page.md", ""), ()).lines
    assert lines
    assert lines.isdisjoint(
        number for number, line in enumerate(text.split("\n"), 1) if line and line in table
    )


def test_a_summary_of_an_unknown_program_is_not_read(tmp_path: Path) -> None:
    reading = read(
        tmp_path, "page.md", "# Run\n\n```\nSummary\nRequests: 100\nThroughput: 5.5\n```\n"
    )
    assert "log_line_unread" not in {rule for rule, _ in rules(reading)}
    assert not reading.found_by


FAILED = OUTPUT.replace("Maximum", "Failed requests:                         {}\nMaximum")


@pytest.mark.parametrize(("failed", "is_result"), [(0, True), (1, True), (2, False), (100, False)])
def test_a_run_of_which_requests_failed_is_no_result(
    tmp_path: Path, failed: int, is_result: bool
) -> None:
    reading = read(tmp_path, "log.txt", f"{FAILED.format(failed)}\n")
    assert len(results(reading)) == (2 if is_result else 0)
    assert [rule for rule, _ in rules(reading)] == ([] if is_result else ["log_result_invalid"] * 2)
    if is_result:
        assert conditions(reading)[0].get("failed_requests") == (str(failed) if failed else None)


def test_a_summary_in_running_text_is_not_read_and_its_numbers_are_unread(tmp_path: Path) -> None:
    for page in (
        f"# Results\n\n{OUTPUT}\n\nEnd.\n",
        f"# Results\n\n```\nrun\n```\n\n## Again\n\n{OUTPUT}\n\nEnd.\n",
    ):
        reading = read(tmp_path, "page.md", page)
        assert not results(reading)
        found = reading.accounting
        unread = [
            text
            for text, (status, _) in zip(found.texts, found.statuses, strict=True)
            if status == "unparsed"
        ]
        assert {"2.5", "60.00"} <= set(unread)


SERVE = (
    "vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size {tp} --quantization {quantization}"
)
CLIENT = (
    "vllm bench serve --model meta-llama/Llama-3.1-8B --max-concurrency 16 --num-prompts {prompts}"
)


def test_the_command_of_a_server_holds_for_its_clients(tmp_path: Path) -> None:
    runs = [
        "\n".join(
            [
                SERVE.format(tp=tp, quantization=name),
                CLIENT.format(prompts=100),
                "",
                SUMMARY.format(rate=rate),
            ]
        )
        for tp, name, rate in ((2, "fp8", 2.5), (8, "awq", 7.5))
    ]
    said = conditions(read(tmp_path, "log.txt", "\n\n".join([*runs, ""])))
    assert [
        (each["tensor_parallel"], each.get("precision"), each.get("quantization")) for each in said
    ] == [
        ("2", "FP8", None),
        ("8", None, "AWQ"),
    ]
    assert {each["model"] for each in said} == {"Llama-3.1-8B"}
    for image in (
        "docker run --gpus all vllm/vllm-openai:v0.10.0",
        "docker run \\\n  --gpus all \\\n  vllm/vllm-openai \\\n ",
    ):
        started = runs[1].replace("vllm serve meta-llama/", f"{image} --model meta-llama/")
        said = conditions(read(tmp_path, "log.txt", f"{runs[0]}\n\n{started}\n"))
        assert [each["tensor_parallel"] for each in said] == ["2", "8"]
    # A client of another model asks another server.
    other = read(
        tmp_path,
        "log.txt",
        runs[0].replace("bench serve --model meta-llama/Llama-3.1-8B", "bench serve --model b"),
    )
    assert "tensor_parallel" not in conditions(other)[0]


@pytest.mark.parametrize(
    ("heading", "tensor_parallel"), [("## Client", "2"), ("# Another machine", None)]
)
def test_a_server_runs_in_the_next_section_until_a_client_has_asked_it(
    tmp_path: Path, heading: str, tensor_parallel: str | None
) -> None:
    server = f"# Machine\n\n## Server\n\n```\n{SERVE.format(tp=2, quantization='fp8')}\n```\n"
    run = f"```\n{CLIENT.format(prompts=100)}\n\n{OUTPUT}\n```\n"
    again = run.replace("2.5", "7.5").replace(
        "--max-concurrency", "--request-rate 4 --max-concurrency"
    )
    said = conditions(
        read(tmp_path, "page.md", f"{server}\n{heading}\n\n{run}\n\n## Later\n\n{again}")
    )
    assert [each.get("tensor_parallel") for each in said] == [tensor_parallel, None]


def test_an_argument_that_differs_between_summaries_is_a_condition(tmp_path: Path) -> None:
    sweep = [(100, 2.5, ""), (100, 3.5, " --enable-prefix-caching"), (50, 4.5, "")]
    text = ""
    for prompts, rate, flag in sweep:
        summary = OUTPUT.replace("2.5", str(rate)).replace("100\n", f"{prompts}\n")
        text += f"{CLIENT.format(prompts=prompts)}{flag} --seed 1 --port 80{rate}\n\n{summary}\n\n"
    said = conditions(read(tmp_path, "log.txt", text))
    assert [each["num_prompts"] for each in said] == ["100", "100", "50"]
    assert [each.get("enable_prefix_caching") for each in said] == [
        None,
        "enable-prefix-caching",
        None,
    ]
    assert not {"seed", "port"} & {name for each in said for name in each}


def test_every_number_of_a_summary_is_a_result_a_setting_or_a_reject(tmp_path: Path) -> None:
    text = OUTPUT.replace(
        "Mean TTFT", "Speed of light (m/s):   299792458\nMedian TTFT (ms):   nan\nMean TTFT"
    )
    reading = read(tmp_path, "log.txt", f"{text}\n")
    assert rules(reading) == [("log_line_unread", 5), ("log_line_unread", 6)]
    assert {status for status, _ in reading.accounting.statuses} == {
        "extracted",
        "condition",
        "unparsed",
    }


@pytest.mark.parametrize(
    ("mapping", "rule"),
    [
        (None, "no_subject"),
        ("constants: {model: '!a'}", "no_subject"),
        ("constants: {model: '!a', platform: H100}", "not_printed"),
    ],
)
def test_results_without_a_subject_are_refused(
    tmp_path: Path, mapping: str | None, rule: str
) -> None:
    reading = read(tmp_path, "log.txt", f"{OUTPUT}\n", mapping)
    assert [each for each, _ in rules(reading)] == [rule, rule]
    assert not results(reading)
    keras = "Epoch 1/1\n5/5 [==============================] - 3s - loss: 0.3\n"
    assert rule in [each for each, _ in rules(read(tmp_path, "keras.txt", keras, mapping))]
    assert not read(tmp_path, "keras.txt", keras, mapping).rows.get("epochs")


def test_a_log_takes_constants_names_and_arguments_from_the_mapping(tmp_path: Path) -> None:
    mapping = """
        constants: [{platform: '!H100 SXM', model: '!other'}, {where: {concurrency: '16'}, accelerator_count: '!8'}]
        names: {model: {llama-8b: '!Llama 3.1 8B'}}
        arguments: {isl: input_length, served: model, num_prompts: ignore}
        """
    command = "bench.py --served llama-8b --isl 1k --num-prompts 100"
    reading = read(tmp_path, "log.txt", f"{command}\n{OUTPUT}\n", mapping)
    said = conditions(reading)[0]
    assert (said["model"], said["platform"], said["accelerator_count"]) == (
        "Llama 3.1 8B",
        "H100 SXM",
        "8",
    )
    assert said["input_length"] == "1024"
    assert {row["model_printed"] for row in reading.rows["measurements"]} == {"Llama 3.1 8B"}


def test_subjects_of_a_log_are_in_the_warehouse(ledger: Ledger) -> None:
    mapping = "constants: {platform: '!H100 SXM'}\nnames: {model: {llama-8b: '!Llama 3.1 8B'}}\n"
    ledger.add(
        f"bench.py --model llama-8b\n{OUTPUT}\n", "acme/serving", "2025-03-12", name="serving.txt"
    )
    ledger.map("acme/serving", mapping)
    assert ledger.resolve().success
    rows = ledger.sql(
        "select model, platform, metric, value from main.current_results order by metric"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("Llama 3.1 8B", "H100 SXM", "request_throughput", 2.5),
        ("Llama 3.1 8B", "H100 SXM", "ttft", 60.0),
    ]


def test_a_command_that_cannot_be_read_ends_what_the_one_before_has_stated(tmp_path: Path) -> None:
    first, second = (
        OUTPUT,
        OUTPUT.replace("2.5", "4.5").replace("60.00", "70.00").replace("16\n", "32\n"),
    )
    commands = "bench.py --model a --batch-size 8", "bench.py --model $MODEL"
    said = conditions(
        read(tmp_path, "log.txt", f"{commands[0]}\n{first}\n\n{commands[1]}\n{second}\n")
    )
    assert [(each.get("model"), each.get("batch_size")) for each in said] == [
        ("a", "8"),
        (None, None),
    ]
    for command in ("$ ./run.sh", "python3 other.py"):
        said = conditions(
            read(tmp_path, "log.txt", f"{commands[0]}\n{first}\n\n{command}\n{second}\n")
        )
        assert [(each.get("model"), each.get("batch_size")) for each in said] == [
            ("a", "8"),
            (None, None),
        ]
    run = (
        "$ benchmark_app -m {model} -d CPU\n"
        "[Step 10/11] Measuring performance (Start inference {mode} limits: 15000 ms duration)\n"
        "[Step 11/11] Dumping statistics report\n[ INFO ] Throughput:   {rate} FPS\n"
    )
    runs = (
        ("net.xml", "asynchronously, 12 inference requests,", 5898.01),
        ("$model", "synchronously,", 1000.5),
    )
    text = "".join(run.format(model=model, mode=mode, rate=rate) for model, mode, rate in runs)
    said = conditions(read(tmp_path, "log.txt", text), "throughput")
    assert [(each.get("model"), each.get("concurrency"), each["mode"]) for each in said] == [
        ("net", "12", "async"),
        (None, None, "sync"),
    ]
