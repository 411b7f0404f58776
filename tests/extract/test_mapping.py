"""The language of mappings: each key with its smallest example, and each guard with its sentence
and its line.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from makers.mapped import Reader, load, read, table

from pipelines.extract.accounting.statuses import status_of
from pipelines.extract.tables.entries import MappingFile, load_entries, load_listed
from pipelines.extract.tables.mapping import MappingError

RATE = "Rate: {metric: throughput, unit: images/s}"
RUNS = "# Acme\n\n## Training\n\n" + table(
    "Model | Batch | Rate", "BERT | 8 | 1,200", "ResNet | 16 | 900"
)
WHOLE = """constants: {task: training}
missing: OOM
tables:
- section: Training
  columns:
    Model: model
    Batch: {field: batch_size, batch_size_kind: global}
    '/Rate P(?P<pct>\\d+)/': {metric: latency, unit: ms, statistic: 'p{pct}'}
  fill_down: model
"""


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *[
            ("gpu", "platform"),
            ("bs", "batch_size"),
            ("dtype", "precision"),
            ("num_gpus", "accelerator_count"),
        ],
        *[
            ("round", "suite"),
            ("parallelism", "tensor_parallel"),
            ("tp", "tensor_parallel"),
            ("isl", "input_length"),
        ],
    ],
)
def test_a_word_that_means_a_dimension_is_no_condition_of_its_own(
    tmp_path: Path, word: str, meant: str
) -> None:
    for text in (
        f"Batch: {word}",
        f"Batch: {{match: '(?P<{word}>.*)'}}",
        f"Batch: {{field: batch_size, {word}: '1'}}",
    ):
        with pytest.raises(MappingError, match=f"`{word}` is no condition of its own: .*`{meant}`"):
            load(tmp_path, f"tables:\n- columns: {{Model: model, {text}, {RATE}}}\n")
    with pytest.raises(MappingError, match="`vendor` is a column that follows from"):
        load(tmp_path, f"tables:\n- columns: {{Model: model, Batch: vendor, {RATE}}}\n")
    assert load(tmp_path, f"tables:\n- columns: {{Model: model, Batch: _gpu, {RATE}}}\n")


# The keys


@pytest.fixture
def said(tmp_path: Path) -> Reader:
    return partial(read, tmp_path)


def one(said: Reader, page: str, mapping: str, name: str = "page.md") -> list[dict[str, str]]:
    """The conditions of each measurement, without its unit; nothing is refused."""
    found = said(page, mapping, name)
    assert found.refused == []
    return [
        found.conditions(n) | {"value": f"{row.value:g}"}
        for n, row in enumerate(found.measurements)
    ]


def held(rows: list[dict[str, str]], *names: str) -> list[tuple[str | None, ...]]:
    return [tuple(row.get(name) for name in ("value", *names)) for row in rows]


def test_columns_and_constants(said: Reader) -> None:
    batch = "Batch: {field: batch_size, batch_size_kind: global}"
    mapping = (
        f"constants: {{task: training}}\ntables:\n- columns: {{Model: model, {batch}, {RATE}}}\n"
    )
    found = said(RUNS, mapping)
    assert found.refused == []
    assert found.values("metric", "item", "model_printed", "batch_size", "task") == [
        (1200, "throughput", "images", "BERT", 8, "training"),
        (900, "throughput", "images", "ResNet", 16, "training"),
    ]
    assert found.levels() == {
        "task": "mapping", "model": "row", "batch_size": "row", "batch_size_kind": "mapping", "unit": "mapping",
    }  # fmt: skip
    assert found.places() == {"model": (7, "BERT"), "batch_size": (7, "8")}


def test_section_skip_and_what_the_file_shares(said: Reader) -> None:
    page = RUNS + "\n## GPUs\n\n" + table("GPU | Memory", "A100 | 40") + "\n## Serving\n\n"
    page += table("Model | Rate", "ViT | 7")
    mapping = f"columns: {{Model: model, Batch: batch_size, {RATE}}}\ntables:\n"
    mapping += "- {section: Training, constants: {task: training}}\n- {section: GPUs, skip: true}\n"
    mapping += "- {section: /^Serv/, constants: {task: inference}}\n"
    assert held(one(said, page, mapping), "task", "batch_size") == [
        ("1200", "training", "8"), ("900", "training", "16"), ("7", "inference", None),
    ]  # fmt: skip
    both = f"tables:\n- {{section: [Training, /^Serv/], columns: {{Model: model, {RATE}}}, others: ignore}}\n"
    both += "- {section: GPUs, skip: true}\n"
    assert held(one(said, page, both)) == [("1200",), ("900",), ("7",)]


def test_patterns_of_headings_of_cells_and_of_texts_around(said: Reader) -> None:
    page = (
        "# Results\n\n## DGX A100 (8x A100 40GB)\n\nMeasured with\nPyTorch 2.1 in a container.\n\n"
    )
    page += (
        table("Test | P99 (ms)", "BERT_int8_4b | 7")
        + "\n- Release\n  24.05 was used.\n\n## Next\n\nRelease 1.0\n"
    )
    mapping = r"""tables:
- headings: ['(?P<platform>DGX \S+) \((?P<accelerator_count>\d+)x', 'with (?P<framework>\w+ [\d.]+) in']
  below: 'Release (?P<sdk_version>[\d.]+)'
  columns:
    Test: {match: '(?P<model>.*)_(?P<precision>int8|fp16)_(?P<batch_size>\d+)b'}
    '/P(?P<_p>\d+) \(ms\)/': {metric: latency, unit: ms, statistic: 'p{_p}'}
"""
    found = said(page, mapping)
    assert found.refused == []
    assert found.conditions() == {
        "platform": "DGX A100", "accelerator_count": "8", "framework": "PyTorch 2.1", "sdk_version": "24.05",
        "model": "BERT", "precision": "INT8", "batch_size": "4", "statistic": "p99", "unit": "ms",
    }  # fmt: skip
    # A sentence is read across its lines; what is said is found on its own.
    assert found.places()["sdk_version"] == (13, "24.05")
    assert found.places()["platform"] == (3, "DGX A100")
    assert found.values("metric") == [(7, "latency")]
    assert (found.levels()["platform"], found.levels()["framework"]) == ("heading", "sentence")


def test_groups_stay_conditions_unless_their_names_begin_with_a_line(said: Reader) -> None:
    page = "# Acme\n\n" + table("GPU | 7B FP8 | 70B FP8", "A100 | 1 | 2")
    mapping = (
        "tables:\n- columns:\n    GPU: platform\n"
        "    '/(?P<_size>\\d+B) (?P<precision>.+)/': {metric: throughput, unit: tokens/s, model: '!LLaMA 3 {_size}'}\n"
    )
    found = one(said, page, mapping)
    assert held(found, "model", "precision", "_size") == [
        ("1", "LLaMA 3 7B", "FP8", None), ("2", "LLaMA 3 70B", "FP8", None),
    ]  # fmt: skip
    assert held(one(said, page, mapping.replace("_size", "size_class")), "size_class") == [
        ("1", "7B"),
        ("2", "70B"),
    ]


@pytest.mark.parametrize(
    ("columns", "name", "value"),
    [
        ("X: _p, N: {metric: latency, unit: ms, statistic: 'p{_p}'}", "statistic", "p99"),
        ("N: {match: '(?P<value>.*) p(?P<_p>.*)', metric: latency, unit: ms, statistic: 'p{_p}'}", "statistic", "p99"),
        ("N: {match: '(?P<value>.*) p(?P<_p>.*)', metric: latency, unit: '{_u}', _u: s}", "unit", "s"),
        ("X: {match: '(?P<_x>.).*', variant: 'v{_x}'}, N: {match: '(?P<value>.*) p.*', metric: mae}", "variant", "v9"),
    ],
)  # fmt: skip
def test_templates_in_any_spec(columns: str, name: str, value: str, said: Reader) -> None:
    page = "# Acme\n\n" + table("X | N", "99 | 3 p99" if "value" in columns else "99 | 3")
    assert (
        said(page, f"tables:\n- columns: {{{columns}}}\n  others: ignore\n").conditions()[name]
        == value
    )


def test_several_specs_of_a_cell_and_their_constants(said: Reader) -> None:
    page = "# Acme\n\n" + table("Net | Score", "BERT int8 | 88.5 F1", "ResNet | 76.1 top1")
    mapping = """tables:
- columns:
    Net: [{match: '(?P<model>.*) int8', precision: INT8}, model]
    Score: [{match: '(?P<value>.*) F1', metric: f1, dataset: '!SQuAD'}, {match: '(?P<value>.*) top1', metric: bleu}]
"""
    found = one(said, page, mapping)
    # A constant of a spec holds for what this spec has matched, not for the column.
    assert held(found, "model", "precision", "dataset") == [
        ("88.5", "BERT", "INT8", "SQuAD"), ("76.1", "ResNet", None, None),
    ]  # fmt: skip


def test_where(said: Reader) -> None:
    page = "# Acme\n\n" + table("Model | Rate", "BERT | 1", "ResNet | 2")
    mapping = """tables:
- constants: [{task: training}, {where: {model: BERT}, batch_size: '!8'}]
  columns:
    Model: model
    Rate:
    - {metric: throughput, unit: sequences/s, where: {model: bert}}
    - {metric: throughput, unit: images/s}
"""
    assert held(one(said, page, mapping), "task", "batch_size", "unit") == [
        ("1", "training", "8", "sequences/s"), ("2", "training", None, "images/s"),
    ]  # fmt: skip
    # The constants of a spec do not satisfy its `where`, and a spec says nothing of cells that it
    # does not match.
    page = "# Acme\n\n" + table(
        "Model | Which | N | In", "A | p50 | 3 | s", "B | total | 7 |", "C | count | 9 | s"
    )
    user = "{match: '(?P<value>.*)/u', metric: throughput_per_user, unit: tokens/s/user}"
    spec = f"[{user}, {{match: '(?P<value>.*)', metric: latency, unit: s, where: {{unit: s}}}}]"
    found = said(
        page, f"tables:\n- columns: {{Model: model, Which: statistic, In: unit, N: {spec}}}\n"
    )
    assert found.values("metric") == [(3000, "latency")]
    assert [refused[0] for refused in found.refused] == ["unread_condition", "unread_value"]


@pytest.mark.parametrize("titles", ["precision", "'(?P<precision>\\S+) runs'"])
def test_titles(titles: str, said: Reader) -> None:
    page = "# Acme\n\n" + table(
        "Model | Rate", "**FP16 runs** |", "BERT | 1", "INT8 runs | ", "BERT | 2"
    )
    page = page.replace(" runs", "") if titles == "precision" else page
    found = said(page, f"tables:\n- {{titles: {titles}, columns: {{Model: model, {RATE}}}}}\n")
    assert (found.refused, found.values("precision")) == ([], [(1, "FP16"), (2, "INT8")])
    assert found.levels()["precision"] == "row_title"


COUNTED = r"'(?P<platform>.+?) \* (?P<accelerator_count>\d+)'"


@pytest.mark.parametrize(
    "gpu",
    [
        r"{match: '(?P<platform>.+?)(?: \* (?P<accelerator_count>\d+))?'}",
        f"[{{match: {COUNTED}}}, platform]",
    ],
)
def test_fill_down_fills_blank_cells_only(gpu: str, said: Reader) -> None:
    rows = (
        "4090 24GB * 2 | 7B | 1",
        "| 13B | 2",
        "RTX A6000 48GB | 7B | 3",
        "| 13B | 4",
        "A100 * 4 | 7B | 5",
    )
    mapping = rf"""constants: {{model: 'Llama {{_size}}'}}
tables:
- columns: {{GPU: {gpu}, Size: _size, {RATE}}}
  fill_down: [platform, accelerator_count]
"""
    found = said("# Llama\n\n" + table("GPU | Size | Rate", *rows), mapping)
    assert found.refused == []
    assert found.values("platform_printed", "accelerator_count") == [
        (1, "4090 24GB", 2), (2, "4090 24GB", 2), (3, "RTX A6000 48GB", None), (4, "RTX A6000 48GB", None),
        (5, "A100", 4),
    ]  # fmt: skip


def test_fill_down_begins_anew_below_a_title_of_the_same_condition(said: Reader) -> None:
    rows = (
        "Using A100 | | ",
        "BERT | | 9",
        "BERT | H100 | 10",
        "GPT-2 | | 11",
        "BERT | ??bad | 12",
        "T5 | | 13",
        "Using V100 | | ",
        "ViT | | 14",
    )
    mapping = rf"""tables:
- columns: {{Model: model, GPU: {{match: '(?P<platform>[A-Z]\d+)'}}, {RATE}}}
  titles: 'Using (?P<platform>.*)'
  fill_down: platform
"""
    found = said("# Page\n\n" + table("Model | GPU | Rate", *rows), mapping)
    assert found.values("platform_printed") == [
        (9, "A100"),
        (10, "H100"),
        (11, "H100"),
        (14, "V100"),
    ]
    assert [cell for _, _, cell in found.refused] == ["??bad", "T5"]


def test_fill_down_fills_a_cell_that_states_something_else(said: Reader) -> None:
    rows = (
        "Marian 1.11.0 | 756.7",
        "- int16 | 723.6",
        "CTranslate2 2.13.1 | 993.5",
        "- int8 | 1486.5",
    )
    mapping = rf"""constants: {{model: '!OPUS-MT'}}
tables:
- fill_down: [framework, framework_version]
  columns:
    Engine: [{{match: '- (?P<quantization>.*)'}}, {{match: '(?P<framework>\S+) (?P<framework_version>[\d.]+)'}}]
    {RATE}
"""
    found = one(said, "# OpenNMT\n\n" + table("Engine | Rate", *rows), mapping)
    assert held(found, "framework", "framework_version", "quantization") == [
        ("756.7", "Marian", "1.11.0", None), ("723.6", "Marian", "1.11.0", "int16"),
        ("993.5", "CTranslate2", "2.13.1", None), ("1486.5", "CTranslate2", "2.13.1", "int8"),
    ]  # fmt: skip


SERVERS = """| Model | Accelerator | Processor | n | img/s |
|---|---|---|---|---|
| ViT | 8x H100 | EPYC 9654 | 1 | 900 |
| ViT | N/A | Xeon 8480+ | 2 | 30 |
| ViT | | | 2 | 20 |
"""


def test_coalesce_takes_the_first_column_that_is_filled(said: Reader) -> None:
    columns = "Model: model, Processor: {field: host_processor, sockets: two}, n: nodes"
    entry = f"columns: {{{columns}, img/s: {{metric: throughput, unit: images/s}}}}"
    mapping = (
        f"missing: N/A\ntables:\n- coalesce: {{platform: [Accelerator, Processor]}}\n  {entry}"
    )
    found = said(SERVERS, mapping, adds_subjects=False)
    assert found.values("platform_printed") == [(900, "8x H100"), (30, "Xeon 8480+")]
    assert [found.conditions(n).get("host_processor") for n in (0, 1)] == ["EPYC 9654", None]
    assert [found.conditions(n).get("sockets") for n in (0, 1)] == ["two", None]
    assert found.places(1)["platform"] == (4, "Xeon 8480+")
    assert [rule for rule, *_ in found.refused] == ["no_subject"]
    # Listed the other way round the processor counts, and what the other column says is kept.
    mapping = mapping.replace("[Accelerator, Processor]", "[Processor, Accelerator]").replace(
        "n: nodes", r"Accelerator: {match: '(?P<accelerator_count>\d+)x (?P<platform>.*)'}"
    )
    found = said(SERVERS, mapping + "\n  others: ignore", adds_subjects=False)
    assert found.values("platform_printed") == [(900, "EPYC 9654"), (30, "Xeon 8480+")]
    assert found.values("accelerator_count")[0] == (900, 8)


def test_coalesce_needs_its_columns_and_reads_by_their_description(said: Reader) -> None:
    entry = "columns: {Model: model, n: nodes, img/s: {metric: throughput, unit: images/s}"
    mapping = f"missing: N/A\ntables:\n- coalesce: {{platform: [GPU, Processor]}}\n  {entry}}}\n  others: ignore"
    found = said(SERVERS, mapping, adds_subjects=False)
    assert [rule for rule, *_ in found.refused] == ["schema_drift", "section_gone"]
    mapping = f"""missing: N/A
coalesce: {{platform: [GPU, Accelerator, Processor]}}
tables:
- {entry}, Accelerator: {{match: '(?P<accelerator_count>\\d+)x (?P<platform>.*)'}}}}
"""
    found = said(SERVERS, mapping, adds_subjects=False)
    assert found.values("platform_printed", "accelerator_count") == [
        (900, "H100", 8),
        (30, "Xeon 8480+", None),
    ]


def test_fill_down_missing_names_others_and_ignore(said: Reader) -> None:
    page = "# Acme\n\nOn the Sophgo SE5-16.\n\n"
    page += table(
        "Chip | Model | Rate | B | Link | x",
        "SE5 | BERT | 1 | 8 | a 7 | 5",
        "SE5 | | 2 | 16 | b | ",
        "SE5 | ViT | OOM | 8 | c |",
    )
    mapping = f"""missing: OOM
tables:
- names: {{platform: {{SE5: Sophgo SE5-16}}}}
  fill_down: model
  columns: {{Chip: platform, Model: model, {RATE}, B: batch_size, Link: ignore}}
  others: ignore
"""
    found = said(page, mapping)
    assert found.refused == []
    assert found.values("model_printed", "platform_printed") == [
        (1, "BERT", "Sophgo SE5-16"), (2, "BERT", "Sophgo SE5-16"),
    ]  # fmt: skip
    # What is filled down and what is called otherwise keep their printed characters.
    assert found.places(1)["model"] == (7, "BERT")
    assert found.places(1)["platform"] == (8, "SE5")
    assert {mark.rule for mark in found.extraction.marks} == {"mapping_ignores"}
    assert status_of("mapping_ignores") == "ignored"


ROWS = "Acme\n\nBERT 8 120 img/s\nResNet 16 1,300 img/s\n\nThe end of 3 pages.\n"
PATTERN = r"'^(?P<model>\S+) +(?P<batch_size>\d+) (?P<value>[\d,]+) img/s$'"


@pytest.mark.parametrize(
    "says",
    [
        "columns: {value: {metric: throughput, unit: images/s}}",
        "constants: {metric: throughput, unit: images/s}",
    ],
)
def test_the_groups_of_rows_are_its_columns(says: str, said: Reader) -> None:
    found = one(said, ROWS, f"tables:\n- rows: {PATTERN}\n  {says}\n", "page.txt")
    assert held(found, "model", "batch_size") == [("120", "BERT", "8"), ("1300", "ResNet", "16")]


def test_the_time_of_an_image_is_a_time(said: Reader) -> None:
    # The heading of Detectron2's model zoo.
    page = "# Acme\n\n" + table("Name | inference time (s/im)", "R50-FPN | 0.038")
    found = said(
        page,
        "tables:\n- columns: {Name: model, 'inference time (s/im)': {metric: latency, unit: s/im}}\n",
    )
    assert found.values("metric", "unit", "model_printed") == [(38, "latency", "ms", "R50-FPN")]


def test_a_word_of_ones_own_is_a_condition_and_facts_of_a_model_are_not(said: Reader) -> None:
    page = "# Acme\n\n" + table(
        "Model | Params | Depth | Rate", "BERT | 110 | 3 | 1", "BERT | 110 | 4 | 2"
    )
    mapping = f"tables:\n- columns: {{Model: model, Params: model_facts, Depth: depth, {RATE}}}\n"
    assert held(one(said, page, mapping), "depth", "model_facts") == [
        ("1", "3", "110"),
        ("2", "4", "110"),
    ]


@pytest.mark.parametrize("unit", ["", ", unit: glow"])
def test_a_metric_of_ones_own(unit: str, said: Reader) -> None:
    page = "# Acme\n\n" + table("Model | Sparkle", "BERT | 3")
    metrics = "metrics: {sparkle: {unit: glow, higher_is_better: false, kind: performance}}\n"
    found = said(
        page, f"{metrics}tables:\n- columns: {{Model: model, Sparkle: {{metric: sparkle{unit}}}}}\n"
    )
    assert found.values("metric", "unit", "higher_is_better") == [(3, "sparkle", "glow", False)]


# The guards


def test_the_whole_file_is_a_mapping(tmp_path: Path) -> None:
    [entry] = load(tmp_path, WHOLE)
    assert (entry.line, len(entry.declared), entry.missing) == (4, 3, ["OOM"])


@pytest.mark.parametrize(
    ("right", "wrong", "line", "reason"),
    [
        ("section:", "secton:", 4, "'secton' is not a key; did you mean 'section'?"),
        ("  columns:", "  colums:", 5, "'colums' is not a key; did you mean 'columns'?"),
        ("constants: {task", "constant: {task", 1, "'constant' is not a key; did you mean 'constants'?"),
        ("Model: model", "Model: modle", 6, "'modle' is not a dimension; did you mean 'model'?"),
        ("field: batch_size,", "field: bacth_siz,", 7, "'bacth_siz' is not a dimension; did you mean 'batch_size'?"),
        ("Model: model", "Model: {match: '(?P<modl>.*)'}", 6, "'modl' is not a dimension; did you mean 'model'?"),
        ("fill_down: model", "coalesce: {platform: [GPU, CPU], model: [cpu]}", 9, "`cpu` is listed 2 times"),
        ("fill_down: model", "constants: {platform: [A, B]}", 9, "`coalesce: {platform: [...]}` lists columns"),
        ("fill_down: model", "fill_down: [modell]", 9, "'modell' is not a dimension; did you mean 'model'?"),
        ("Model: model", "Model: Big Model", 6, "'Big Model' is not a condition name: use small letters"),
        ("latency,", "latancy,", 8, "'latancy' is not a metric; did you mean 'latency'?"),
        ("latency,", "sparkle,", 8, "'sparkle' is not a metric"),
        ("latency,", "zzz_zzz,", 8, "`metrics: {zzz_zzz: {unit: ..., higher_is_better: true}}` declares one"),
        ("unit: ms", "unit: imags/s", 8, "'imags/s' is not a unit; did you mean 'images/s'?"),
        ("unit: ms", "unit: images/s", 8, "'images/s' is not a unit of latency, which is measured in ms"),
        (
            "latency, unit: ms",
            "throughput, unit: tokens/s/GPU",
            8,
            "'tokens/s/GPU' is a unit of throughput_per_device, not of throughput",
        ),
        ("statistic: 'p{pct}'", "statistic: maen", 8, "median, total, p99; did you mean 'mean'?"),
        ("statistic: 'p{pct}'", "statistic: 'p{per}'", 8, "no group captures {per} of `p{per}`"),
        ("fill_down: model", "constants: {variant: 'a {b}'}", 9, "no group captures {b} of `a {b}`"),
        ("/Rate P(?P<pct>\\d+)/", "/(?P<pct>.*)/", 8, "matches any heading: make it more specific"),
        ("/Rate P(?P<pct>\\d+)/", "/(?P<pct>[A-Z].+)/", 8, "matches any heading: make it more specific"),
        ("/Rate P(?P<pct>\\d+)/", "/(?P<pct>\\d+/", 8, "is not a valid pattern: missing )"),
        ("/Rate P(?P<pct>\\d+)/", "/Rate (?=P)(?P<pct>\\d+)/", 8, "look-ahead and look-behind are not supported"),
        ("/Rate P(?P<pct>\\d+)/", "/Rate (?<!P)(?P<pct>\\d+)/", 8, "look-ahead and look-behind are not supported"),
        ("Model: model", "Model: {match: '.*'}", 6, "`.*` has no named group, as `(?P<model>.*)`"),
        ("Model: model", "Model: [ignore, model]", 6, "`ignore` is for a whole column"),
        ("Model: model", "Model: {}", 6, "it does not define the cell: give a `field`, a `match`, or a `metric`"),
        ("Model: model", "Model: {field: model, metric: latency}", 6, "or a `model`, not both"),
        ("metric: latency, ", "", 8, "has no metric: add a `metric`"),
        ("{metric: latency, unit: ms, statistic: 'p{pct}'}", "variant", 5, "no column has measured numbers"),
        ("Model: model", "Model: '?'", 6, "`Model` is an open question (`?`): answer it"),
        ("Model: model", "Model: *a", 6, "an alias (`*name`) is not supported: write the value"),
        ("Model: model", "Model: &a model", 6, "an anchor (`&name`) is not supported: write the value"),
        ("Model: model", "Model: model\n    Model: variant", 7, "'Model' is given twice; keep one"),
        ("task: training", "task: trainin", 1, "'trainin' is not a valid task: known are training, inf"),
        ("task: training", "nodes: few", 1, "'few' is not a valid nodes: it should be a whole number"),
        ("task: training", "task: ", 1, "`task` is empty"),
        ("fill_down: model", "headings: '(?P<task>t)'\n  constants: {task: training}", 9, "`task` is a constant and a"),
        ("fill_down: model", "others: inferred", 9, "`others` is 'ignore'"),
        ("fill_down: model", "skip: perhaps", 9, "`tables.skip` is not true/false"),
        ("tables:", "metrics: {sparkle: {unit: glow}}\ntables:", 3, "`metrics.sparkle.higher_is_better` is missing"),
        ("tables:", "metrics: {ttft: {unit: s, higher_is_better: true}}\ntables:", 3, "already has a metric 'ttft'"),
        ("tables:", "tabels:", 3, "'tabels' is not a key; did you mean 'tables'?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(
    right: str, wrong: str, line: int, reason: str, tmp_path: Path
) -> None:
    assert right in WHOLE
    with pytest.raises(MappingError) as caught:
        load(tmp_path, WHOLE.replace(right, wrong, 1))
    assert str(caught.value).startswith(f"acme/results/mapping.yml:{line}: ")
    assert reason in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "contains keys with values, including a list of `tables`"), (b"- a\n", "contains keys with values"),
        (b"tables: []", "`tables` is empty"), (b"tables: [a]", "`tables` should have names with values"),
        (b"a: " + b"b" * 300_000, "it is larger than 200 KB"), (b"tables: \xff", "it is not UTF-8"),
        (b"tables: [{}]", "no column has measured numbers"),
    ],
)  # fmt: skip
def test_what_is_no_mapping_at_all_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "mapping.yml").write_bytes(content)
    with pytest.raises(MappingError, match=reason):
        load_entries(tmp_path / "mapping.yml")


def test_a_mapping_that_was_changed_while_it_was_read_is_refused(tmp_path: Path) -> None:
    load(tmp_path, WHOLE)
    with pytest.raises(MappingError, match="it changed during the build"):
        load_listed(MappingFile(tmp_path / "acme" / "results" / "mapping.yml", "0" * 64))
    with pytest.raises(MappingError, match="cannot be read"):
        load_entries(tmp_path / "mapping.yml")


@given(
    text=st.text(max_size=200) | st.lists(st.sampled_from(WHOLE.split("\n"))).map("\n".join),
    cut=st.integers(0, 400),
)
@settings(max_examples=150)
def test_whatever_a_file_holds_is_a_mapping_or_a_sentence(text: str, cut: int) -> None:
    with TemporaryDirectory() as folder:
        for content in (text, WHOLE[:cut] + text + WHOLE[cut:]):
            with suppress(MappingError):
                load(Path(folder), content)


def test_cells_are_described_once_and_used_by_their_name(tmp_path: Path) -> None:
    speed = f"cells: {{speed: {RATE.removeprefix('Rate: ')}}}\n"
    tables = "tables:\n- columns: {Model: model, Rate: speed}\n- columns: {Network: model, Peak: speed}\n"
    for entry, heading in zip(load(tmp_path, speed + tables), ("Rate", "Peak"), strict=True):
        [column] = [one for one in entry.declared if one.written == heading]
        assert [spec.metric for spec in column.specs] == ["throughput"]
    with pytest.raises(MappingError, match=r"mapping\.yml:1: `model` is a word of the language"):
        load(tmp_path, speed.replace("speed", "model") + tables)
    with pytest.raises(MappingError, match=r"mapping\.yml:3: 'furlongs' is not a unit"):
        load(tmp_path, speed.replace("images/s", "furlongs") + tables)
