"""Drafts of mappings: what the vocabularies know is said, the rest is asked, and tables of one
layout are one entry.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from makers.mapped import table

from pipelines.extract.rows import Reject
from pipelines.extract.tables.draft import ASK, draft, printed_in
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.mapping import MappingError
from pipelines.extract.tables.preview import TablePreview, preview
from pipelines.read.files import open_file

SPEED = table("Model | Latency (ms)", "BERT | 1", "ViT | 2")
LONGER = f"# More\n{table('Model | Latency (ms) | Batch Size', 'BERT | 3 | 4')}"
LAYOUTS = f"# A100\n{SPEED}# H100\n{SPEED}{{}}# Cost\n{table('Model | Power (W)', 'BERT | 300')}"


def drafted(folder: Path, page: str, name: str = "page.md") -> str:
    (folder / name).write_text(page)
    return draft(printed_in(open_file(folder / name, "0" * 64), ()), "acme/x")


def test_a_page_with_decimal_points_has_no_decimal_commas(tmp_path: Path) -> None:
    page = table("Model | Batch Sizes | Latency (ms)", "BERT | 8,16 | 5.5")
    assert "decimal" not in drafted(tmp_path, page)


def read(
    folder: Path, text: str, answers: dict[str, str], name: str = "page.md"
) -> tuple[list[TablePreview], list[Reject]]:
    for question, answer in answers.items():
        text = text.replace(question, answer)
    (folder / "mapping.yml").write_text(text)
    return preview(open_file(folder / name, "0" * 64), (), load_entries(folder / "mapping.yml"))


# Pages, and lines of their drafts.
DRAFTS = [
    (
        table(
            "Model | GPU | Global Batch Size | Throughput (img/s) | Latency P99 (ms) | Mean TTFT (ms) | Top-1 | Foo",
            "BERT | A100 | 64 | 1,200 | 5.1 | 3 | 75.1 | left",
            "ViT | T4 | 8 | 90 | - | 4 | 80 | right",
        ),
        """missing: ['-']
    Model: model
    GPU: platform
    Global Batch Size: {field: batch_size, batch_size_kind: global}
    Throughput (img/s): {metric: throughput, unit: img/s}
    Latency P99 (ms): {metric: latency, unit: ms, statistic: p99}
    Mean TTFT (ms): {metric: ttft, unit: ms, statistic: mean}
    Top-1: {metric: accuracy, unit: '%'}
    Foo: '?'  # "left", "right\"""",
    ),
    # A heading says more than its metric, if that is all that it says.
    (
        table(
            "Model | Throughput - TF32 | Latency, 8 users (ms) | Latency on XLA",
            "ViT | 8 img/s | 2 | 3 ms",
        ),
        """    Throughput - TF32: {metric: throughput, unit: img/s, precision: TF32}
    'Latency, 8 users (ms)': {metric: latency, unit: ms, concurrency: '8'}
    Latency on XLA: {metric: '?', unit: ms}  # "3 ms\"""",
    ),
    # One question settles all columns of a kind.
    (
        table("Model | A100 | H100 | Foo | Bar", "BERT | 1 | 2 | x | y", "ViT | 5 | 6 | z | u"),
        """    '/(?P<platform>A100|H100)/': {metric: '?', unit: '?'}  # "1", "5", "2"
    /Foo|Bar/: '?'  # "x", "z", "y"; several headings: a line for each where they differ""",
    ),
    (
        LAYOUTS.format(""),
        """columns:\n  Model: model\ntables:
- headings: ['?']  # what the texts above say, as '(?P<platform>...)': "A100", "H100"; no column states platform""",
    ),
    (
        table("Model | Batch Size | Latency (ms)", "On the edge | |", "BERT | 1 | 10", " | 2 | 20")
        + f"# Software\n{table('Component | Framework Version', 'driver | 5.1')}",
        """- titles: '?'  # alone in their rows: "On the edge"
- skip: '?'  # true where it holds no results; no column is known to hold measured numbers
    Component: ignore""",
    ),
    # `Model` was the machine on one page, and a batch size of two numbers is none.
    (
        table(
            "Model | Batch Size | Latency (s) | Throughput (ms)",
            "A100 | 1, 2 | 1 | 5",
            "H100 | 4, 8 | 2 | 6",
        ),
        """    Throughput (ms): {metric: throughput, unit: '?'}  # "5", "6"
    /Model|Batch Size/: '?'  # "A100", "H100", "1, 2"; several headings: a line for each where they differ""",
    ),
    # A memory may be that of the machine, or measured.
    (
        table("Model | Latency (ms) | GPU Memory (GB)", "BERT | 1 | 7", "ViT | 2 | 9"),
        '    GPU Memory (GB): {metric: \'?\', unit: GB}  # "7", "9"',
    ),
    # A smallest value is no minute.
    (
        table("Model | Mean | P25 | Min | Max", "BERT | 5 | 6 | 3 | 9"),
        "    '/(?P<statistic>Mean|P25|Min|Max)/': {metric: '?', unit: '?'}  # \"5\", \"6\", \"3\"",
    ),
    (
        table("Model | latency (ms) | latency min", "BERT | 5 | 3"),
        "    latency min: {metric: latency, unit: '?', statistic: min}  # \"3\"",
    ),
    # `7B` counts parameters, and two columns cannot both be the model.
    (
        table("Model | Network | Size | Latency (ms)", "BERT | BERT-Large | 7B | 5"),
        """    Model: model
    Latency (ms): {metric: latency, unit: ms}
    /Network|Size/: '?'  # "BERT-Large", "7B"; several headings: a line for each where they differ""",
    ),
    # No unit of money but the dollar is known: what is not known is asked, not left out.
    (
        table("Instance | GPU hours | Price (€)", "trn1 | 1,234 | €12", "inf2 | 20 | €32"),
        """    Instance: platform
    GPU hours: {metric: '?', unit: hours}  # "1,234", "20"
    Price (€): '?'  # "€12", "€32\"""",
    ),
    (
        table("GPU hours | Price", "20 GPU-h | €12"),
        """    /GPU hours|Price/: '?'  # "20 GPU-h", "€12"; several headings: a line for each where they differ""",
    ),
    # One number with a point and a comma shows which of them is the decimal sign.
    (
        table("Model | Latency (ms)", "BERT | 2.548,87", "ViT | 5,5"),
        """decimal: ','  # "2.548,87", "5,5": ',' where the page prints decimal commas""",
    ),
    (
        table("Model | Latency (ms)", "BERT | 5,5"),
        "decimal: '?'  # \"5,5\": ',' where the page prints decimal commas",
    ),
]


@pytest.mark.parametrize(("page", "lines"), DRAFTS)
def test_what_is_known_is_said_and_the_rest_is_asked(tmp_path: Path, page: str, lines: str) -> None:
    text = drafted(tmp_path, page)
    assert [line for line in lines.splitlines() if f"{line}\n" not in text] == [], text
    assert f"delete {text.count(ASK)} questions" in text
    # The first open question is refused with its line.
    with pytest.raises(MappingError, match="an open question") as error:
        read(tmp_path, text, {})
    assert ASK in text.splitlines()[error.value.line - 1]


def test_an_answered_draft_reads_the_page(tmp_path: Path) -> None:
    page = "# Serving on DGX A100\n" + table(
        "Model | Batch Size | tokens/s", "BERT | 1 | 10", "ViT | 2 | 20"
    )
    page += "## Speed\n" + table(
        " | A100 | H100 | Params (M) | FLOPs (G)", "BERT-Large | 7 | 8 | 110 | 5"
    )
    text = drafted(tmp_path, page)
    assert 'the text above says "DGX A100"' in text
    # Two columns cannot state one thing.
    assert "/^$/: model\n    Params (M): model_facts\n    FLOPs (G): ignore\n" in text
    answers = {
        "task: '?'": "task: inference",
        "metric: '?'": "metric: throughput",
        "unit: '?'": "unit: images/s",
    }
    tables, refusals = read(tmp_path, text, answers | {"platform: '?'": "platform: DGX A100"})
    assert refusals == []
    assert [
        (one.value, one.unit, one.conditions["model"].value, one.conditions["platform"].value)
        for found in tables
        for one in found.numbers
    ] == [
        (10, "tokens/s", "BERT", "DGX A100"), (20, "tokens/s", "ViT", "DGX A100"),
        (7, "images/s", "BERT-Large", "A100"), (8, "images/s", "BERT-Large", "H100"),
    ]  # fmt: skip


def test_headings_over_headings_end_at_the_first_row_of_cells(tmp_path: Path) -> None:
    heads = "<tr><th rowspan=2>GPU<th rowspan=2>Model<th colspan=2>Speed</tr><tr><th>bs=1 (tokens/s)<th>bs=8</tr>"
    rows = "<tr><td rowspan=2>A100<td>BERT<td>1<td>3 / 4</tr><tr><td>ViT<td>5<td>7 / 8</tr>"
    text = drafted(tmp_path, f"<h1>T</h1><table>{heads}{rows}</table>", "page.html")
    assert "    Model: model\n" in text
    assert "    Speed bs=8: '?'" in text


def test_tables_of_more_headings_are_of_the_same_layout(tmp_path: Path) -> None:
    # An entry of fewer headings would claim them, too.
    text = drafted(tmp_path, LAYOUTS.format(LONGER))
    assert text.count("\n- ") == 2
    answers = {
        "task: '?'": "task: inference",
        "headings: ['?']": "headings: ['^(?P<platform>.*)$']",
    }
    tables, _ = read(tmp_path, text, answers | {"platform: '?'": "platform: A100"})
    assert [(one.entry > 0, one.rule) for one in tables] == [(True, "")] * 4


def test_hostile_headings_and_pages_without_tables_make_drafts_that_load(tmp_path: Path) -> None:
    cells = "<th>It's: #1</th><th>\u202e{x}</th><th>ms</th></tr><tr><td>a</td><td>3</td><td>4</td>"
    text = drafted(tmp_path, f"<table><tr>{cells}</tr></table>", "page.html")
    with pytest.raises(MappingError, match="an open question"):
        read(tmp_path, text, {}, "page.html")
    # A separator of lines in a heading is no new line of the draft.
    two = (
        "# x\u2028evil: 1\n"
        + table("Alpha | Beta", "a | 3")
        + "# y\n"
        + table("Alpha | Beta", "a | 4")
    )
    assert "\\u2028evil" in drafted(tmp_path, two)
    assert not any(line.strip().startswith("evil") for line in drafted(tmp_path, two).splitlines())
    text = drafted(tmp_path, "BERT took 5 ms\n", "page.txt")
    answers = {
        "rows: '?'": r"rows: '(?P<model>\S+) took (?P<value>\d+) ms'",
        "metric: '?'": "metric: latency",
        "task: '?'": "task: inference",
        "model: '?'": "model: '!unnamed'",
        "platform: '?'": "platform: '!unnamed'",
    }
    [found], _ = read(tmp_path, text, answers | {"'?'": "ms"}, "page.txt")
    assert [one.value for one in found.numbers] == [5]
