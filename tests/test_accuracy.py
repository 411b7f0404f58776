"""Scoring what is read: numbers that are right, lack a field, are wrong, unexpected, refused or missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from accuracy import (
    FIXTURES,
    Number,
    Results,
    judge_exactly,
    judge_loosely,
    places_in,
    read_publishers,
    report,
    score_heldout,
)
from accuracy import score_case as score
from document_rows import DocumentRows

PAGE = "maker"


def number(line: int, **fields: str) -> Number:
    return Number(line, frozenset({line}), "5.0", fields, PAGE)


def row(line: int, **columns: Any) -> dict[str, Any]:
    return {"line": line, "text_printed": "5.0", "extractor": "results_page", "value": 5.0, "unit": "ms"} | columns


def results_of(expected: list[Number], read: DocumentRows) -> Results:
    results = Results()
    score("page", expected, read, judge_exactly, results, publisher_at=lambda line: PAGE, may_stay=lambda row: False)
    return results


def test_numbers_are_counted_by_what_is_wrong_with_them() -> None:
    expected = [number(line, metric="latency", precision="FP16") for line in range(1, 6)]
    rows = [
        row(1, metric="latency", precision="fp-16"),
        row(2, metric="latency", precision=None),
        row(3, metric="latency", precision="FP8"),
        row(9, metric="latency", precision="FP8"),
    ]
    results = results_of(expected, DocumentRows({"measurements": rows, "rejects": [{"line": 4}]}, {}))
    found = results.scores[PAGE]
    assert (found.expected, found.right, found.partial, found.wrong) == (5, 1, 1, 1)
    assert (found.unexpected, found.refused, found.missing) == (1, 1, 1)
    assert found.score == (1 - 10 * 2) / 5
    # A number that is not read lacks all its fields.
    assert results.dimensions["precision"] == {"right": 1, "wrong": 1, "missing": 3}
    assert "wrong 'FP16' <- 'FP8' [5.0] page:3" in results.examples["precision"]
    text = "\n".join(report(results, {PAGE}, 1, None))
    assert (
        "maker\n          5          1          1          1          1          1          1  -3.800  all held out"
        in text
    )


def test_a_field_that_nothing_states_is_wrong_and_one_that_is_left_out_does_not_count() -> None:
    expected = [number(1, metric="latency", precision="")]
    read = DocumentRows({"measurements": [row(1, metric="latency", precision="FP8", nodes=2)]}, {})
    assert results_of(expected, read).scores[PAGE].wrong == 1


def test_of_several_rows_at_one_place_the_best_is_taken() -> None:
    expected = [number(1, metric="ttft"), number(1, metric="latency")]
    rows = [row(1, metric="latency"), row(1, metric="ttft")]
    assert results_of(expected, DocumentRows({"measurements": rows}, {})).scores[PAGE].right == 2


def test_what_a_mapping_adds_to_a_page_is_neither_right_nor_wrong(tmp_path: Path) -> None:
    condition = {"extractor": "results_page", "number": 3, "dimension": "platform", "value": "H100", "level": "mapping"}
    given = row(1, platform_printed="H100", conditions=[3])
    for level, wrong in (("mapping", 0), ("page", 1)):
        read = DocumentRows({"measurements": [given], "conditions": [condition | {"level": level}]}, {})
        assert results_of([number(1, platform="")], read).scores[PAGE].wrong == wrong
    wanted = number(1, platform="A100")
    read = DocumentRows({"measurements": [given], "conditions": [condition]}, {})
    assert results_of([wanted], read).scores[PAGE].wrong == 1


def test_a_page_with_a_truth_is_read_by_its_mapping(tmp_path: Path) -> None:
    pages, mappings = tmp_path / "pages" / "round1", tmp_path / "mappings" / "round1"
    for folder in (pages, mappings):
        folder.mkdir(parents=True)
    (pages / "acme.md").write_text("# Acme\n\n| Model | Speed |\n|---|---|\n| acme-7B | 12 |\n")
    columns = "line,text,metric,statistic,unit,model,platform"
    (pages / "acme.truth.csv").write_text(f"{columns}\n5,12,throughput,,tokens/s,acme-7B,?\n")
    said = "- columns: {Model: model, Speed: {metric: throughput, unit: tokens/s}}"
    (mappings / "acme.yml").write_text(f"# what a user writes\nchecked: true\ntables:\n{said}\n")
    for folder, right in ((None, 0), (tmp_path / "mappings", 1)):
        results = Results()
        score_heldout(tmp_path / "pages", "", None, (), results, folder)
        assert results.scores["acme"].right == right
        assert results.mappings == ({"acme": 3} if folder else {})
    assert "1 with a mapping, of 3 lines at most (acme)" in "\n".join(report(results, (), 0, None))


def test_conditions_answer_where_there_is_no_column() -> None:
    condition = {"extractor": "results_page", "number": 3, "dimension": "nodes", "value": "2"}
    read = DocumentRows({"measurements": [row(1, conditions=[3])], "conditions": [condition]}, {})
    assert results_of([number(1, nodes="2")], read).scores[PAGE].right == 1


@pytest.mark.parametrize(
    ("dimension", "wanted", "columns", "verdict"),
    [
        ("model", "Llama 3.1 8B", {"model_printed": "llama-3.1-8b"}, "right"),
        ("model", "Llama 3.1 8B", {"model_printed": "Llama"}, "missing"),
        ("model", "Llama 3.1 8B", {"model_printed": "Llama 3.1 70B"}, "wrong"),
        ("model", "BERT Large", {"model_printed": "BERT", "variant_printed": "Large"}, "right"),
        ("platform", "H100", {"platform_printed": "NVIDIA H100 SXM"}, "right"),
        ("platform", "", {"platform_printed": "H100"}, "wrong"),
        ("platform", "", {}, "ignored"),
        ("platform", "?", {"platform_printed": "anything"}, "ignored"),
        ("platform", "A100|DGX A100", {"platform_printed": "DGX A100"}, "right"),
        ("precision", "Float8", {"precision": "FP8"}, "right"),
        ("sdk_version", "2.10", {"sdk_version": "2.1"}, "wrong"),
        ("metric", "throughput", {"metric": "throughput_per_device"}, "wrong"),
        ("metric", "latency|request_latency", {"metric": "request_latency"}, "right"),
        ("metric", "mfu", {"metric": "model_flops_utilization"}, "right"),
        ("metric", "map_val_50_95", {"metric": "mean_average_precision"}, "missing"),
        ("metric", "map_val_50_95", {"metric": "mean_average_precision", "attributes": "val"}, "right"),
        ("metric", "coco_ap_50", {"metric": "mean_average_precision_50", "dataset_printed": "COCO"}, "right"),
        ("metric", "rmse_nyu", {"metric": "rmse", "dataset_printed": "NYU Depth V2"}, "right"),
        ("metric", "rmse_nyu", {"metric": "rmse", "dataset_printed": "KITTI"}, "wrong"),
        ("metric", "miou_val", {"metric": "mean_iou"}, "missing"),
        ("metric", "throughput_per_device", {"metric": "throughput"}, "wrong"),
        ("metric", "map_pose_50", {"metric": "keypoint_average_precision"}, "wrong"),
        ("precision", "amp_bf16", {"precision": "mixed BF16"}, "right"),
        ("input_length", "8K", {"input_length": "8192"}, "right"),
        ("input_length", "8K", {"input_length": "8"}, "wrong"),
        ("batch_size", "1,024", {"batch_size": 1024}, "right"),
        ("unit", "s", {"unit": "ms", "value": 5000.0}, "right"),
        ("unit", "s", {"unit": "ms", "value": 5.0}, "wrong"),
        ("unit", "tokens/s", {"unit": "items/s", "item": "tokens", "value": 5.0}, "right"),
        ("unit", "ktokens/s", {"unit": "items/s", "item": "tokens", "value": 5000.0}, "right"),
        ("unit", "tokens/s", {"unit": "items/s", "item": None, "value": 5.0}, "missing"),
        ("unit", "tokens/s", {"unit": "items/s", "item": "images", "value": 5.0}, "wrong"),
        ("unit", "tokens/s", {"unit": "items/s", "item": "output tokens", "value": 5.0}, "right"),
        ("unit", "", {"unit": "ms", "value": 5.0}, "wrong"),
        ("unit", "", {"unit": "BLEU", "value": 5.0}, "right"),
    ],
)
def test_names_and_units_are_judged_by_what_they_mean(
    dimension: str, wanted: str, columns: dict[str, Any], verdict: str
) -> None:
    assert judge_loosely(dimension, number(1, **{dimension: wanted}), columns) == verdict


def test_cells_of_a_page_of_html_are_found_by_the_line_of_its_file(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<h1>Title</h1>\n<table>\n<tr><th>Model</th><th>ms</th></tr>\n<tr><td>A</td><td>5</td></tr>\n</table>"
    )
    # A cell is a line: Title, blank, blank, Model, ms, A, 5.
    from pipelines.read.files import open_file

    texts = [line.text for line in open_file(page, "0" * 64).lines]
    assert {texts[at - 1] for at in places_in(page)(4)} >= {"A", "5"}
    assert texts.index("Title") + 1 not in places_in(page)(4)


def test_a_row_of_html_in_markdown_stands_on_its_first_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n<table>\n<tr>\n<td>A</td>\n<td>5</td>\n</tr>\n</table>\nEnd: 5\n")
    assert places_in(page)(5) == {3, 5}
    assert places_in(page)(8) == {8}


def test_publishers_are_those_of_fixtures() -> None:
    publishers, held_out = read_publishers(FIXTURES / "publishers.yml")
    assert set(publishers) <= {path.name.removesuffix(".expected.csv") for path in FIXTURES.glob("*.expected.csv")}
    assert held_out <= {name for named in publishers.values() for name in named.values()}
